"""Arguments from their specifications: values, dtypes, devices, seeds, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from gradviz.model.inputs import DTYPES, InputSpec
from gradviz.protocol.messages import Device
from gradviz.worker.given import describe_value
from gradviz.worker.inputs import InputError, make_input, seed_all

CPU = Device(name="cpu", title="cpu", has_float64=True)
NARROW = Device(name="cpu", title="cpu", has_float64=False)


def make(given: object = None, device: Device = CPU, **fields: Any) -> Any:
    spec = InputSpec(**{"name": "x", "shape": (2, 3), **fields})
    return make_input(spec, device, describe_value("x", given)).value


def test_fills() -> None:
    assert make(fill="arange").tolist() == [[0, 1, 2], [3, 4, 5]]
    assert make(fill="zeros").tolist() == [[0] * 3] * 2
    assert make(fill="ones").tolist() == [[1] * 3] * 2
    assert make(fill="values", shape=(2,), values=(1.5, -2.0)).tolist() == [1.5, -2.0]
    uniform = make(fill="uniform", shape=(1000,))
    assert 0 <= uniform.min() < 0.1 < 0.9 < uniform.max() < 1
    assert 0.9 < make(fill="randn", shape=(2000,)).std() < 1.1


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("fill", ["arange", "zeros", "ones", "randn", "uniform"])
def test_every_fill_in_every_dtype(dtype: str, fill: str) -> None:
    tensor = make(dtype=dtype, fill=fill)
    assert tensor.dtype == getattr(torch, dtype)
    assert tensor.shape == (2, 3)
    assert tensor.is_leaf


def test_whole_numbers_keep_their_digits() -> None:
    values = (float(2**53), -3.0)
    made = make(dtype="int64", fill="values", shape=(2,), values=values)
    assert made.tolist() == [2**53, -3]


def test_seeds_fix_the_numbers_and_dtypes_share_them() -> None:
    seed_all(3)
    first = make(fill="randn")
    seed_all(3)
    assert torch.equal(first.float(), make(fill="randn", dtype="float32"))
    assert not torch.equal(first, make(fill="randn"))


def test_shapes_without_elements_or_dimensions() -> None:
    assert make(fill="arange", shape=()).item() == 0
    assert make(fill="randn", shape=(0, 3)).shape == (0, 3)
    assert make(fill="values", shape=(), values=(2.0,)).item() == 2


def test_without_float64_the_input_is_float32_and_says_so() -> None:
    made = make_input(InputSpec(name="x", shape=(2,)), NARROW)
    assert made.value.dtype == torch.float32
    assert made.note == "x is float32 instead of float64, which cpu does not have."
    assert make(device=NARROW, dtype="complex128").dtype == torch.complex64


def test_none_and_objects() -> None:
    assert make(kind="none") is None
    assert make(kind="object", text="(1, 'a', None)") == (1, "a", None)


def test_given_tensors_are_copies_of_the_files_own() -> None:
    own = (torch.arange(6.0).reshape(2, 3).requires_grad_() * 2).t()
    spec = describe_value("x", own).spec
    assert (spec.fill, spec.shape, spec.dtype, spec.requires_grad) == (
        "given",
        (3, 2),
        "float32",
        True,
    )
    assert spec.values == tuple(own.flatten().tolist())
    made = make_input(spec, CPU, describe_value("x", own)).value
    assert torch.equal(made, own)
    assert made.stride() == own.stride()
    assert made.is_leaf
    assert made.requires_grad
    made.data.zero_()
    assert own.abs().sum() > 0


def test_given_objects_are_the_files_own_until_the_text_is_changed() -> None:
    thing = [object()]
    spec = describe_value("x", thing).spec
    assert make_input(spec, CPU, describe_value("x", thing)).value is thing
    changed = InputSpec(name="x", kind="object", fill="given", text="5")
    assert make_input(changed, CPU, describe_value("x", thing)).value == 5


def test_large_and_complex_tensors_are_described_without_values() -> None:
    assert describe_value("x", torch.zeros(4097)).spec.values == ()
    assert describe_value("x", torch.zeros(2, dtype=torch.complex64)).spec.values == ()
    assert len(describe_value("x", torch.zeros(4096)).spec.values) == 4096


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"fill": "values", "values": (1.0,)}, "takes 6 values; there are 1"),
        ({"dtype": "int64", "requires_grad": True}, "cannot require a gradient"),
        ({"dtype": "float99"}, "unknown dtype"),
        ({"shape": (-1, 2)}, "cannot be made"),
        ({"shape": (1 << 40, 1 << 30)}, "cannot be made"),
        ({"dtype": "int64", "fill": "values", "values": (float("nan"),) * 6}, "cannot be made"),
        ({"kind": "object", "text": "open('x')"}, "no Python literal"),
        ({"fill": "given"}, "has no tensor for x"),
        ({"fill": "given", "given": torch.zeros(5)}, r"has the shape \[5\]"),
    ],
)
def test_what_cannot_be_made_is_one_sentence(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        make(**fields)
    assert "\n" not in str(caught.value)
