"""Matrices become values of a trace bit for bit, in whatever memory torch has put them."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from gradviz.checks.jacobians.matrices import byte_view, matrix_value, new_matrix, transposed

DTYPES = [torch.float64, torch.float32, torch.bfloat16, torch.complex128, torch.int64, torch.bool]


@st.composite
def parts_of_memory(draw: st.DrawFn) -> Tensor:
    """A part of a larger tensor, some of its dimensions of size 1 or 0, in any order."""
    rows, columns = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    whole = torch.arange(60).view(6, 10).to(draw(st.sampled_from(DTYPES)))
    part = whole[:: draw(st.integers(1, 2))][:rows, :: draw(st.integers(1, 3))][:, :columns]
    part = part.t() if draw(st.booleans()) else part
    return part.conj() if part.is_complex() and draw(st.booleans()) else part


@given(parts_of_memory())
def test_values_have_the_bits_of_any_part_of_memory(part: Tensor) -> None:
    plain = torch.tensor(part.tolist(), dtype=part.dtype).reshape(part.shape)
    value = matrix_value(part)
    assert value.shape == tuple(part.shape)
    assert bytes(value.data) == bytes(byte_view(part).tolist())
    assert bytes(value.data) == plain.reshape(-1).view(torch.uint8).numpy().tobytes()


@pytest.mark.parametrize("shape", [(1, 1), (3, 1), (1, 4), (5, 4), (0, 3), (3, 0)])
def test_transposed_is_contiguous(shape: tuple[int, int]) -> None:
    matrix = new_matrix(*shape, torch.float64, torch.device("cpu"))
    matrix.copy_(torch.arange(matrix.numel(), dtype=torch.float64).view(shape))
    turned = transposed(matrix)
    assert turned.tolist() == matrix.t().tolist()
    assert turned.shape == shape[::-1]
    assert turned.is_contiguous()
