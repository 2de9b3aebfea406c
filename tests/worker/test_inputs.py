"""Inputs that a child describes and makes."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save_file

from gradviz.model.element_encoding import (
    INTEGER_RANGES,
    UnrepresentableNumberError,
    element_as_stored,
    read_number,
    shortest_text,
)
from gradviz.model.fill_values import filled_elements
from gradviz.model.inputs import DTYPES, FillKind, InputSpec, Number
from gradviz.protocol.messages import Device
from gradviz.worker.given_arguments import describe_value
from gradviz.worker.inputs import make_input, seed_all
from gradviz.worker.user_errors import WorkError
from tests.accelerator import accelerator, needs

# Arguments from their specifications: values, dtypes, devices, seeds, and refusals.


CPU = Device(name="cpu", title="cpu", has_float64=True)
NARROW = Device(name="cpu", title="cpu", has_float64=False)


def make(given: object = None, device: Device = CPU, **fields: Any) -> Any:
    spec = InputSpec(**{"name": "x", "shape": (2, 3), **fields})
    return make_input(spec, device, describe_value("x", given)).value


PARAMETERS = {"full": (1,), "linspace": (0, 1), "randint": (0, 2)}


def test_complex_and_true_values() -> None:
    made = make(dtype="complex64", fill="values", shape=(2,), values=(1 + 2j, 3))
    assert made.tolist() == [1 + 2j, 3 + 0j]
    made = make(dtype="bool", fill="values", shape=(3,), values=(1, 0.0, True))
    assert made.tolist() == [True, False, True]


NUMBERS = st.one_of(
    st.floats(),
    st.floats(width=32),
    st.integers(-(2**70), 2**70),
    st.integers(-300, 300).map(lambda each: each / 4),
    # Near the middle between two float16 or bfloat16, where rounding twice is seen.
    st.tuples(st.sampled_from([8, 11]), st.integers(20, 52)).map(
        lambda at: 1 + 2.0 ** -at[0] + 2.0 ** -at[1]
    ),
)


@pytest.mark.parametrize("dtype", DTYPES)
@given(number=NUMBERS | st.complex_numbers())
def test_the_form_says_what_torch_stores(dtype: str, number: Number) -> None:
    try:
        stored = element_as_stored(number, dtype)
    except UnrepresentableNumberError:
        assert dtype in INTEGER_RANGES or isinstance(number, complex)
        return
    made = make(dtype=dtype, fill="values", shape=(1,), values=(number,))
    if not isinstance(number, complex) or isinstance(stored, complex):
        wide = torch.complex128 if isinstance(stored, complex) else torch.float64
        exact = torch.int64 if isinstance(stored, int) else wide
        cast = torch.tensor([number], dtype=exact).to(getattr(torch, dtype))
        assert repr(cast.tolist()) == repr(made.tolist())
    assert repr(made.tolist()) == repr([bool(stored) if dtype == "bool" else stored])
    assert repr(element_as_stored(read_number(shortest_text(stored, dtype)), dtype)) == repr(stored)


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
    assert made.note == "x is float32 instead of float64, which cpu does not support."
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


@pytest.mark.parametrize("thing", [len, torch.Generator(), object(), [lambda: 0], {2: object()}])
def test_what_is_no_literal_is_the_files_own_in_another_process(thing: object) -> None:
    assert " at 0x" not in describe_value("x", thing).spec.text
    elsewhere = InputSpec(name="x", kind="object", fill="given", text="<Thing at 0x7f00>")
    assert make_input(elsewhere, CPU, describe_value("x", thing)).value is thing


def test_large_tensors_are_described_without_values() -> None:
    assert describe_value("x", torch.zeros(4097)).spec.values == ()
    assert len(describe_value("x", torch.zeros(4096)).spec.values) == 4096


@pytest.mark.parametrize(
    "tensor",
    [
        torch.tensor([2**60 + 1, -1]),
        torch.tensor([True, False]),
        torch.tensor([1 + 2j, -0j]).conj(),
        torch.tensor([0.1, math.nan, -math.inf]).bfloat16(),
    ],
    ids=lambda tensor: str(tensor.dtype),
)
def test_described_values_are_the_elements(tensor: torch.Tensor) -> None:
    values = describe_value("x", tensor).spec.values
    assert torch.equal(torch.tensor(values).to(tensor.dtype).nan_to_num(), tensor.nan_to_num())


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"fill": "values", "values": (1.0,)}, "must be 6, not 1"),
        ({"dtype": "int64", "requires_grad": True}, "cannot require a gradient"),
        ({"dtype": "float99"}, "unknown dtype"),
        ({"dtype": "int64", "fill": "rand"}, "creates fractions"),
        ({"shape": (-1, 2)}, "cannot be created"),
        ({"shape": (1 << 40, 1 << 30)}, "cannot be created"),
        ({"shape": (1 << 40, 1 << 30), "fill": "arange"}, "cannot be created"),
        (
            {"dtype": "int64", "fill": "values", "values": (math.nan,) * 6},
            "nan does not fit into",
        ),
        (
            {"dtype": "int8", "shape": (), "fill": "values", "values": (300,)},
            "300 does not fit into int8",
        ),
        ({"fill": "values", "values": (1j,) * 6}, "1j does not fit into float64"),
        ({"dtype": "uint8", "shape": (300,), "fill": "arange"}, "299 does not fit into uint8"),
        ({"fill": "eye", "shape": (3,)}, r"eye needs a shape of two sizes, not \[3\]"),
        ({"fill": "linspace", "parameters": (1,)}, "linspace needs start and end"),
        ({"fill": "randint", "parameters": (2, 2)}, "low must be less than high"),
        ({"fill": "randint", "parameters": (-1, 2), "dtype": "bool"}, "-1 does not fit into bool"),
        ({"kind": "object", "text": "open('x')"}, "not a Python literal"),
        ({"fill": "given"}, "has no tensor for x"),
        ({"fill": "given", "given": torch.zeros(5)}, r"has shape \[5\]"),
    ],
)
def test_what_cannot_be_made_is_one_sentence(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(WorkError, match=words) as caught:
        make(**fields)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("fill", ["arange", "zeros", "ones", "full", "eye", "linspace", "values"])
def test_the_form_shows_what_is_made(dtype: str, fill: FillKind) -> None:
    if fill == "linspace" and dtype in INTEGER_RANGES:
        return
    spec = InputSpec(
        name="x",
        shape=(1, 2) if dtype == "bool" else (3, 5),
        dtype=dtype,
        fill=fill,
        parameters=PARAMETERS.get(fill, ()),
        values=tuple(number % 2 for number in range(2 if dtype == "bool" else 15)),
    )
    shown, made = filled_elements(spec), make_input(spec, CPU).value
    assert shown is not None
    wide = torch.tensor(shown, dtype=made.dtype).reshape(spec.shape)
    # Torch computes linspace in steps of several elements, so that the last bit can differ.
    torch.testing.assert_close(wide, made, rtol=1e-15 if fill == "linspace" else 0, atol=0)


@pytest.mark.accelerator
@pytest.mark.parametrize("dtype", DTYPES)
def test_another_device_starts_from_the_same_elements(dtype: str) -> None:
    values = (1, 0, 1) if dtype in INTEGER_RANGES else (0.1, 1 + 2.0**-11 + 2.0**-40, -1e5)
    kind = accelerator().type
    needs(dtype, lambda device: torch.ones(1, dtype=getattr(torch, dtype), device=device))
    there = make(
        device=Device(name=kind, title=kind, has_float64=True),
        dtype=dtype,
        fill="values",
        shape=(3,),
        values=values,
    )
    assert there.device.type == kind
    assert torch.equal(there.cpu(), make(dtype=dtype, fill="values", shape=(3,), values=values))


# Inputs from files, against NumPy, torch and safetensors, and what is said of other files.


X = np.arange(6.0).reshape(2, 3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    np.save(folder / "x.npy", X)
    np.save(folder / "turned.npy", X.T[::-1])
    np.save(folder / "big.npy", X.astype(">f4"))
    np.save(folder / "whole.npy", X.astype("int16"))
    np.save(folder / "objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    np.save(folder / "words.npy", np.array(["a"]))
    np.savez(folder / "one.npz", x=X)
    np.savez(folder / "two.npz", x=X, y=X + 1)
    torch.save(torch.from_numpy(X), folder / "x.pt")
    torch.save({"a.w": torch.from_numpy(X), "n": 3}, folder / "state.pt")
    torch.save(torch.nn.Linear(2, 2), folder / "module.pt")
    torch.save([1], folder / "list.pt")
    nested = {"model": {"a.w": torch.from_numpy(X), "b": [torch.ones(1)]}, "step": 3}
    torch.save(nested, folder / "nested.pt")
    torch.save((torch.from_numpy(X),), folder / "tuple.pt")
    torch.save({1: torch.from_numpy(X), "1": torch.ones(1)}, folder / "keys.pt")
    torch.save(torch.ones(2, device="meta"), folder / "meta.pt")
    np.savez(folder / "mixed.npz", x=X, y=np.array([{}], dtype=object))
    (folder / "empty.npy").write_text("")
    save_file({"x": torch.from_numpy(X), "h": torch.ones(2).half()}, folder / "s.safetensors")
    for name in ("bad.npy", "bad.npz", "bad.pt", "bad.safetensors"):
        (folder / name).write_text("hello")
    return folder


def read(path: str, *, grad: bool = False, device: Device = CPU) -> torch.Tensor:
    spec = InputSpec(name="x", kind="file", text=path, requires_grad=grad)
    value = make_input(spec, device).value
    assert isinstance(value, torch.Tensor)
    assert value.is_leaf
    assert value.requires_grad == grad
    return value


@pytest.mark.parametrize(
    "name",
    [
        *("x.npy", "one.npz", "two.npz:x", "mixed.npz:x", "s.safetensors:x"),
        *("x.pt", "state.pt", "state.pt:a.w", "nested.pt:model.a.w", "tuple.pt", "tuple.pt:0"),
        "keys.pt:1",
    ],
)
def test_what_was_saved_is_read(name: str, folder: Path) -> None:
    value = read(f" {folder}/{name} ", grad=True)
    assert value.dtype == torch.float64
    assert np.array_equal(value.detach().numpy(), X)


def test_dtypes_are_those_of_the_file(folder: Path) -> None:
    assert np.array_equal(read(f"{folder}/turned.npy").numpy(), X.T[::-1])
    assert read(f"{folder}/big.npy").dtype == torch.float32
    assert read(f"{folder}/big.npy").tolist() == X.tolist()
    assert read(f"{folder}/whole.npy").dtype == torch.int16
    assert read(f"{folder}/s.safetensors:h").dtype == torch.float16
    spec = InputSpec(name="x", kind="file", text=f"{folder}/x.npy")
    narrowed = make_input(spec, NARROW)
    assert narrowed.value.dtype == torch.float32
    assert narrowed.note.startswith("x is float32 instead of float64")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("two.npz", "several tensors: 'x' and 'y'. Add the name of one, as in .*two.npz:NAME."),
        ("two.npz:z", "no tensor named 'z'. It contains 'x' and 'y'."),
        ("x.npy:x", "a single tensor, without the name 'x'"),
        ("state.pt:n", "no tensor named 'n'"),
        ("module.pt", "other objects than tensors"),
        ("list.pt", "contains no tensor"),
        ("objects.npy", "allow_pickle=False"),
        ("words.npy", "numpy.str_"),
        ("bad.npy", "bad.npy is not a file of NumPy"),
        ("nested.pt", "several tensors: 'model.a.w' and 'model.b.0'"),
        ("nested.pt:model", "no tensor named 'model'. It contains 'model.a.w' and"),
        ("keys.pt", "several tensors: '1' and \"'1'\""),
        ("mixed.npz:y", "allow_pickle=False"),
        ("meta.pt", "x cannot be created: a tensor on the device meta has no values"),
        ("empty.npy", "empty.npy is empty"),
        ("bad.npz", "bad.npz is not a file of NumPy"),
        ("bad.pt", "contains no tensor that can be read"),
        ("bad.safetensors", "contains no tensor that can be read"),
        ("missing.npy", "missing.npy cannot be read: No such file or directory"),
        ("x.csv", "names no file that ends in .npy, .npz, .pt, .pth or .safetensors"),
    ],
)
def test_other_files_get_a_sentence(name: str, sentence: str, folder: Path) -> None:
    with pytest.raises(WorkError, match=sentence):
        read(f"{folder}/{name}")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.pt")
    with pytest.raises(WorkError, match=r"pipe\.pt is not a regular file"):
        read(f"{tmp_path}/pipe.pt")


def test_integers_require_no_gradient(folder: Path) -> None:
    with pytest.raises(WorkError, match="cannot require a gradient: its dtype is int16"):
        read(f"{folder}/whole.npy", grad=True)
