"""A value in Presenter Mode: its name and shape, and its numbers in large cells."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gradviz.analysis.arithmetic.element_arithmetic import ElementMark
from gradviz.catalogue.language import format_count
from gradviz.drawing.appearance.color_map import own_color_limit
from gradviz.drawing.cells.cell_grid import CellGrid, grid_in
from gradviz.drawing.cells.cell_numbers import MOST_NUMBERS
from gradviz.drawing.cells.thumbnail import MOST_CELLS, NUMBER_SIZE
from gradviz.model.tensor import NUMPY_DTYPES, TensorRecord, TensorValue
from gradviz.text.line_breaks import wrap
from gradviz.text.phrases import record_shape_text
from gradviz.viewer.arithmetic.element_frames import paint_frames
from gradviz.viewer.presenter.value_layout import PartLook
from gradviz.viewer.tensor_view.cell_painter import (
    paint_thumbnail,
    qt_rect,
    rect_of,
    thumbnail_size,
)
from gradviz.viewer.tensor_view.hidden_tensor import paint_hidden
from gradviz.viewer.tensor_view.tensor_text import sampling_line, spoken
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.plain_text import plain_tooltip

NAME_PIXELS, KIND_PIXELS = 12, 11

_HIDDEN = (44, 28)
_GAP, _BETWEEN = 1, 5
_CHANGE_WIDTH = 84
_COLORED, _LEAST_COLORED = 96.0, 24.0
"""Sides of a grid of cells without numbers: at most, before scaling by the theme, and at least."""

_UNLIMITED = QSizeF(1e6, 1e6)


class PresenterTensor(QWidget):
    """Shows a tensor, a text for other values, or a question mark.

    A tensor with more than two dimensions is shown as slices side by side.

    Signals:
        element_picked: Index of the element that was clicked.
    """

    element_picked = Signal(object)

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._name = " ".join(name.split())
        self._kind = self._change = ""
        self._tensor: int | None = None
        self._slices: tuple[TensorValue, ...] = ()
        self._leading: tuple[int, ...] = ()
        self._steps: tuple[int, ...] = ()
        self._limit = 0.0
        self._hidden = False
        self._framed: tuple[ElementMark, ...] = ()
        self._look = PartLook(cell=KIND_PIXELS, most=QSize(10_000, 10_000))
        self.setAccessibleName(self._name)

    @property
    def name(self) -> str:
        """The name of the value."""
        return self._name

    @property
    def tensor(self) -> int | None:
        """Number of the tensor in the trace; None for other values."""
        return self._tensor

    @property
    def limit(self) -> float:
        """End of the color scale."""
        return self._limit

    @property
    def hidden(self) -> bool:
        """Whether Quiz Mode hides the value."""
        return self._hidden

    @property
    def is_brief(self) -> bool:
        """Whether only the name and the shape are shown."""
        return self._look.brief

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts above the cells."""
        texts = (self._change,) if self._change else (self._name, self._kind)
        return tuple(text for text in texts if text)

    @property
    def continues(self) -> bool:
        """Whether it was computed from the value in front of it."""
        return bool(self._change)

    def show_tensor(
        self,
        record: TensorRecord,
        value: TensorValue | None,
        *details: str,
        limit: float | None = None,
    ) -> None:
        """Show a tensor of the trace, with its elements if they were stored.

        Args:
            record: The tensor.
            value: Its stored elements.
            details: Texts after the shape.
            limit: End of a color scale that it shares with others; its own if None.
        """
        parts = [record_shape_text(record), *details]
        if record.content == "preview":
            parts.append(self.tr("sampled"))
        self._kind = " · ".join(parts)
        self._forget_sizes()
        self._tensor = record.id
        if value is not None and record.count:
            self._slices = _slices_of(value)
            self._limit = own_color_limit(value.array()) if limit is None else limit
            self._leading = value.shape[:-2]
            self._steps = record.kept_steps or (1,) * len(value.shape)
        self.setToolTip(plain_tooltip(sampling_line(record)))
        self.setAccessibleName(spoken(self._name, record))

    def show_change(self, text: str) -> None:
        """Say how it was computed from the value in front of it, instead of name and shape."""
        self._change = " ".join(text.split())
        self._forget_sizes()
        self.setAccessibleDescription(self._change)

    def show_text(self, text: str) -> None:
        """Show a value that has no elements."""
        self._kind = " ".join(text.split())
        self._forget_sizes()
        self.setAccessibleName(f"{self._name}: {self._kind}")

    def hide_value(self) -> None:
        """Show only the name."""
        self._hidden = True
        self._forget_sizes()
        self.setAccessibleName(self.tr("{name}: hidden until revealed").format(name=self._name))

    @property
    def framed(self) -> tuple[ElementMark, ...]:
        """The framed elements whose cells are shown."""
        return tuple(mark for mark in self._framed if not self._cell_of(mark.element).isEmpty())

    def frame_elements(self, marks: Iterable[ElementMark]) -> None:
        """Frame elements that take part in an arithmetic."""
        self._framed = tuple(marks)
        self.update()

    def set_look(self, look: PartLook) -> None:
        """Change the size of the cells, and whether there are any."""
        if look != self._look:
            self._look = look
            self._forget_sizes()

    def _forget_sizes(self) -> None:
        """Measure again when asked, and only then: a layout asks for each size several times."""
        for name in ("_lines", "_slice_boxes", "_size_hint"):
            vars(self).pop(name, None)
        self.update()

    def cell_rect(self, *index: int) -> QRectF:
        """Return the rectangle of an element, in pixels of this widget; empty if not shown.

        Args:
            index: The position of a kept element, one number for each dimension.
        """
        at = 0
        for place, size in zip(index[:-2], self._leading, strict=True):
            at = at * size + place
        grids = self._grids()
        return qt_rect(grids[at].rect(*(0, 0, *index)[-2:])) if at < len(grids) else QRectF()

    def _grids(self) -> list[CellGrid]:
        """Where the cells of each visible slice are; none if an element has no cell."""
        boxes = self._slice_boxes
        shape = _plane_shape(self._slices[0]) if boxes else (0, 0)
        return [] if max(shape) > MOST_CELLS else [grid_in(rect_of(box), shape) for box in boxes]

    def _cell_of(self, element: tuple[int, ...]) -> QRectF:
        """Return the rectangle of an element; empty if a preview or the space leaves it out."""
        places = [divmod(at, step) for at, step in zip(element, self._steps, strict=True)]
        if any(rest for _, rest in places):
            return QRectF()
        return self.cell_rect(*[at for at, _ in places])

    def _element_at(self, place: QPointF) -> tuple[int, ...] | None:
        """Return the index of the element at a position in the widget; None beside the cells."""
        for at, grid in enumerate(self._grids()):
            cell = grid.at(place.x(), place.y())
            if cell is not None:
                leading = [int(each) for each in np.unravel_index(at, self._leading or (1,))]
                kept = (*leading[: len(self._leading)], *cell)[-len(self._steps) :]
                kept = kept if self._steps else ()
                return tuple([each * step for each, step in zip(kept, self._steps, strict=True)])
        return None

    @cached_property
    def _lines(self) -> tuple[tuple[str, ...], ...]:
        """Return the texts of each line; those that are too long for one line get several."""
        if self._change:
            wide = round(max((size.width() for size in self._sizes()), default=0))
            # About two lines.
            half = round(0.6 * self._advance((self._change,)))
            width = max(wide, self._theme.px(_CHANGE_WIDTH), half)
            width = min(width, self._look.most.width())
            lines = wrap(self._change, width, lambda line: self._advance((line,)))
            return tuple((line,) for line in lines)
        if self._advance(self.texts) <= self._look.most.width():
            return (self.texts,)
        return tuple((text,) for text in self.texts)

    def _sizes(self) -> list[QSizeF]:
        return [self._slice_size()] if self._slices and not self._look.brief else []

    def _advance(self, texts: tuple[str, ...]) -> int:
        widths = (QFontMetrics(self._font(text)).horizontalAdvance(text) for text in texts)
        return sum(widths) + self._theme.px(_BETWEEN) * (len(texts) - 1) + 2

    def _font(self, text: str) -> QFont:
        bold = text is self._name
        return self._theme.font(NAME_PIXELS if bold else KIND_PIXELS, bold=bold)

    @cached_property
    def _line_height(self) -> int:
        return QFontMetrics(self._theme.font(NAME_PIXELS, bold=True)).height()

    def _factor(self) -> float:
        return self._theme.px(self._look.cell) / NUMBER_SIZE

    def _slice_size(self) -> QSizeF:
        """Return the size of one slice: with numbers if they fit, else a small one."""
        value, factor = self._slices[0], self._factor()
        size = self._numbers_size()
        if size is not None:
            return size
        side = self._theme.px(_COLORED)
        high = max(_LEAST_COLORED, min(side, self._cells_height()))
        return thumbnail_size(value, QSizeF(side, high) / factor) * factor

    @property
    def has_numbers(self) -> bool:
        """Whether the cells have numbers, or a smaller font would not bring any."""
        if not self._slices:
            return True
        rows, columns = _plane_shape(self._slices[0])
        is_small = rows * columns <= MOST_NUMBERS and max(rows, columns) <= MOST_CELLS
        return not is_small or self._numbers_size() is not None

    @property
    def is_only_colored(self) -> bool:
        """Whether its elements are shown, but none of their numbers."""
        shown = self._slices and not self._hidden and not self.is_brief
        return bool(shown) and self._numbers_size() is None

    def _numbers_size(self) -> QSizeF | None:
        """Return the size of one slice with numbers; None if they do not fit."""
        rows, columns = _plane_shape(self._slices[0])
        if rows * columns > MOST_NUMBERS or max(rows, columns) > MOST_CELLS:
            return None
        sizes = [thumbnail_size(each, _UNLIMITED) * self._factor() for each in self._slices]
        width, height = max(s.width() for s in sizes), max(s.height() for s in sizes)
        fits = width <= self._look.most.width() - 2 and height <= self._cells_height()
        return QSizeF(width, height) if fits else None

    def _cells_height(self) -> int:
        """Return the height for the cells of a slice."""
        # Lines of text above the cells, and the one below that counts the slices.
        texts = 1 + 2 * bool(self._change) + (len(self._slices) > 1)
        return self._look.most.height() - texts * self._line_height - self._theme.px(_GAP) - 1

    @cached_property
    def _slice_boxes(self) -> list[QRectF]:
        """Return the rectangle of each slice that is shown, row by row."""
        if not self._slices or self._look.brief:
            return []
        top = self._line_height * len(self._lines) + self._theme.px(_GAP)
        size, gap = self._slice_size(), self._theme.px(_BETWEEN)
        width, height = self._look.most.width() - 2, self._look.most.height() - top
        across = max(1, int((width + gap) / (size.width() + gap)))
        down = max(1, int((height + gap) / (size.height() + gap)))
        if across * down < len(self._slices):
            # A line below says how many there are.
            below = height - self._line_height
            down = max(1, int((below + gap) / (size.height() + gap)))
        return [
            QRectF(
                1 + at % across * (size.width() + gap),
                top + at // across * (size.height() + gap),
                size.width(),
                size.height(),
            )
            for at in range(min(len(self._slices), across * down))
        ]

    def _count_line(self) -> str:
        """Return how many slices are shown if there are more."""
        shown = len(self._slice_boxes)
        if not shown or shown == len(self._slices):
            return ""
        text = self.tr("first {shown} of {count} slices")
        return text.format(shown=shown, count=format_count(len(self._slices)))

    def sizeHint(self) -> QSize:
        """Return the size of the texts and the cells."""
        return QSize(self._size_hint)

    @cached_property
    def _size_hint(self) -> QSize:
        width = max(self._advance(line) for line in self._lines)
        height = self._line_height * len(self._lines)
        boxes = self._slice_boxes
        if self._hidden and not self._look.brief:
            wide, high = (self._theme.px(side) for side in _HIDDEN)
            boxes = [QRectF(1, height + self._theme.px(_GAP), wide, high)]
        for box in boxes:
            width, height = max(width, round(box.right())), max(height, round(box.bottom()))
        height += self._line_height * bool(self._count_line())
        return QSize(min(width, self._look.most.width()) + 1, height + 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the texts and the cells below them."""
        theme, top = self._theme, 0.0
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for line in self._lines:
            self._paint_line(painter, line, top)
            top += self._line_height
        if self._hidden and not self._look.brief:
            size = QSizeF(*(theme.px(side) for side in _HIDDEN))
            paint_hidden(painter, QRectF(QPointF(1, top + theme.px(_GAP)), size), theme)
        for box, value in zip(self._slice_boxes, self._slices, strict=False):
            self._paint_cells(painter, box, value)
        cells = [(self._cell_of(mark.element), mark) for mark in self._framed if self._slices]
        paint_frames(painter, [each for each in cells if not each[0].isEmpty()], theme)
        if self._count_line():
            place = self.height() - self._line_height
            self._paint_line(painter, (self._count_line(),), place)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Pick the element under the mouse."""
        element = self._element_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and element is not None:
            self.element_picked.emit(element)
        else:
            super().mousePressEvent(event)

    def _paint_line(self, painter: QPainter, texts: tuple[str, ...], top: float) -> None:
        theme, x = self._theme, 0.0
        base = top + QFontMetrics(theme.font(NAME_PIXELS, bold=True)).ascent()
        for text in texts:
            painter.setFont(self._font(text))
            painter.setPen(theme.color("text" if text is self._name else "text_muted"))
            metrics = painter.fontMetrics()
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, round(self.width() - x))
            painter.drawText(QPointF(x, base), shown)
            x += metrics.horizontalAdvance(shown) + theme.px(_BETWEEN)

    def _paint_cells(self, painter: QPainter, box: QRectF, value: TensorValue) -> None:
        factor = self._factor()
        painter.save()
        painter.translate(box.topLeft())
        painter.scale(factor, factor)
        place = QRectF(QPointF(0, 0), box.size() / factor)
        paint_thumbnail(painter, place, value, self._theme, self._limit)
        painter.restore()


def _slices_of(value: TensorValue) -> tuple[TensorValue, ...]:
    """Return a tensor's planes along its last two dimensions, in order."""
    if len(value.shape) < 3:
        return (value,)
    array = value.array()
    dtype = value.dtype if value.dtype in NUMPY_DTYPES else "float32"
    planes = array.reshape(-1, *array.shape[-2:])
    return tuple(
        TensorValue(dtype=dtype, shape=plane.shape, data=plane.tobytes()) for plane in planes
    )


def _plane_shape(value: TensorValue) -> tuple[int, int]:
    rows, columns = (1, 1, *value.shape)[-2:]
    return rows, columns
