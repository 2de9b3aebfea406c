"""One argument in a few words, as the folded rows of the form show it, in columns."""

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
    """Shape, dtype, fill and gradient of a tensor; one piece for everything else."""
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
    """The same for a screen reader."""
    pieces = pieces_of(draft)
    if draft.kind != "tensor":
        return pieces[0]
    said = (
        _tr("shape {0}, {1}, {2}, requires a gradient")
        if requires_grad(draft)
        else _tr("shape {0}, {1}, {2}, requires no gradient")
    )
    return said.format(*pieces[:3])


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Where the pieces of all rows stand.

    Attributes:
        widths: Of the columns, in pixels.
        beside: Whether they stand beside the name; else in a line below it.
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
    """Columns in which all rows fit, beside the names if they do.

    Args:
        rows: The pieces of each row.
        names: Width of each name.
        metrics: Of the pieces' font.
        room: Width for names and pieces together.
        gap: Between columns.
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
