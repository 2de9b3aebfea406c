"""A histogram plot: bars in the colors of their values, non-finite values apart."""

from __future__ import annotations

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QSizePolicy

from gradviz.analysis.values.histogram import Histogram
from gradviz.catalogue.language import format_count
from gradviz.catalogue.numbers import number_text
from gradviz.drawing.appearance.color_map import colors_of_values
from gradviz.drawing.cells.cell_marks import NON_FINITE, NonFiniteRole
from gradviz.drawing.cells.layout import NON_FINITE_TEXTS, ink_on
from gradviz.viewer.local_keys import LARGE_TENSOR_KEYS, pressed
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.translation import plural
from gradviz.viewer.widgets.focus_ring import FocusRing

_SIDES = {"left": 58, "bottom": 24}
"""Width of the vertical axis and height of the horizontal one, in unscaled pixels."""

_LABEL_OVERHANG = 60
"""Pixels by which the labels of the ends may extend beyond the axis."""

_FEWEST_BARS = 6
"""Number of bars that fill the width; fewer leave a part of it empty."""

_NON_FINITE_SHARE = 0.13
"""Width of the column of one kind of non-finite value, as a share of the bars' width."""

_LEAST_SHARE = 0.015
"""Height of the smallest bar: one element among millions must stay visible."""

_SYMBOLS: dict[NonFiniteRole, str] = {
    "nan": "x",
    "positive_infinity": "t1",
    "negative_infinity": "t",
}


_Tick = tuple[float, str]
"""Position and label of a tick."""


