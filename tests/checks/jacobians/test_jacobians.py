"""Numerical and analytical Jacobians."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from gradviz.checks.jacobians.analytical import analytical_columns, analytical_jacobians
from gradviz.checks.jacobians.matrices import byte_view, matrix_value, new_matrix, transposed
from gradviz.checks.jacobians.numerical import numerical_jacobians
from gradviz.checks.output_parts import OutputPart, as_tuple, parts_of
from gradviz.checks.run.progress import MatrixProgress
from tests.checks.sample_functions import randn

# Analytical Jacobians of more passes than fit into one block.


COUNT = 150
SIDE = randn(COUNT, 6).detach()


class Passes:
    """Backward passes of ``SIDE @ x``, with something added to the first element in some.

    Args:
        added: The number to add, by the number of the pass, from 0 to ``2 * COUNT - 1``.
    """

    def __init__(self, added: dict[int, float] | None = None) -> None:
        self.begun = 0
        self._added = added or {}

    def __call__(self, gradient: Tensor) -> Sequence[Tensor | None]:
        found = SIDE.t() @ gradient
        found[0] += self._added.get(self.begun, 0.0)
        self.begun += 1
        return found.view(2, 3), None


def inputs() -> list[Tensor]:
    return [randn(2, 3), randn(4)]


def test_every_column_is_the_gradient_of_its_pass() -> None:
    found = analytical_jacobians(Passes(), randn(COUNT), inputs())
    assert torch.equal(found.matrices[0], SIDE.t())
    assert torch.equal(found.matrices[1], torch.zeros(4, COUNT, dtype=torch.float64))
    assert (found.spreads, found.misfits) == ((0.0, 0.0), ())


def test_chosen_columns_are_those_of_all() -> None:
    chosen = range(5, COUNT, 2)
    found, _ = analytical_columns(Passes(), randn(COUNT), inputs(), chosen)
    assert torch.equal(found, SIDE.t()[:, 5::2])


@pytest.mark.parametrize("place", [0, 63, 64, 140, COUNT - 1])
def test_a_pass_that_differs_is_found_in_every_block(place: int) -> None:
    passes = Passes({COUNT + place: 0.25, COUNT + 30: 0.125})
    found = analytical_jacobians(passes, randn(COUNT), inputs())
    assert found.spreads[0] == pytest.approx(0.25)
    assert torch.equal(found.matrices[0], SIDE.t())


def test_a_nan_makes_the_spread_nan_for_good() -> None:
    passes = Passes({COUNT + 3: math.nan, COUNT + 100: 5.0})
    assert math.isnan(analytical_jacobians(passes, randn(COUNT), inputs()).spreads[0])


def test_equal_infinities_do_not_differ() -> None:
    passes = Passes({3: math.inf, COUNT + 3: math.inf, COUNT + 4: 0.5})
    found = analytical_jacobians(passes, randn(COUNT), inputs())
    assert found.spreads[0] == pytest.approx(0.5)


def test_unfinished_columns_can_be_read_at_any_time() -> None:
    growth = MatrixProgress()
    passes = Passes()

    def backward(gradient: Tensor) -> Sequence[Tensor | None]:
        if passes.begun in (10, 70, 71):
            count = passes.begun
            assert torch.equal(growth.columns(0), SIDE.t()[:, :count])
        return passes(gradient)

    found = analytical_jacobians(backward, randn(COUNT), inputs(), growth)
    assert passes.begun == 2 * COUNT
    assert torch.equal(found.matrices[0], SIDE.t())


# Matrices become values of a trace bit for bit, in whatever memory torch has put them.


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


# Central differences leave the input unchanged, even if the function fails.


def test_the_input_has_its_values_back_after_an_exception() -> None:
    x = randn(2, 3)
    before = x.detach().clone()
    left = iter(range(5))

    def evaluate() -> tuple[torch.Tensor, ...]:
        next(left)
        return as_tuple(x * 2)

    parts = parts_of((x * 2,), differentiable=True)
    with pytest.raises(StopIteration):
        numerical_jacobians(evaluate, x, parts, 1e-6)
    assert torch.equal(x.detach(), before)


@pytest.mark.parametrize("transposed", [False, True])
def test_some_rows_are_the_rows_of_all(transposed: bool) -> None:
    x = randn(3, 4).detach()
    x = (x.t() if transposed else x).requires_grad_()
    parts = parts_of((x.sin(),), differentiable=True)
    (whole,) = numerical_jacobians(lambda: (x.sin(),), x, parts, 1e-6)
    (some,) = numerical_jacobians(lambda: (x.sin(),), x, parts, 1e-6, [0, 5, 11])
    assert torch.equal(some, whole[[0, 5, 11]])


def test_a_version_is_not_counted() -> None:
    x = randn(3)
    y = x.exp()
    parts = parts_of((y,), differentiable=True)
    numerical_jacobians(lambda: (x * 2,), x, parts, 1e-6)
    torch.testing.assert_close(torch.autograd.grad(y.sum(), x)[0], x.exp())
    z = x.sin()
    numerical_jacobians(lambda: (x * 2,), x, parts, 1e-6)
    z.sum().backward()  # It saved x, and would complain about a change.


@pytest.mark.parametrize("count", [1, 2])
def test_unfinished_rows_can_be_read_at_any_time(count: int) -> None:
    x = randn(150)
    whole = numerical_jacobians(lambda: (x.sin(), x * x)[:count], x, parts(x)[:count], 1e-6)
    growth = MatrixProgress()
    begun = 0

    def evaluate() -> tuple[torch.Tensor, ...]:
        nonlocal begun
        for k in range(count):
            # Two evaluations for each row.
            if begun in (20, 140, 141, 142):
                assert torch.equal(growth.rows(k), whole[k][: begun // 2])
        begun += 1
        return (x.sin(), x * x)[:count]

    found = numerical_jacobians(evaluate, x, parts(x)[:count], 1e-6, growth=growth)
    assert all(map(torch.equal, found, whole))


def parts(x: torch.Tensor) -> tuple[OutputPart, ...]:
    return parts_of((x.sin(), x * x), differentiable=True)


def test_outputs_in_one_buffer_are_kept_apart() -> None:
    x = randn(5)
    buffer = torch.empty(5, dtype=torch.float64)

    def evaluate() -> tuple[torch.Tensor, ...]:
        return (buffer.copy_(x.detach() * 2),)

    (found,) = numerical_jacobians(evaluate, x, parts(x)[:1], 1e-6)
    torch.testing.assert_close(found, 2 * torch.eye(5, dtype=torch.float64))
