"""A file with all tensors of a run contains what torch has in the same run without a recording."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors
import safetensors.torch
import torch
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import index_reader, index_trace
from gradviz.cli.main import main
from gradviz.export.errors import ExportError
from gradviz.export.run_tensors.formats import write_tensors_npz, write_tensors_safetensors
from gradviz.export.run_tensors.table import ArrayTable
from gradviz.model.tensor import ITEM_SIZES, NUMPY_DTYPES
from gradviz.store.reader import open_trace
from tests.builders import LINEAR_TENSORS, linear_trace, write_trace
from tests.inside_builder import INSIDE_TENSORS, inside_trace
from tests.recorder.recorded_run import record_run
from tests.schemas import assert_fits

DTYPES = tuple(ITEM_SIZES)


class Holder(torch.autograd.Function):
    """Takes tensors of any dtype, one of which has a gradient."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, *others: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x, *others)
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad_output: torch.Tensor) -> Any:
        return (grad_output * 3, *[None] * len(DTYPES), None, None)


def tensors_of_all_dtypes() -> list[torch.Tensor]:
    """Random bits as each dtype, then a 0-dim tensor and one without elements."""
    bits = torch.randint(0, 256, (3, 4 * 16), dtype=torch.uint8)
    made = [bits % 2 == 0 if name == "bool" else bits.view(getattr(torch, name)) for name in DTYPES]
    return [*made, torch.tensor(2.5), torch.empty(0, 3)]


def run() -> list[torch.Tensor]:
    """The arguments of a call, its output and the gradient of the first."""
    torch.manual_seed(0)
    x = torch.randn(2, 3, requires_grad=True)
    others = tensors_of_all_dtypes()
    output = Holder.apply(x, *others)
    output.sum().backward()
    return [x, *others, output, x.grad]


def bits_of(tensor: torch.Tensor) -> bytes:
    flat = tensor.detach().contiguous().reshape(-1)
    return flat.view(torch.uint8).numpy().tobytes()


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    record_run(folder, run)
    return folder / "run.gradviz"


def array_of(table: Any, role: str, slot: int = 0) -> str:
    """Name of the first array with a role."""
    return next(
        each["array"]
        for each in table["tensors"]
        for use in each["uses"]
        if (use["role"], use["slot"]) == (role, slot)
    )


def exported(trace: Path, path: Path) -> ArrayTable:
    write = write_tensors_npz if path.suffix == ".npz" else write_tensors_safetensors
    with open_trace(trace, repair=True) as reader:
        return write(path, index_reader(reader))


