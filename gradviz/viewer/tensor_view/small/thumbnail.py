"""A tensor in few pixels: colors, numbers and marks of a heatmap without controls."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QFont, QPainter, QPen

from gradviz.catalogue.numbers import ROOM
from gradviz.drawing.appearance.color_map import current_color_map, own_color_limit
from gradviz.drawing.appearance.palette import ColorMapName
from gradviz.drawing.content.element_grid import CELL_ROOM
from gradviz.model.tensor import TensorValue
from gradviz.viewer.tensor_view.small.plane_cells import (
    CellNumbers,
    PlaneCells,
    cell_numbers_of,
    plane_cells_of,
)
from gradviz.viewer.tensor_view.tensor_plane import plane_of
from gradviz.viewer.theme.theme import Theme

MOST_CELLS = 64
"""Largest number of cells per side; a larger tensor is sampled."""

NUMBER_PIXELS = 9
"""Font size of the numbers, in units of the painter."""

_PADDING = 1.5


@dataclass(frozen=True, slots=True, eq=False)
class _Prepared:
    cells: PlaneCells
    texts: CellNumbers | None
    font: QFont


def thumbnail_size(value: TensorValue, most: QSizeF) -> QSizeF:
    """Best size of a tensor within ``most``: numbers fit, or else cells are square."""
    prepared = _prepared(value)
    rows, columns = prepared.cells.plane.heat.shape
    if rows == 0 or columns == 0:
        return QSizeF(0, 0)
    if prepared.texts is not None:
        width = max(14.0, prepared.texts.width + 6)
        height = prepared.texts.height + 2
        if columns * width <= most.width() and rows * height <= most.height():
            return QSizeF(columns * width, rows * height)
    side = min(most.width() / columns, most.height() / rows, 12.0)
    thinnest = min(8.0, most.width(), most.height())
    return QSizeF(max(columns * side, thinnest), max(rows * side, thinnest))


def paint_thumbnail(
    painter: QPainter, rect: QRectF, value: TensorValue, theme: Theme, limit: float | None = None
) -> None:
    """Paint a tensor into a rectangle, with its numbers if they fit.

    A tensor with more than two dimensions shows its first plane; an empty one shows a box with a
    diagonal line.

    Args:
        painter: The painter; its state is restored.
        rect: The rectangle to fill; `thumbnail_size` returns a suitable size.
        value: The kept elements.
        theme: Colors of lines and marks.
        limit: Colors go from ``-limit`` to ``limit``; by default the tensor's largest magnitude.
    """
    prepared = _prepared(value, limit)
    painter.save()
    if prepared.cells.plane.heat.size:
        painter.setFont(prepared.font)
        prepared.cells.paint(painter, rect, theme, prepared.texts)
    else:
        painter.setPen(QPen(theme.color("border_strong"), 1))
        painter.drawRect(rect)
        painter.drawLine(rect.bottomLeft(), QPointF(rect.right(), rect.top()))
    painter.restore()


def _prepared(value: TensorValue, limit: float | None = None) -> _Prepared:
    # The cache keeps its keys alive, so large values must stay out of it.
    return (_prepare_kept if len(value.data) <= 32768 else _prepare)(
        value, limit, current_color_map()
    )


def _prepare(value: TensorValue, limit: float | None, chosen: ColorMapName) -> _Prepared:
    array = value.array()
    places: list[Any] = [
        # Rounded up, so that no more than this many cells are left.
        slice(None, None, max(1, -(-size // MOST_CELLS)))
        for size in array.shape[-2:]
    ]
    sample = array[(..., *places)]
    shown = TensorValue(dtype=_plain(value), shape=sample.shape, data=sample.tobytes())
    plane = plane_of(shown)
    font = QFont(Theme(name="light").font(NUMBER_PIXELS))
    cells = plane_cells_of(plane, own_color_limit(array) if limit is None else limit)
    # A single number has as many digits as in sentences and in the graph's labels.
    digits = ROOM if array.size == 1 else CELL_ROOM
    return _Prepared(cells, cell_numbers_of(plane, font, digits, _PADDING), font)


def _plain(value: TensorValue) -> str:
    """The dtype of the value's array, since NumPy has neither bfloat16 nor float8."""
    return "float32" if value.dtype.startswith(("bfloat16", "float8")) else value.dtype


# The bytes object makes values fast to hash and compare, because Python caches its hash.
_prepare_kept = lru_cache(maxsize=256)(_prepare)
