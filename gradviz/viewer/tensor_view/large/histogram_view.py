"""A histogram widget: bars in the colors of their values, non-finite values apart."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.analysis.values.histogram import Histogram
from gradviz.catalogue.messages import format_count
from gradviz.drawing.appearance.color_map import colors_of_values
from gradviz.viewer.local_keys import pressed
from gradviz.viewer.tensor_view.number_text import short_number
from gradviz.viewer.tensor_view.value_marks import NAN, NEGATIVE, POSITIVE, ValueMark, paint_mark
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.translation import plural
from gradviz.viewer.widgets.focus_ring import FocusRing

_PAD = 12
_ODD_WIDTH = 46
_BIN_MOST = 90


class HistogramView(QWidget):
    """Shows one `Histogram`; the mouse or the Left and Right keys select a bar.

    Signals:
        bar_changed: Number of the bar under the cursor, or None.
        copy_requested: Copying the tensor was requested.
    """

    bar_changed = Signal(object)
    copy_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._histogram: Histogram | None = None
        self._limit = 0.0
        self._logarithmic = False
        self._bar: int | None = None
        self._marked: float | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        FocusRing(self)

    @property
    def histogram(self) -> Histogram | None:
        """The histogram that is shown; None before the first one."""
        return self._histogram

    def show_histogram(self, histogram: Histogram, limit: float, name: str) -> None:
        """Show another histogram.

        Args:
            histogram: The counts.
            limit: Colors go from ``-limit`` to ``limit``.
            name: Name of the tensor.
        """
        self._histogram, self._limit, self._bar = histogram, limit, None
        self.setAccessibleName(self.tr("Histogram of {name}").format(name=name))
        self.setAccessibleDescription(self.tr("Left and Right: move from bar to bar."))
        self.update()

    def set_logarithmic(self, logarithmic: bool) -> None:
        """Choose a logarithmic or a linear scale for the bar heights."""
        self._logarithmic = logarithmic
        self.update()

    def mark_value(self, value: float | None) -> None:
        """Mark the value of the pinned element; None removes the mark."""
        self._marked = value
        self.update()

    def choose(self, bar: int | None) -> None:
        """Move the cursor to a bar, or remove it."""
        if bar != self._bar:
            self._bar = bar
            self.bar_changed.emit(bar)
            self.update()

    def bar_text(self, bar: int) -> str:
        """What a bar counts: ``from 0.5 to 0.75: 12 elements``."""
        shown = self._histogram
        if shown is None:
            return ""
        count = shown.counts[bar]
        low, high = shown.edges[bar], shown.edges[bar + 1]
        number = format_count(count)
        if shown.whole:
            text = plural.tr("{value}: {count} element(s)", "", count)
            return text.format(value=short_number(round((low + high) / 2)), count=number)
        text = plural.tr("from {low} to {high}: {count} element(s)", "", count)
        return text.format(low=short_number(low), high=short_number(high), count=number)

    def set_theme(self, theme: Theme) -> None:
        """Repaint with another theme."""
        self._theme = theme
        self.update()

    def bar_rect(self, bar: int) -> QRectF:
        """Rectangle of a bar in the widget."""
        area, shown = self._area(), self._histogram
        if shown is None or not shown.counts:
            return QRectF()
        width = area.width() / len(shown.counts)
        part = self._height(shown.counts[bar]) / max(1e-9, self._height(max(shown.counts)))
        height = area.height() * part
        return QRectF(area.left() + bar * width, area.bottom() - height, width, height)

    def bar_at(self, place: QPointF) -> int | None:
        """The bar at a horizontal position, whatever the bar's height; None beside the bars."""
        area, shown = self._area(), self._histogram
        if shown is None or not shown.counts or not area.left() <= place.x() < area.right():
            return None
        return int((place.x() - area.left()) / area.width() * len(shown.counts))

    def _height(self, count: int) -> float:
        return math.log10(1 + count) if self._logarithmic else float(count)

    def _line(self) -> int:
        return self._theme.px(SMALL_PIXELS * 1.5)

    def _odd(self) -> list[tuple[ValueMark, int]]:
        shown = self._histogram
        if shown is None:
            return []
        counts = (
            (NAN, shown.nans),
            (POSITIVE, shown.positive_infinities),
            (NEGATIVE, shown.negative_infinities),
        )
        return [each for each in counts if each[1]]

    def _area(self) -> QRectF:
        """Rectangle of the bars of finite values."""
        odd = len(self._odd()) * self._theme.px(_ODD_WIDTH)
        shown = self._histogram
        room = self.width() - 2 * _PAD - odd
        most = len(shown.counts) * self._theme.px(_BIN_MOST) if shown is not None else room
        line = self._line()
        width = max(1, min(room, most))
        return QRectF(_PAD, line + 4, width, max(1, self.height() - 2 * line - 10))

    def sizeHint(self) -> QSize:
        """Preferred size."""
        return QSize(self._theme.px(420), self._theme.px(240))

    def minimumSizeHint(self) -> QSize:
        """Smallest useful size."""
        return QSize(120, self._theme.px(90))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the bars, the axis, the mark and the counts of non-finite values."""
        if self._histogram is None:
            return
        painter = QPainter(self)
        painter.setFont(self._theme.font(SMALL_PIXELS))
        if self._histogram.counts:
            self._paint_bars(painter)
            self._paint_axis(painter)
            self._paint_marked(painter)
        self._paint_non_finite(painter)
        painter.end()

    def _paint_bars(self, painter: QPainter) -> None:
        shown = self._histogram
        if shown is None:
            return
        edges = np.array(shown.edges)
        middles = edges[:-1] / 2 + edges[1:] / 2
        limit = self._limit or 1.0
        for bar, color in enumerate(colors_of_values(middles, limit).tolist()):
            rect = self.bar_rect(bar)
            if shown.counts[bar]:
                # A bar of one element among millions must stay visible.
                rect.setTop(min(rect.top(), rect.bottom() - 2))
            painter.setPen(QPen(self._theme.color("border_strong"), 1))
            painter.setBrush(QColor(*color))
            if shown.counts[bar]:
                painter.drawRect(rect.adjusted(0.5, 0.5, -0.5, -0.5))
        if self._bar is not None:
            self._paint_chosen(painter, self._bar)

    def _paint_chosen(self, painter: QPainter, bar: int) -> None:
        rect, area = self.bar_rect(bar), self._area()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self._theme.color("focus"), 2))
        painter.drawRect(QRectF(rect.left(), area.top(), rect.width(), area.height()))

    def _paint_axis(self, painter: QPainter) -> None:
        """Paint the base line with its end values and zero, and the largest count above."""
        shown, area, line = self._histogram, self._area(), self._line()
        if shown is None:
            return
        painter.setPen(self._theme.color("text_muted"))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        below = QRectF(area.left(), area.bottom() + 3, area.width(), line)
        low, high = shown.edges[0], shown.edges[-1]
        left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
        ends = short_number(low), short_number(high)
        painter.drawText(below, left, ends[0])
        painter.drawText(below, right, ends[1])
        if low < 0 < high:
            x = area.left() + area.width() * (-low / (high - low))
            used = [painter.fontMetrics().horizontalAdvance(end) + 12 for end in ends]
            if area.left() + used[0] < x < area.right() - used[1]:
                middle = QRectF(x - 20, below.top(), 40, line)
                painter.drawText(middle, Qt.AlignmentFlag.AlignHCenter, "0")
            painter.setPen(QPen(self._theme.color("border_strong"), 1, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        painter.setPen(self._theme.color("text_muted"))
        text = self.tr("highest bar: {count}").format(count=format_count(max(shown.counts)))
        above = QRectF(area.left(), 0, max(area.width(), self.width() - 2 * _PAD), line)
        painter.drawText(above, left, text)

    def _paint_marked(self, painter: QPainter) -> None:
        """Paint a wedge on the base line at the value of the pinned element."""
        shown, area = self._histogram, self._area()
        if shown is None or self._marked is None or shown.bin_of(self._marked) is None:
            return
        span = shown.edges[-1] - shown.edges[0]
        x = area.left() + area.width() * (self._marked - shown.edges[0]) / span
        side, y = self._theme.px(6), area.bottom()
        painter.setPen(QPen(self._theme.color("panel"), 1))
        painter.setBrush(self._theme.color("text"))
        corners = [QPointF(x, y - side), QPointF(x - side, y + side), QPointF(x + side, y + side)]
        painter.drawPolygon(QPolygonF(corners))

    def _paint_non_finite(self, painter: QPainter) -> None:
        """Paint a box per kind of non-finite value, its count above and its name below."""
        area, line, width = self._area(), self._line(), self._theme.px(_ODD_WIDTH)
        for place, (mark, count) in enumerate(self._odd()):
            column = QRectF(area.right() + place * width + 8, area.top(), width - 8, area.height())
            box = QRectF(0, 0, min(column.width(), 28), 28)
            box.moveCenter(column.center())
            box.moveBottom(column.bottom())
            paint_mark(painter, box, mark, self._theme)
            painter.setPen(self._theme.color("text"))
            above = QRectF(column.left() - 4, box.top() - line, column.width() + 8, line)
            painter.drawText(above, Qt.AlignmentFlag.AlignCenter, format_count(count))
            below = QRectF(column.left() - 4, column.bottom() + 3, column.width() + 8, line)
            painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, mark.text)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Select the bar under the mouse."""
        self.choose(self.bar_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        """Clear the selection."""
        self.choose(None)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move from bar to bar with Left and Right; copy with the copy key."""
        shown = self._histogram
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is not None and shown is not None and shown.counts:
            last = len(shown.counts) - 1
            start = 0 if self._bar is None else max(0, min(self._bar + step, last))
            self.choose(start)
        elif pressed("large", event) == "copy":
            self.copy_requested.emit()
        else:
            event.ignore()
