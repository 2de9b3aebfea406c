"""Brings a tensor, a plane of it or one element to the clipboard, or into a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QGuiApplication

from gradviz.viewer.tensor_view.describe import spoken
from gradviz.viewer.tensor_view.display import Display
from gradviz.viewer.tensor_view.plane import Plane

# The formats are imported when somebody asks for them: the window starts sooner.


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Copyable:
    """What a view offers to copy.

    Attributes:
        display: The tensor.
        plane: What is seen of it; None where there are no elements.
        cell: The cell that the cursor or the pin is on; None for none.
    """

    display: Display
    plane: Plane | None
    cell: tuple[int, int] | None


def why_not(what: Copyable, *, as_text: bool) -> str:
    """Why a tensor cannot be copied or saved whole, as a sentence; empty where it can."""
    from gradviz.export.errors import ExportError
    from gradviz.export.tensor_parts import few_enough, whole_array

    try:
        array = whole_array(what.display.record, what.display.value)
        if as_text:
            few_enough(array)
    except ExportError as error:
        return str(error)
    return ""


def as_python(what: Copyable) -> str:
    """``torch.tensor(...)`` of the whole tensor."""
    from gradviz.export.tensor_python import python_source

    return python_source(what.display.record, what.display.value)


def as_csv(what: Copyable) -> str:
    """The plane that is seen, with all digits."""
    from gradviz.export.tensor_csv import csv_text

    return csv_text(what.plane.values) if what.plane is not None else ""


def as_latex(what: Copyable) -> str:
    """The plane that is seen, with few digits."""
    from gradviz.export.tensor_latex import latex_text

    if what.plane is None:
        return ""
    return latex_text(what.plane.values, what.display.record.dtype)


def as_element(what: Copyable) -> str:
    """The one element, as Python."""
    from gradviz.export.tensor_python import python_element

    if what.plane is None or what.cell is None:
        return ""
    return python_element(what.plane.elements[what.cell])


def as_summary(what: Copyable) -> str:
    """Everything that is known of the tensor, in one line."""
    return spoken(what.display.name, what.display.record, what.display.mark)


def copy(what: Copyable, write: Callable[[Copyable], str]) -> str:
    """Copies one of the texts above; returns a sentence on what was done, or why nothing was."""
    from gradviz.export.errors import ExportError

    try:
        text = write(what)
    except ExportError as error:
        return str(error)
    QGuiApplication.clipboard().setText(text)
    name = " ".join(what.display.name.split())
    return _tr("{name} is copied.").format(name=name)


def save(what: Copyable, path: Path) -> str:
    """Writes the tensor as ``.npy``; returns a sentence on what was done.

    Raises:
        ExportError: If not all elements were kept.
        OSError: If the file cannot be written.
    """
    from gradviz.export.tensor_npy import write_npy

    record = what.display.record
    dtype = write_npy(path, record, what.display.value)
    text = _tr("{name} is written to {path}.")
    if dtype != record.dtype:
        text = _tr("{name} is written to {path} as {dtype}, since NumPy has no {own}.")
    name = " ".join(what.display.name.split())
    return text.format(name=name, path=path, dtype=dtype, own=record.dtype)


def _tr(text: str) -> str:
    return QCoreApplication.translate("TensorCopies", text)
