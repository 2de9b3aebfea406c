"""A value in Presenter Mode: its name, its type, and cells with readable numbers."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.model.phrases import shape_text
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.tensor_view.describe import sampling_line, spoken
from gradviz.viewer.tensor_view.hidden import paint_hidden
from gradviz.viewer.tensor_view.thumbnail import NUMBER_PIXELS, paint_thumbnail, thumbnail_size
from gradviz.viewer.widgets.plain_text import plain_tooltip

NAME_PIXELS, KIND_PIXELS = 13, 12
CELL_PIXELS = 12
"""Height of the numbers in cells, before the theme's scale factor."""

_HIDDEN = (72, 52)
_GAP = 3
_WIDE, _LARGE = 200.0, 120.0
"""Maximum sides of cell grids with and without numbers, before the theme's scale factor."""

_NUMBERED = 64
"""Maximum number of elements for which numbers are shown."""


class RoomTensor(QWidget):
    """Shows a tensor, a text for other values, or a question mark."""

    def __init__(self, name: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._name = " ".join(name.split())
        self._kind = ""
        self._value: TensorValue | None = None
        self._hidden = False
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self._name)

    @property
    def name(self) -> str:
        """The name of the value."""
        return self._name

    @property
    def hidden(self) -> bool:
        """Whether Quiz Mode hides the value."""
        return self._hidden

    @property
    def texts(self) -> tuple[str, ...]:
        """The lines above the cells."""
        return tuple(text for text in (self._name, self._kind) if text)

    def show_tensor(self, record: TensorRecord, value: TensorValue | None) -> None:
        """Show a tensor of the trace, with its elements if they were stored."""
        parts = [shape_text(record.shape), record.dtype]
        note = sampling_line(record)
        if record.content == "preview":
            parts.append(self.tr("sampled"))
        self._kind = " · ".join(parts)
        self._value = value if record.count else None
        self.setToolTip(plain_tooltip(note))
        self.setAccessibleName(spoken(self._name, record))

    def show_text(self, text: str) -> None:
        """Show a value that has no elements."""
        self._kind = " ".join(text.split())
        self.setAccessibleName(f"{self._name}: {self._kind}")

    def hide_value(self) -> None:
        """Show only the name."""
        self._hidden = True
        self.setAccessibleName(self.tr("{name}: hidden until revealed").format(name=self._name))

    def _lines(self) -> list[tuple[str, int, bool]]:
        lines = [(self._name, NAME_PIXELS, True)]
        return [*lines, (self._kind, KIND_PIXELS, False)] if self._kind else lines

    def _cells(self) -> QSizeF:
        """Return the size of the cells, in pixels."""
        if self._hidden:
            return QSizeF(*(self._theme.px(side) for side in _HIDDEN))
        if self._value is None:
            return QSizeF(0, 0)
        factor = self._factor()
        side = _WIDE if math.prod(self._value.shape) <= _NUMBERED else _LARGE
        most = self._theme.px(side) / factor
        return thumbnail_size(self._value, QSizeF(most, most)) * factor

    def _factor(self) -> float:
        return self._theme.px(CELL_PIXELS) / NUMBER_PIXELS

    def sizeHint(self) -> QSize:
        """Return the size of the lines and the cells."""
        width, height = 0, 0
        for text, pixels, bold in self._lines():
            metrics = QFontMetrics(self._theme.font(pixels, bold=bold))
            width = max(width, metrics.horizontalAdvance(text))
            height += metrics.height()
        cells = self._cells()
        gap = self._theme.px(_GAP) if cells.height() else 0
        width = max(min(width, self._theme.px(_WIDE)), round(cells.width())) + 2
        return QSize(width, height + gap + round(cells.height()) + 2)

    def minimumSizeHint(self) -> QSize:
        """Return the size hint, as anything smaller is unreadable."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the lines and the cells below them."""
        theme, top = self._theme, 0.0
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for text, pixels, bold in self._lines():
            painter.setFont(theme.font(pixels, bold=bold))
            painter.setPen(theme.colour("text" if bold else "text_muted"))
            metrics = painter.fontMetrics()
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, self.width())
            painter.drawText(QRectF(0, top, self.width(), metrics.height()), shown)
            top += metrics.height()
        cells = QRectF(1, top + theme.px(_GAP), self._cells().width(), self._cells().height())
        if self._hidden:
            paint_hidden(painter, cells, theme)
        elif self._value is not None:
            self._paint_cells(painter, cells, self._value)
        painter.end()

    def _paint_cells(self, painter: QPainter, cells: QRectF, value: TensorValue) -> None:
        factor = self._factor()
        painter.translate(cells.topLeft())
        painter.scale(factor, factor)
        size = QSizeF(cells.width() / factor, cells.height() / factor)
        paint_thumbnail(painter, QRectF(0, 0, size.width(), size.height()), value, self._theme)