def test_safetensors_has_all_bits_that_torch_has(trace: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.safetensors"
    exported(trace, path)
    with safetensors.safe_open(path, "pt") as file:
        table = json.loads(file.metadata()["tensors.json"])
    assert_fits(table, "tensors")
    found = safetensors.torch.load_file(path)
    plain = run()
    names = [array_of(table, "input", slot) for slot in range(len(plain) - 2)]
    names += [array_of(table, "output"), array_of(table, "total")]
    for name, expected in zip(names, plain, strict=True):
        array = found[name]
        if expected.dtype == torch.complex128:
            assert (array.dtype, array.shape) == (torch.float64, (*expected.shape, 2))
        else:
            assert (array.dtype, array.shape) == (expected.dtype, expected.shape)
        assert bits_of(array) == bits_of(expected)
    assert {each["array"] for each in table["tensors"]} == set(found)
    # Torch copies elements that do not begin at a multiple of their size.
    (length,) = struct.unpack("<Q", path.read_bytes()[:8])
    header = json.loads(path.read_bytes()[8 : 8 + length])
    for row in table["tensors"]:
        start = 8 + length + header[row["array"]]["data_offsets"][0]
        assert start % ITEM_SIZES[row["stored_dtype"]] == 0


def test_npz_has_all_values_that_torch_has(trace: Path, tmp_path: Path) -> None:
    exported(trace, tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz", allow_pickle=False) as file:
        found = dict(file)
    table = json.loads(found.pop("tensors.json"))
    assert_fits(table, "tensors")
    plain = run()
    for slot, expected in enumerate(plain[:-2]):
        name = str(expected.dtype).removeprefix("torch.")
        array = found[array_of(table, "input", slot)]
        if name in NUMPY_DTYPES:
            assert (array.dtype.name, array.shape) == (name, tuple(expected.shape))
            assert array.tobytes() == bits_of(expected)
        else:
            assert array.dtype == np.float32
            wide = expected.to(torch.float32).numpy()
            assert np.array_equal(array, wide, equal_nan=True)
    assert np.array_equal(found[array_of(table, "total")], plain[-1].numpy())
    stored = {row["array"]: (row["stored_dtype"], tuple(row["stored_shape"])) for row in
              table["tensors"]}  # fmt: skip
    assert stored == {name: (array.dtype.name, array.shape) for name, array in found.items()}


def test_the_table_says_what_each_array_is(tmp_path: Path) -> None:
    values = {record.id: value for record, value in INSIDE_TENSORS}
    write_tensors_npz(tmp_path / "a.npz", index_trace(inside_trace(), values.get))
    with np.load(tmp_path / "a.npz") as file:
        table = json.loads(file["tensors.json"])
    assert_fits(table, "tensors")
    rows = {each["array"]: each["uses"] for each in table["tensors"]}
    uses = {
        name: [(use["place"], use["node"], use["role"], use["slot"], use["name"]) for use in each]
        for name, each in rows.items()
    }
    assert uses["step1.input.weight"] == [
        ("1", 1, "input", 1, "weight"),
        ("7", 4, "leaf", 0, "leaf"),
        ("1", 1, "saved", 1, "weight"),
        ("", 4, "leaf", 0, "weight"),
    ]
    assert uses["step2.output.output"][1] == ("3", None, "root", 0, "L")
    assert uses["step3.root_gradient.grad_output"][1] == ("4", 2, "incoming", 0, "grad_output")
    ((place, node, *_),) = [
        each for name, (each, *_) in uses.items() if name.startswith("step5.backward.op")
    ][:1]
    assert (place.partition("/op")[0], node) == ("5/backward", None)


@pytest.mark.parametrize("ending", [".npz", ".safetensors"])
def test_elements_that_are_not_there_are_reported(
    ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tensors = list(LINEAR_TENSORS)
    sample = replace(
        tensors[2][0], content="preview", shape=(4, 6), kept_steps=(2, 2), strides=(6, 1)
    )
    bare = replace(tensors[3][0], content="statistics", kept_shape=(), note="over the budget")
    tensors[2:4] = [(sample, tensors[2][1]), (bare, replace(tensors[3][1], data=b""))]
    trace = replace(linear_trace(), tensors=tuple(record for record, _ in tensors))
    path, out = (
        write_trace(tmp_path / "run.gradviz", trace, tuple(tensors)),
        tmp_path / f"a{ending}",
    )
    assert main(["export", str(path), "-o", str(out)]) == 0
    captured = capsys.readouterr()
    assert captured.out == f"{out}\n"
    assert captured.err.splitlines() == [
        f"gradviz: 1 array in a{ending} is only a sample of its tensor.",
        f"gradviz: 1 tensor is not in a{ending}, because its elements were not kept.",
    ]
    if ending == ".npz":
        with np.load(out) as file:
            table = json.loads(file["tensors.json"])
    else:
        with safetensors.safe_open(out, "np") as file:
            table = json.loads(file.metadata()["tensors.json"])
    rows = {each["tensor"]: each for each in table["tensors"]}
    assert (rows[3]["steps"], rows[3]["stored_shape"]) == ([2, 2], [2, 3])
    assert (rows[4]["array"], rows[4]["note"]) == (None, "over the budget")
    none = index_trace(replace(trace, tensors=(bare,), steps=(), nodes=(), edges=(), saved=(),
                               calls=(), console=()))  # fmt: skip
    with pytest.raises(ExportError, match="keeps no elements"):
        write_tensors_npz(out, none)


def test_damaged_elements_leave_the_others(tmp_path: Path) -> None:
    values = {record.id: value for record, value in LINEAR_TENSORS if record.id != 3}
    index = index_trace(linear_trace(), values.get)
    table = write_tensors_safetensors(tmp_path / "a.safetensors", index)
    (row,) = [each for each in json.loads(table.text)["tensors"] if each["array"] is None]
    assert (row["tensor"], row["note"]) == (3, "its elements are damaged")
    assert len(safetensors.torch.load_file(tmp_path / "a.safetensors")) == len(LINEAR_TENSORS) - 1


def test_a_failed_export_leaves_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = write_trace(tmp_path / "run.gradviz", linear_trace()), tmp_path / "a.safetensors"
    out.write_text("old")
    monkeypatch.setattr("gradviz.export.run_tensors.formats._MOST_HEADER", 100)
    assert main(["export", str(path), "-o", str(out)]) == 2
    assert "Export an .npz file instead." in capsys.readouterr().err
    assert out.read_text() == "old"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.safetensors", "run.gradviz"]
