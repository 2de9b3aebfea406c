"""What a line set, such as ``grad_input = 2×2 [[3 12] [3 12]]``, and the box that shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QTextBlock, QTextDocument
from PySide6.QtWidgets import QPlainTextDocumentLayout

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.numbers import exact_number, number_text
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.model.inside import ExecutedLine
from gradviz.model.item import Item
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.text.phrases import record_shape_text
from gradviz.text.sentences.values import is_array
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.translation import translate

MOST_NUMBERS = 24
"""Tensors with more elements are shown by their minimum and maximum."""

BETWEEN = ",  "
"""Separator between two changes made by one line."""

_MOST_TEXT = 120

ReadElements = Callable[[int], TensorValue | None]
"""Returns the stored elements of a tensor, or None if they were not stored."""


def item_text(index: TraceIndex, item: Item, elements: ReadElements) -> str:
    """Return a value as text: a scalar in full, a small tensor with its numbers."""
    record = None
    if item.tensor is not None and item.tensor in index.tensor:
        record = index.tensor[item.tensor]
    if record is None:
        return _cut(item.text or "None")
    if record.count == 1 and not record.shape and record.content == "whole":
        value = elements(record.id)
        if value is not None:
            return exact_number(value.array()[()])
    text = " ".join(
        part for part in (record_shape_text(record), _numbers(record, elements)) if part
    )
    return translate("Source", "{text} (NumPy)").format(text=text) if is_array(item) else text


def line_values(
    index: TraceIndex, line: ExecutedLine, returned: Sequence[Item], elements: ReadElements
) -> tuple[str, ...]:
    """Return everything that a line set, deleted and returned, each as text.

    Args:
        index: The trace.
        line: The line.
        returned: What it returned, as `returned_values` finds it.
        elements: Returns the elements of small tensors.
    """
    parts = [
        translate("Source", "{name} = {value}").format(
            name=item.name, value=item_text(index, item, elements)
        )
        for item in line.changes
    ]
    parts += [translate("Source", "{name} deleted").format(name=name) for name in line.removed]
    if returned:
        value = BETWEEN.join(item_text(index, each, elements) for each in returned)
        parts.append(translate("Source", "returns {value}").format(value=value))
    return tuple(parts)


def _numbers(record: TensorRecord, elements: ReadElements) -> str:
    numbers = record.statistics
    if record.count == 0:
        return translate("Source", "empty")
    if record.content == "whole" and record.count <= MOST_NUMBERS:
        value = elements(record.id)
        if value is not None:
            return _nested(value.array())
    if numbers is None or numbers.minimum is None or numbers.maximum is None:
        return ""
    if record.dtype.startswith("complex"):
        return ""
    low, high = (_as_kind(record, each) for each in (numbers.minimum, numbers.maximum))
    if low == high and numbers.all_finite:
        return translate("Source", "all {value}").format(value=number_text(low))
    text = translate("Source", "from {low} to {high}").format(
        low=number_text(low), high=number_text(high)
    )
    return (
        text
        if numbers.all_finite
        else translate("Source", "{text}, with NaN or Inf").format(text=text)
    )


def _as_kind(record: TensorRecord, value: float) -> object:
    return bool(value) if record.dtype == "bool" else value


def _nested(array: np.ndarray[Any, Any]) -> str:
    if array.ndim == 0:
        return number_text(array[()])
    return "[" + " ".join(_nested(each) for each in array) + "]"


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MOST_TEXT else line[:_MOST_TEXT] + "…"


MOST_ROWS = 3
"""Maximum number of rows in a box."""

_HANGING = "  "
_EDGE, _PAD, _GAP = 4, 5, 2
"""Space at the right of the box, inside its border, and above and below it; unscaled pixels."""


class GapLayout(QPlainTextDocumentLayout):
    """Lays out plain text with an empty space below one line.

    The space belongs to no line of the text, so it is neither selected nor copied. What it does
    not take of the reserved height lies below the last line, so that the text always has the same
    height and does not jump.
    """

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._line, self._height, self._reserved = 0, 0.0, 0.0

    def set_gap(self, line: int, height: float, reserved: float) -> bool:
        """Move the space below a line, numbered from 1; return whether that changed anything.

        Args:
            line: The line; 0 for no space.
            height: Height of the space in pixels.
            reserved: Maximum height of the space.
        """
        if (line, height, reserved) == (self._line, self._height, self._reserved):
            return False
        self._line, self._height, self._reserved = line, height, reserved
        # The view adapts its scroll bars to a document whose size has changed.
        self.documentSizeChanged.emit(self.documentSize())
        return True

    def gap_below(self, line: int) -> float:
        """Return the height of the space below a line."""
        return self._height if line == self._line else 0.0

    def blockBoundingRect(self, block: QTextBlock) -> QRectF:
        """Return the box of a line together with the space below it."""
        box, below = self.line_and_space(block)
        return box.adjusted(0, 0, 0, below) if below else box

    def line_and_space(self, block: QTextBlock) -> tuple[QRectF, float]:
        """Return the box of a line alone, and the height of the space below it."""
        below = self.gap_below(block.blockNumber() + 1)
        if not block.next().isValid():
            below += self._reserved - self._height
        return super().blockBoundingRect(block), below


def box_height(rows: int, theme: Theme) -> float:
    """Return the height of a box with some rows and of the space around it, in pixels."""
    line = QFontMetricsF(theme.font(SMALL_PIXELS, mono=True)).height()
    return rows * line + theme.px(_PAD) + 2 * theme.px(_GAP) if rows else 0.0


def box_place(space: QRectF, left: float, theme: Theme) -> QRectF:
    """Return the border of a box, which starts below the code of its line.

    Args:
        space: The space below the line.
        left: Where the line's code starts, in pixels.
        theme: Its scale factor applies.
    """
    gap = theme.px(_GAP)
    return space.adjusted(left, gap, -theme.px(_EDGE), -gap)


def columns_in(width: float, theme: Theme) -> int:
    """Return how many characters fit into a row of a box of some width."""
    wide = QFontMetricsF(theme.font(SMALL_PIXELS, mono=True)).horizontalAdvance("0")
    return max(8, int((width - 2 * theme.px(_PAD)) / wide))


def wrap_values(values: Sequence[str], columns: int, most: int = MOST_ROWS) -> tuple[str, ...]:
    """Return values as rows: one per value, and more for long ones while there is space.

    Args:
        values: The texts, such as ``y = 2×2 [[1 2] [3 4]]``.
        columns: Number of characters in a row.
        most: Maximum number of rows; an ellipsis says that more does not fit.
    """
    shown = list(values)
    if len(shown) > most:
        shown[most - 1 :] = [BETWEEN.join(shown[most - 1 :])]
    rows: list[str] = []
    for at, value in enumerate(shown):
        space = most - len(rows) - (len(shown) - at - 1)
        rest = value
        while len(rest) > columns and space > 1:
            end = _break(rest, columns)
            rows.append(rest[:end])
            rest = _HANGING + rest[end:].lstrip()
            space -= 1
        rows.append(rest if len(rest) <= columns else f"{rest[: columns - 1]}…")
    return tuple(rows)


def _break(text: str, columns: int) -> int:
    """Return where a row ends: after a row of a matrix if that is not too short."""
    after_row = text.rfind("] ", columns // 2, columns + 1) + 1
    if after_row:
        return after_row
    space = text.rfind(" ", len(_HANGING) + 1, columns + 1)
    return columns if space < 0 else space


def paint_box(
    painter: QPainter, place: QRectF, rows: Sequence[str], theme: Theme, border: PaletteRole
) -> None:
    """Paint a box; the name in front of a value stands out.

    Args:
        painter: A painter on the view's viewport.
        place: The border, from `box_place`.
        rows: The rows, from `wrap_values`.
        theme: Colors and fonts.
        border: Color of the border and of the names.
    """
    color = theme.color(border)
    painter.setPen(QPen(color, theme.px(1)))
    painter.setBrush(theme.color("panel"))
    painter.drawRoundedRect(place, theme.px(3), theme.px(3))
    plain, strong = (theme.font(SMALL_PIXELS, mono=True, bold=bold) for bold in (False, True))
    metrics = QFontMetricsF(plain)
    pad = theme.px(_PAD)
    base = place.top() + pad / 2 + metrics.ascent()
    for row in rows:
        name, equals, value = row.partition(" = ")
        named = bool(equals) and name.isidentifier()
        x = place.left() + pad
        if named:
            painter.setFont(strong)
            painter.setPen(color)
            painter.drawText(QPointF(x, base), name)
            x += metrics.horizontalAdvance(name)
        painter.setFont(plain)
        painter.setPen(theme.color("error" if border == "error" else "text"))
        painter.drawText(QPointF(x, base), equals + value if named else row)
        base += metrics.height()
