"""Elements of ordinary tensors, read straight from memory, against torch's own copies."""

from collections.abc import Callable
from functools import partial

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from gradviz.recorder.compat import disabled_torch_modes
from gradviz.recorder.tensors.tensor_compat import version_counter
from gradviz.recorder.tensors.tensor_elements import sample_bytes, sample_steps
from gradviz.recorder.tensors.tensor_form import RecordedForm, TensorForms

LAYOUTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "contiguous": lambda x: x,
    "transposed": lambda x: x.transpose(0, 1),
    "sliced": lambda x: x[1::2, ::3],
    "expanded": lambda x: x[:1].expand(5, -1, -1),
    "overlapping": lambda x: x.as_strided((4, 3), (1, 1)),
    "scalar": lambda x: x[0, 0, 0],
    "empty": lambda x: x[:0],
}
TORCH = vars(torch)
DTYPES = [torch.float32, torch.complex128, torch.bfloat16, torch.bool, torch.float8_e5m2]


def bits(tensor: torch.Tensor) -> bytes:
    return bytes(tensor.contiguous().view(-1).view(torch.uint8).tolist())


def form_of(tensor: torch.Tensor, most_elements: int) -> RecordedForm:
    found = TensorForms(most_elements).ordinary(tensor)
    assert found is not None
    _, form, *place = found
    assert place == [tensor.data_ptr(), tensor.storage_offset(), version_counter(tensor)]
    return form


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_memory_is_read_as_torch_copies_it(layout: str, dtype: torch.dtype) -> None:
    tensor = LAYOUTS[layout](torch.randn(6, 70, 9).to(dtype))
    small = form_of(tensor, most_elements=10_000)
    assert small.is_small
    assert small.read(tensor.data_ptr()) == bits(tensor)
    large = form_of(tensor, most_elements=0)
    if tensor.numel():
        assert not large.is_small
        steps = sample_steps(tuple(tensor.shape))
        assert large.read(tensor.data_ptr()) == sample_bytes(tensor, steps)


def other_tensors() -> dict[str, torch.Tensor]:
    """Tensors that are not ordinary, of all kinds that torch has in CPU memory, and some others."""
    dense, number = torch.randn(4, 4), torch.randn(3, dtype=torch.complex64)
    given: dict[str, torch.Tensor] = {}

    def wrapped(name: str, x: torch.Tensor) -> torch.Tensor:
        given[name] = x
        return x.sum()

    for name, x in (("", dense), ("empty ", dense[:, :0])):
        torch.vmap(partial(wrapped, f"{name}batched"))(x)
        torch.func.grad(partial(wrapped, f"{name}differentiated"))(x)
        given[f"{name}functional"] = TORCH["_to_functional_tensor"](x)
        with torch.inference_mode():
            given[f"{name}of inference mode"] = x.clone()
        with FakeTensorMode():
            given[f"{name}fake"] = torch.empty(x.shape)
        given[f"{name}zero"] = TORCH["_efficientzerotensor"](x.shape)
        given[f"{name}meta"] = x.to("meta")
        given[f"{name}sparse"] = x.to_sparse()
    resized = torch.randn(100, 100)
    resized.untyped_storage().resize_(100)
    freed = torch.randn(3)
    freed.untyped_storage().resize_(0)
    return given | {
        "conjugated": number.conj(),
        "negated": number.conj().imag,
        "compressed": dense.to_sparse_csr(),
        "blocks": dense.to_sparse_bsr((2, 2)),
        "mkldnn": dense.to_mkldnn(),
        "quantized": torch.quantize_per_tensor(dense, 0.1, 0, torch.quint8),
        "nested": torch.nested.nested_tensor([dense[0], dense[0, :2]]),
        "jagged": torch.nested.nested_tensor([dense[0], dense[0, :2]], layout=torch.jagged),
        "uninitialized": torch.nn.parameter.UninitializedParameter(),
        "resized": resized,
        "freed": freed,
    }


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_other_tensors_are_not_ordinary() -> None:
    tensors = other_tensors()
    with disabled_torch_modes():
        forms = TensorForms(most_elements=10)
        assert not [name for name, each in tensors.items() if forms.ordinary(each) is not None]
        # These have a form of which there are ordinary ones.
        for shape in ((4, 4), (4,), (3,), (4, 0), (0,), ()):
            for dtype in (torch.float32, torch.complex64):
                ordinary = forms.ordinary(torch.zeros(shape, dtype=dtype))
                assert ordinary is not None
                assert not ordinary[1].form.is_conj
        found = [name for name, each in tensors.items() if forms.ordinary(each) is not None]
    assert not found
