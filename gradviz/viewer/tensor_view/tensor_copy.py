"""Copies a tensor, its visible plane or one element to the clipboard, or saves a tensor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtGui import QGuiApplication

from gradviz.drawing.cells.plane import Plane
from gradviz.viewer.tensor_view.shown_tensor import ShownTensor
from gradviz.viewer.tensor_view.tensor_text import spoken
from gradviz.viewer.translation import translate

# The export formats are imported on first use, so that the window starts faster.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Copyable:
    """What a view offers to copy.

    Attributes:
        display: The tensor.
        plane: Its visible plane; None if no elements were kept.
        cell: The cell of the cursor or of the pinned element; None without either.
    """

    display: ShownTensor
    plane: Plane | None
    cell: tuple[int, int] | None


def why_not(what: Copyable, *, as_text: bool) -> str:
    """Say in a sentence why the whole tensor cannot be exported; empty if it can."""
    from gradviz.export.errors import ExportError
    from gradviz.export.tensor.whole_tensor import few_enough, whole_array

    try:
        array = whole_array(what.display.record, what.display.value)
        if as_text:
            few_enough(array)
    except ExportError as error:
        return str(error)
    return ""


def as_python(what: Copyable) -> str:
    """The whole tensor as ``torch.tensor(...)``."""
    from gradviz.export.tensor.python_source import python_source

    return python_source(what.display.record, what.display.value)


def as_csv(what: Copyable) -> str:
    """The visible plane as CSV with all digits."""
    from gradviz.export.tensor.csv import csv_text

    return csv_text(what.plane.values) if what.plane is not None else ""


def as_latex(what: Copyable) -> str:
    """The visible plane as LaTeX with few digits."""
    from gradviz.export.tensor.latex import latex_text

    if what.plane is None:
        return ""
    record, values = what.display.record, what.plane.values
    return latex_text(values[0] if len(record.shape) == 1 else values, record.dtype)


def as_element(what: Copyable) -> str:
    """The element at the cursor as Python; empty without one."""
    from gradviz.export.tensor.python_source import python_element

    if what.plane is None or what.cell is None:
        return ""
    return python_element(what.plane.elements[what.cell])


def as_summary(what: Copyable) -> str:
    """Name and summary of the tensor in one line."""
    return spoken(what.display.name, what.display.record, what.display.mark)


def copy(what: Copyable, write: Callable[[Copyable], str]) -> str:
    """Copy the text that ``write`` returns; return a sentence that says what happened."""
    from gradviz.export.errors import ExportError

    try:
        text = write(what)
    except ExportError as error:
        return str(error)
    QGuiApplication.clipboard().setText(text)
    name = " ".join(what.display.name.split())
    return translate("TensorCopies", "Copied {name}.").format(name=name)


def save(what: Copyable, path: Path) -> str:
    """Write the tensor as ``.npy``; return a sentence that says what was written.

    Raises:
        ExportError: If not all elements were kept.
        OSError: If the file cannot be written.
    """
    from gradviz.export.tensor.npy import write_npy

    record = what.display.record
    dtype = write_npy(path, record, what.display.value)
    text = translate("TensorCopies", "Saved {name} to {path}.")
    if dtype != record.dtype:
        text = translate(
            "TensorCopies", "Saved {name} to {path} as {dtype}, because NumPy has no {own}."
        )
    name = " ".join(what.display.name.split())
    return text.format(name=name, path=path, dtype=dtype, own=record.dtype)
