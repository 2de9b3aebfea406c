"""A copied or saved tensor loads as the same tensor."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
import torch
from msgspec.structs import replace

from gradviz.export.errors import ExportError
from gradviz.export.tensor.csv import csv_text
from gradviz.export.tensor.latex import latex_number, latex_text
from gradviz.export.tensor.npy import write_npy
from gradviz.export.tensor.python_source import python_source
from gradviz.export.tensor.whole_tensor import MOST_AS_TEXT, plain_number
from gradviz.model.tensor import ITEM_SIZES, TensorRecord, TensorValue
from gradviz.recorder.tensors.tensor_elements import read_element_bytes
from tests.builders import tensor

FLOATS = [name for name in ITEM_SIZES if name.startswith(("float", "bfloat", "complex"))]
INTEGERS = [name for name in ITEM_SIZES if "int" in name]


def recorded(source: torch.Tensor) -> tuple[TensorRecord, TensorValue]:
    """As the recorder keeps it."""
    dtype, shape = str(source.dtype).removeprefix("torch."), tuple(source.shape)
    record = replace(
        tensor(1, np.zeros(shape))[0], dtype=dtype, shape=shape, kept_shape=shape, statistics=None
    )
    return record, TensorValue(dtype=dtype, shape=shape, data=read_element_bytes(source))


def evaluated(source: str) -> torch.Tensor:
    made = eval(source, {"torch": torch, "complex": complex})
    assert isinstance(made, torch.Tensor)
    return made


def bits(source: torch.Tensor) -> bytes:
    """All bits, but each NaN as the same one."""
    wide = source.to(torch.complex128 if source.is_complex() else torch.float64)
    array = torch.view_as_real(wide).numpy() if source.is_complex() else wide.numpy()
    return np.where(np.isnan(array), np.nan, array).tobytes()


def same(made: torch.Tensor, source: torch.Tensor) -> bool:
    alike = made.dtype == source.dtype and made.shape == source.shape
    return alike and bits(made) == bits(source)


@pytest.mark.parametrize("dtype", FLOATS)
def test_every_kind_of_float_comes_back_bit_for_bit(dtype: str) -> None:
    torch.manual_seed(0)
    values = torch.randn(5, 7, dtype=torch.float64) * 10.0 ** torch.randint(-6, 3, (5, 7))
    if dtype.startswith("complex"):
        values = torch.complex(values, values.flip(0))
    values[0, :3] = torch.tensor([0.1, -0.0, 1 / 3], dtype=torch.float64)
    source = values.to(getattr(torch, dtype))
    made = evaluated(python_source(*recorded(source)))
    assert same(made, source)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_every_value_of_the_short_floats_comes_back(dtype: str) -> None:
    size = 256 if dtype.startswith("float8") else 1 << 14
    width = torch.uint8 if size == 256 else torch.int16
    step = 1 if size == 256 else 4
    codes = torch.arange(0, size * step, step).to(torch.int32).to(width)
    source = codes.view(getattr(torch, dtype))
    assert same(evaluated(python_source(*recorded(source))), source)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_the_ends_of_every_integer_type_come_back(dtype: str) -> None:
    kind = getattr(torch, dtype)
    info = torch.iinfo(kind)
    source = torch.tensor([info.min, 0, 1, info.max], dtype=kind)
    made = evaluated(python_source(*recorded(source)))
    assert made.dtype == kind
    assert made.tolist() == source.tolist()


@pytest.mark.parametrize(
    "source",
    [
        torch.tensor(1.5),
        torch.tensor(True),
        torch.tensor([[True, False]]),
        torch.tensor([float("nan"), float("inf"), -float("inf")]),
        torch.tensor(complex(float("nan"), -0.0)),
        torch.tensor([complex(-0.0, 1), complex(0, float("inf")), 1 - 2j]),
        torch.empty(0),
        torch.empty(0, 3, dtype=torch.int64),
        torch.empty(2, 0, 4, dtype=torch.bfloat16),
        torch.arange(24).reshape(2, 3, 4),
        torch.zeros(1, 1, 1, 1),
    ],
    ids=lambda source: f"{source.dtype} {tuple(source.shape)}",
)
def test_every_shape_and_special_value_survives(source: torch.Tensor) -> None:
    assert same(evaluated(python_source(*recorded(source))), source)


def test_a_text_that_would_be_rounded_twice_has_all_digits() -> None:
    # Nearest to a float32, but read as a double it lies on the other side of a tie.
    for code in range(0, 1 << 31, 7_000_003):
        value = np.array(code, dtype=np.uint32).view(np.float32)[()]
        if np.isfinite(value):
            assert np.float32(float(plain_number(value))) == value


def test_python_is_laid_out_as_torch_prints_it() -> None:
    record, value = recorded(torch.tensor([[0.0, 1.0], [2.5, -3.0]]))
    lines = python_source(record, value).splitlines()
    assert lines == [
        "torch.tensor([[0.0, 1.0],",
        "              [2.5, -3.0]], dtype=torch.float32)",
    ]


def test_csv_is_read_back_by_numpy() -> None:
    matrix = np.array([[0.1, np.nan, -np.inf], [1e-300, -0.0, 12345678.125]])
    read = np.loadtxt(io.StringIO(csv_text(matrix)), delimiter=",")
    assert read.tobytes() == matrix.tobytes()
    short = np.array([[0.1, 1 / 3]], dtype=np.float32)
    again = np.loadtxt(io.StringIO(csv_text(short)), delimiter=",", dtype=np.float32, ndmin=2)
    assert again.tobytes() == short.tobytes()
    both = np.array([[1 - 2j, complex(0.1, 1e9)]])
    parts = np.loadtxt(io.StringIO(csv_text(both)), delimiter=",", dtype=complex, ndmin=2)
    assert parts.tobytes() == both.tobytes()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (3.0, "3"),
        (0.1, "0.1"),
        (-1234.5678, "-1234.6"),
        (123456.7, "1.235 \\times 10^{5}"),
        (1e-7, "1 \\times 10^{-7}"),
        (-2.5e12, "-2.5 \\times 10^{12}"),
        (float("nan"), "\\mathrm{nan}"),
        (-np.inf, "-\\mathrm{inf}"),
        (True, "\\mathrm{True}"),
        (np.int64(1234567), "1.235 \\times 10^{6}"),
        (1 - 2j, "1 - 2j"),
        (1e-7 - 2e-7j, "1 \\times 10^{-7} - 2 \\times 10^{-7}j"),
    ],
)
def test_latex_numbers(value: object, text: str) -> None:
    assert latex_number(value) == text


def test_latex_says_whether_it_was_rounded() -> None:
    exact = latex_text(np.array([[1.0, 0.5]]), "float64")
    assert exact == "% float64, 1 x 2\n\\begin{pmatrix}\n  1 & 0.5\n\\end{pmatrix}\n"
    rounded = latex_text(np.array([[1 / 3]]), "float64")
    assert rounded.startswith("% float64, 1 x 1, rounded to 4 significant digits\n")
    assert "rounded" not in latex_text(np.array([[0.1]], dtype=np.float32), "float32")


def test_a_wide_matrix_is_an_array_since_pmatrix_ends_at_ten_columns() -> None:
    text = latex_text(np.zeros((2, 11)), "float64")
    assert "\\begin{array}{rrrrrrrrrrr}" in text
    assert "pmatrix" not in text


def test_a_matrix_wider_than_the_page_is_shrunk_by_latex() -> None:
    needs = "% Needs \\usepackage{graphicx}\n\\resizebox{"
    for wide in (np.zeros((2, 15)), np.full((2, 4), 1e-9 / 3), np.full((2, 3), (1 + 2j) / 7)):
        text = latex_text(wide, "float64")
        assert needs in text
        assert text.splitlines()[2].count("$") == text.splitlines()[-1].count("$") == 1
    for narrow in (np.zeros((2, 14)), np.full((2, 2), 1e-9 / 3), np.full((9, 5), 1 / 3)):
        assert "graphicx" not in latex_text(narrow, "float64")


@pytest.mark.parametrize("dtype", ["float64", "float16", "int8", "bool", "complex64", "uint16"])
def test_npy_is_read_back_by_numpy(tmp_path: Path, dtype: str) -> None:
    source = torch.tensor([[0, 1], [1, 3]]).to(getattr(torch, dtype))
    record, value = recorded(source)
    assert write_npy(tmp_path / "t.npy", record, value) == dtype
    read = np.load(tmp_path / "t.npy", allow_pickle=False)
    assert read.dtype == value.array().dtype
    assert read.tobytes() == value.data


def test_npy_says_that_bfloat16_became_float32(tmp_path: Path) -> None:
    source = torch.tensor([0.1, float("nan"), -2.5], dtype=torch.bfloat16)
    assert write_npy(tmp_path / "t.npy", *recorded(source)) == "float32"
    read = torch.from_numpy(np.load(tmp_path / "t.npy"))
    assert same(read.to(torch.bfloat16), source)


def test_a_sample_is_never_taken_for_the_tensor(tmp_path: Path) -> None:
    record, value = recorded(torch.zeros(4, 3))
    record = replace(record, shape=(10, 6), kept_steps=(3, 2), content="preview")
    with pytest.raises(ExportError, match="only 12 of its 60 elements were kept"):
        python_source(record, value)
    with pytest.raises(ExportError, match="only 12 of its 60 elements were kept"):
        write_npy(tmp_path / "t.npy", record, value)
    assert not (tmp_path / "t.npy").exists()
    bare = replace(record, content="metadata", note="a sparse layout")
    with pytest.raises(ExportError, match="were not kept \\(a sparse layout\\)"):
        python_source(bare, None)


def test_a_text_has_an_end() -> None:
    record, value = recorded(torch.zeros(MOST_AS_TEXT + 1))
    with pytest.raises(ExportError, match=r"Save the tensor as \.npy"):
        python_source(record, value)
