"""Elements of ordinary tensors, read straight from memory, against torch's own copies."""

from collections.abc import Callable

import pytest
import torch

from gradviz.recorder.tensors.tensor_elements import sample_bytes, sample_steps
from gradviz.recorder.tensors.tensor_form import TensorForms

LAYOUTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.transpose(0, 1),
    "sliced": lambda x: x[1::2, ::3],
    "expanded": lambda x: x[:1].expand(5, -1, -1),
    "overlapping": lambda x: x.as_strided((4, 3), (1, 1)),
    "scalar": lambda x: x[0, 0, 0],
    "empty": lambda x: x[:0],
}
DTYPES = [torch.float32, torch.complex128, torch.bfloat16, torch.bool, torch.float8_e5m2]


def bits(tensor: torch.Tensor) -> bytes:
    return bytes(tensor.contiguous().view(-1).view(torch.uint8).tolist())


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_memory_is_read_as_torch_copies_it(layout: str, dtype: torch.dtype) -> None:
    tensor = LAYOUTS[layout](torch.randn(6, 70, 9).to(dtype))
    small = TensorForms(most_elements=10_000).ordinary(tensor)
    assert small is not None
    assert small.read is not None
    assert small.read(tensor.data_ptr()) == bits(tensor)
    large = TensorForms(most_elements=0).ordinary(tensor)
    assert large is not None
    if tensor.numel():
        assert large.read is None
        steps = sample_steps(tuple(tensor.shape))
        assert large.sample(tensor.data_ptr()) == sample_bytes(tensor, steps)


@pytest.mark.parametrize(
    "tensor",
    [
        torch.randn(3, dtype=torch.complex64).conj(),
        torch.eye(3).to_sparse(),
        torch.empty(3, device="meta"),
        torch.nn.parameter.UninitializedParameter(),
    ],
    ids=["conjugated", "sparse", "meta", "uninitialized"],
)
def test_other_tensors_are_not_ordinary(tensor: torch.Tensor) -> None:
    assert TensorForms(most_elements=10).ordinary(tensor) is None


def test_inference_tensors_are_not_ordinary() -> None:
    with torch.inference_mode():
        tensor = torch.ones(3)
    assert TensorForms(most_elements=10).ordinary(tensor) is None
