"""Short summaries of arguments for the folded rows of the form, aligned in columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QFontMetricsF

from gradviz.viewer.inputs.draft import Draft, shape_of
from gradviz.viewer.inputs.parse import shape_text
from gradviz.viewer.inputs.reading import requires_grad

GAP = 8
"""Pixels between two columns at scale 1."""


def pieces_of(draft: Draft) -> tuple[str, ...]:
    """Shape, dtype, fill and gradient of a tensor; a single text for any other argument."""
    if draft.kind == "none":
        return ("None",)
    if draft.kind == "object":
        return (" ".join(draft.text.split()),)
    shape = shape_of(draft)
    fill = draft.fill
    parameters = ", ".join(draft.parameters)
    return (
        draft.shape if shape is None else shape_text(shape) or _tr("scalar"),
        draft.dtype,
        f"{fill}({parameters})" if parameters else fill,
        _tr("grad") if requires_grad(draft) else "",
    )


def sentence_of(draft: Draft) -> str:
    """The summary as a sentence for screen readers."""
    pieces = pieces_of(draft)
    if draft.kind != "tensor":
        return pieces[0]
    said = (
        _tr("shape {0}, {1}, {2}, requires grad")
        if requires_grad(draft)
        else _tr("shape {0}, {1}, {2}, does not require grad")
    )
    return said.format(*pieces[:3])


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Column layout of all summaries.

    Attributes:
        widths: Widths of the columns, in pixels.
        beside: Whether the columns are beside the name, or else in a line below it.
    """

    widths: tuple[int, ...] = ()
    beside: bool = True


def columns_for(
    rows: Sequence[tuple[str, ...]],
    names: Sequence[int],
    metrics: QFontMetricsF,
    room: int,
    gap: int,
) -> Columns:
    """Fit columns to all rows, beside the names if there is enough space.

    Args:
        rows: The summary of each row.
        names: Width of each name.
        metrics: Font metrics of the summaries.
        room: Available width for names and summaries.
        gap: Space between columns.
    """
    tensors = [row for row in rows if len(row) > 1]
    widths = tuple(
        ceil(max(metrics.horizontalAdvance(row[at]) for row in tensors))
        for at in range(len(tensors[0]) if tensors else 0)
    )
    needed = sum(widths) + gap * len(widths) + max(names, default=0)
    return Columns(widths=widths, beside=needed <= room)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Inputs", text)
