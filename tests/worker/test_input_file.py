"""Inputs from files, against NumPy, torch and safetensors, and what is said of other files."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from gradviz.model.inputs import InputSpec
from gradviz.protocol.messages import Device
from gradviz.worker.inputs import InputError, make_input

CPU = Device(name="cpu", title="cpu", has_float64=True)
NARROW = Device(name="cpu", title="cpu", has_float64=False)

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
    with pytest.raises(InputError, match=sentence):
        read(f"{folder}/{name}")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.pt")
    with pytest.raises(InputError, match=r"pipe\.pt is not a regular file"):
        read(f"{tmp_path}/pipe.pt")


def test_integers_require_no_gradient(folder: Path) -> None:
    with pytest.raises(InputError, match="cannot require a gradient: its dtype is int16"):
        read(f"{folder}/whole.npy", grad=True)