class HistogramView(pg.PlotWidget):  # type: ignore[misc]
    """Shows one `Histogram`; the mouse or the Left and Right keys select a bar.

    The mouse can neither move nor zoom it. The horizontal axis counts bars, as the edges of large
    values would overflow Qt's coordinates.

    Attributes:
        histogram: The histogram that is shown; None before the first one.

    Signals:
        bar_changed: Number of the bar under the cursor, or None.
        copy_requested: Copying the tensor was requested.
    """

    bar_changed = Signal(object)
    copy_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.histogram: Histogram | None = None
        self._limit = 0.0
        self._logarithmic = False
        self._bar: int | None = None
        self._marked: float | None = None
        self._cursor = pg.BarGraphItem(x0=[0], width=1, height=[0], brush=None)
        item = self.getPlotItem()
        item.hideButtons()
        item.setMenuEnabled(False)
        item.setContentsMargins(0, 8, 36, 0)
        self.setMouseEnabled(x=False, y=False)
        for side in _SIDES:
            axis = self.getAxis(side)
            axis.enableAutoSIPrefix(False)
            axis.setStyle(tickLength=3, autoExpandTextSpace=False)
        self.getAxis("bottom").setStyle(hideOverlappingLabels=_LABEL_OVERHANG)
        FocusRing(self)
        self.update_theme()
        self.viewport().setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)

    def show_histogram(self, histogram: Histogram, limit: float, name: str) -> None:
        """Show another histogram.

        Args:
            histogram: The counts.
            limit: Colors go from ``-limit`` to ``limit``.
            name: Name of the tensor.
        """
        self.histogram, self._limit, self._bar = histogram, limit, None
        self.setAccessibleName(self.tr("Histogram of {name}").format(name=name))
        self.setAccessibleDescription(self.tr("Left and Right: move from bar to bar."))
        self._draw()

    def set_logarithmic(self, logarithmic: bool) -> None:
        """Choose a logarithmic or a linear scale for the bar heights."""
        self._logarithmic = logarithmic
        self._draw()

    def mark_value(self, value: float | None) -> None:
        """Mark the value of the pinned element; None removes the mark."""
        self._marked = value
        self._draw()

    def choose(self, bar: int | None) -> None:
        """Move the cursor to a bar, or remove it."""
        if bar != self._bar:
            self._bar = bar
            self.bar_changed.emit(bar)
            self._show_cursor()

    def bar_text(self, bar: int) -> str:
        """What a bar counts: ``from 0.5 to 0.75: 12 elements``."""
        shown = self.histogram
        if shown is None:
            return ""
        count = shown.counts[bar]
        low, high = shown.edges[bar], shown.edges[bar + 1]
        number = format_count(count)
        if shown.whole:
            text = plural.tr("{value}: {count} element(s)", "", count)
            return text.format(value=number_text(round((low + high) / 2)), count=number)
        text = plural.tr("from {low} to {high}: {count} element(s)", "", count)
        return text.format(low=number_text(low), high=number_text(high), count=number)

    def update_theme(self) -> None:
        """Repaint with another theme."""
        self.setBackground(self._theme.color("panel"))
        for side, pixels in _SIDES.items():
            axis = self.getAxis(side)
            axis.setStyle(tickFont=self._tick_font)
            axis.label.setFont(self._theme.font(SMALL_PIXELS))
            (axis.setWidth if side == "left" else axis.setHeight)(self._theme.px(pixels))
            axis.setPen(self._theme.color("border_strong"))
            axis.setTextPen(self._theme.color("text_muted"))
        self._draw()

    @property
    def _tick_font(self) -> QFont:
        return self._theme.font(SMALL_PIXELS - 1)

    def position_of(self, x: float, y: float) -> QPointF:
        """Position of a point of the axes in the viewport, in pixels."""
        scene = self.getViewBox().mapViewToScene(QPointF(x, y))
        return QPointF(self.viewportTransform().map(scene))

    def bar_at(self, place: QPointF) -> int | None:
        """The bar at a horizontal position, whatever the bar's height; None beside the bars."""
        count = len(self.histogram.counts) if self.histogram is not None else 0
        scene = self.viewportTransform().inverted()[0].map(place)
        bar = math.floor(self.getViewBox().mapSceneToView(scene).x())
        return bar if 0 <= bar < count else None

    def _height(self, count: int) -> float:
        # Plus 1, so that an empty bar has a height of 0 and a single element is above it.
        return math.log10(1 + count) if self._logarithmic else float(count)

    def _position(self, value: float) -> float | None:
        """Horizontal position of a value; None beyond the bars."""
        shown = self.histogram
        if shown is None or shown.bin_of(value) is None:
            return None
        share = (value - shown.edges[0]) / (shown.edges[-1] - shown.edges[0])
        return share * len(shown.counts)

    def _draw(self) -> None:
        shown = self.histogram
        if shown is None:
            return
        self.clear()
        highest = max(shown.counts, default=1)
        top = self._height(highest)
        self.setYRange(0, top * 1.08, padding=0)
        self.getAxis("left").setTicks([self._count_ticks(highest)])
        ticks = self._draw_bars(shown, top) if shown.counts else []
        width = max(len(shown.counts), _FEWEST_BARS)
        column = width * _NON_FINITE_SHARE
        end = float(len(shown.counts))
        for role, count in _non_finite(shown):
            end += column
            self._draw_non_finite(end, top, role, count)
            ticks.append((end, NON_FINITE_TEXTS[role]))
        self.setXRange(0, max(end + column / 4, width), padding=0)
        self.getAxis("bottom").setTicks([ticks])
        self._show_cursor()

    def _draw_bars(self, shown: Histogram, top: float) -> list[_Tick]:
        """Draw the bars, zero and the mark; return the ticks of the finite values."""
        edges = np.array(shown.edges)
        # Halved before the addition, as the sum of two large edges could overflow.
        centers = edges[:-1] / 2 + edges[1:] / 2
        colors = colors_of_values(centers, self._limit or 1.0, self._theme.name)
        bars = pg.BarGraphItem(
            x0=range(len(shown.counts)),
            width=1,
            height=[
                max(self._height(each), top * _LEAST_SHARE * bool(each)) for each in shown.counts
            ],
            brushes=[QColor(*color) for color in colors.tolist()],
            pen=pg.mkPen(self._theme.color("border_strong")),
        )
        self.addItem(bars)
        last = len(shown.counts)
        ticks = [(0.0, number_text(shown.edges[0])), (float(last), number_text(shown.edges[-1]))]
        zero = self._position(0.0)
        if zero is not None and 0 < zero < last:
            pen = pg.mkPen(self._theme.color("border_strong"), style=Qt.PenStyle.DashLine)
            self.addItem(pg.InfiniteLine(zero, 90, pen))
            # Nearer to an end, the label would run into that of the end.
            if 0.15 < zero / last < 0.85:
                ticks.insert(1, (zero, "0"))
        marked = self._position(self._marked) if self._marked is not None else None
        if marked is not None:
            arrow = pg.ArrowItem(
                angle=-90,
                headLen=self._theme.px(12),
                tipAngle=60,
                pen=pg.mkPen(self._theme.color("panel")),
                brush=self._theme.color("text"),
            )
            arrow.setPos(marked, 0)
            self.addItem(arrow)
        return ticks

    def _draw_non_finite(self, x: float, top: float, role: NonFiniteRole, count: int) -> None:
        """Draw a box with the mark of a kind of non-finite value, its count above."""
        ground, y = self._theme.color(role), top * 0.3
        ink = QColor(ink_on(ground.name()))
        for symbol, size, color in (("s", 26, ground), (_SYMBOLS[role], 14, ink)):
            marker = pg.ScatterPlotItem(
                [x], [y], symbol=symbol, size=self._theme.px(size), brush=color, pen=None
            )
            self.addItem(marker)
        # The anchor lifts the text by its own height, to above the box.
        text = pg.TextItem(format_count(count), self._theme.color("text"), anchor=(0.5, 1.8))
        text.setFont(self._tick_font)
        text.setPos(x, y)
        self.addItem(text)

    def _count_ticks(self, highest: int) -> list[_Tick]:
        """A few whole counts for the vertical axis."""
        if self._logarithmic:
            counts = [0, *(10**digits for digits in range(len(str(highest))))]
            counts = counts[:: math.ceil(len(counts) / 6)]
        else:
            unit = 10 ** (len(str(highest)) - 1)
            steps = (unit // 5, unit // 2, unit, 2 * unit)
            counts = list(
                range(0, highest + 1, next(each for each in steps if 5 * each >= highest))
            )
        return [(self._height(count), format_count(count)) for count in counts]

    def _show_cursor(self) -> None:
        """Frame the chosen bar over the whole height."""
        if self.histogram is None:
            return
        # `clear` removes all items, this one included.
        if self._cursor.scene() is None:
            self.addItem(self._cursor)
        self._cursor.setVisible(self._bar is not None)
        if self._bar is not None:
            height = self._height(max(self.histogram.counts)) * 1.08
            pen = pg.mkPen(self._theme.color("focus"), width=2)
            self._cursor.setOpts(x0=[self._bar], height=[height], pen=pen)

    def sizeHint(self) -> QSize:
        """Preferred size."""
        return QSize(self._theme.px(420), self._theme.px(240))

    def minimumSizeHint(self) -> QSize:
        """Smallest useful size."""
        return QSize(120, self._theme.px(90))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Select the bar under the mouse."""
        self.choose(self.bar_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        """Clear the selection."""
        self.choose(None)
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move from bar to bar with Left and Right; copy with the copy key."""
        shown = self.histogram
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is not None and shown is not None and shown.counts:
            last = len(shown.counts) - 1
            start = 0 if self._bar is None else max(0, min(self._bar + step, last))
            self.choose(start)
        elif pressed(LARGE_TENSOR_KEYS, event) == "copy":
            self.copy_requested.emit()
        else:
            event.ignore()


def _non_finite(shown: Histogram) -> list[tuple[NonFiniteRole, int]]:
    counts = shown.nans, shown.positive_infinities, shown.negative_infinities
    return [each for each in zip(NON_FINITE, counts, strict=True) if each[1]]
