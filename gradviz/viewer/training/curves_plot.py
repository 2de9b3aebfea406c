"""A plot of curves over training steps; a click on a point goes to its step."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from operator import attrgetter

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gradviz.analysis.training.training_curves import CurvePoint, TrainingCurve
from gradviz.catalogue.language import format_count
from gradviz.catalogue.numbers import number_text
from gradviz.drawing.appearance.palette import curve_color
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.plain_text import plain_tooltip
from gradviz.viewer.widgets.themed_plot import ThemedPlot, decade_ticks

SYMBOLS = ("o", "s", "t", "d", "t1", "p", "h", "star")
"""Markers that distinguish the curves without relying on color."""

_NEAR = 14.0
"""Pixels around a point within which the mouse hits it."""

_MOST_MARKS = 200
"""Maximum number of points of a curve that are drawn with markers."""

_MOST_DECADES = 6

_LEFT_PIXELS, _BOTTOM_PIXELS = 58, 36


class CurvesPlot(QObject):
    """Plots curves, with gaps at NaN and Inf and, on a logarithmic axis, at values up to 0.

    Signals:
        step_requested: Number of the run's step whose point was clicked.
    """

    step_requested = Signal(object)

    def __init__(self, theme: Theme, *, logarithmic: bool, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._logarithmic = logarithmic
        self.series: tuple[TrainingCurve, ...] = ()
        self._number = 0
        # Steps of all points in order, and the farthest position reached at each, so that a step
        # of the run costs the same however long the run is.
        self._steps: list[int] = []
        self._reached: list[float] = []
        self._titles = ("", "")
        self._plot = ThemedPlot(theme, left=_LEFT_PIXELS, bottom=_BOTTOM_PIXELS)
        self._item = self._plot.getPlotItem()
        self._view = self._item.getViewBox()
        self._now = pg.InfiniteLine(angle=90, movable=False)
        self._item.addItem(self._now, ignoreBounds=True)
        self._plot.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._plot.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self._plot.installEventFilter(self)
        self._plot.scene().sigMouseMoved.connect(self._on_scene_mouse_moved)
        self._plot.scene().sigMouseClicked.connect(self._on_scene_mouse_clicked)
        self.update_theme()

    @property
    def widget(self) -> QWidget:
        """The widget to add to a layout."""
        widget: QWidget = self._plot
        return widget

    @property
    def viewport(self) -> QWidget:
        """The child widget that receives mouse events."""
        viewport: QWidget = self._plot.viewport()
        return viewport

    @property
    def now(self) -> float | None:
        """Position of the current-step marker; None before the first point."""
        return float(self._now.value()) if self._now.isVisible() else None

    def show_series(
        self, series: Sequence[TrainingCurve], titles: tuple[str, str], described: str
    ) -> None:
        """Replace the curves.

        Args:
            series: The curves, in the order of the colors.
            titles: Titles of the vertical and of the horizontal axis.
            described: A description of the curves for screen readers.
        """
        self.series = tuple(series)
        points = sorted(self._points(), key=attrgetter("step"))
        self._steps = [point.step for point in points]
        self._reached = list(accumulate((point.at for point in points), max))
        self._titles = titles
        self._plot.setAccessibleName(titles[0])
        self._plot.setAccessibleDescription(described)
        self._draw()

    def show_number(self, number: int) -> None:
        """Move the marker to the current step of the run."""
        self._number = number
        past = bisect_right(self._steps, number)
        self._now.setVisible(past > 0)
        if past:
            self._now.setValue(self._reached[past - 1])

    def update_theme(self) -> None:
        """Repaint with another theme."""
        self._plot.setMinimumSize(self._theme.px(120), self._theme.px(60))
        pen = QPen(self._theme.color("accent"), 1.6 * self._theme.scale, Qt.PenStyle.DashLine)
        pen.setCosmetic(True)
        self._now.setPen(pen)
        self._draw()

    def close(self) -> None:
        """Release pyqtgraph's resources."""
        self._plot.removeEventFilter(self)
        self._plot.close()
        # No longer part of a window whose theme changes.
        self.setParent(None)

    @property
    def heights(self) -> tuple[tuple[float, ...], ...]:
        """The plotted values of each curve; NaN at gaps."""
        return tuple(
            tuple(point.value if self._is_drawn(point) else math.nan for point in series.points)
            for series in self.series
        )

    def place_of(self, point: CurvePoint) -> QPointF:
        """Return the position of a point in the viewport, in pixels."""
        return self._plot.position_of(point.at, self._height(point.value))

    def _draw(self) -> None:
        for curve in self._item.listDataItems():
            self._item.removeItem(curve)
        self._item.setLogMode(y=self._logarithmic)
        for position, (series, heights) in enumerate(zip(self.series, self.heights, strict=True)):
            self._draw_curve(position, series, heights)
        for side, title in zip(("left", "bottom"), self._titles, strict=True):
            self._plot.set_title(side, title)
        last = max((point.at for point in self._points()), default=1.0)
        step = max(1, math.ceil(last / 8))
        ticks = [(float(at), str(at)) for at in range(step, math.ceil(last) + 1, step)]
        self._plot.set_ticks("bottom", ticks)
        self._item.setXRange(0.5, last + 0.5, padding=0)
        drawn = [self._height(each.value) for each in self._points() if self._is_drawn(each)]
        if drawn:
            # The markers at the ends are drawn whole, even in a low plot.
            self._item.setYRange(min(drawn), max(drawn), padding=0.25)
        self._name_heights(drawn)
        self.show_number(self._number)

    def _name_heights(self, heights: Sequence[float]) -> None:
        """Set a few ticks on a logarithmic axis, as pyqtgraph would label nine per decade."""
        self._item.getAxis("left").setTicks(None)
        if not self._logarithmic or not heights:
            return
        low, high = min(heights), max(heights)
        first, last = math.floor(low), math.ceil(high)
        ticks = decade_ticks(first, last, _MOST_DECADES)
        if last - first <= 2:
            ticks += [
                (at + math.log10(part), number_text(part * 10.0**at))
                for at in range(first, last)
                for part in (2, 5)
            ]
            ticks = [(at, number_text(10.0**at)) for at, _ in ticks]
        self._plot.set_ticks("left", ticks)

    def _draw_curve(self, position: int, series: TrainingCurve, heights: Sequence[float]) -> None:
        color = QColor(curve_color(position, self._theme.name))
        if series.kind == "loss" and position == 0:
            color = self._theme.color("text")
        pen = pg.mkPen(color, width=1.8 * self._theme.scale)
        if not any(map(math.isfinite, heights)):
            return  # pyqtgraph computes the bounds of its data, which fails without finite values.
        points = series.points
        marked = len(points) <= _MOST_MARKS
        self._item.plot(
            [point.at for point in points],
            list(heights),
            pen=pen,
            connect="finite",
            symbol=SYMBOLS[position % len(SYMBOLS)] if marked else None,
            symbolSize=self._theme.px(7),
            symbolPen=pen,
            symbolBrush=color,
        )

    def _is_drawn(self, point: CurvePoint) -> bool:
        return math.isfinite(point.value) and (point.value > 0 or not self._logarithmic)

    def _height(self, value: float) -> float:
        return math.log10(value) if self._logarithmic else value

    def _points(self) -> list[CurvePoint]:
        return [point for series in self.series for point in series.points]

    def _near(self, scene_place: QPointF) -> tuple[TrainingCurve, CurvePoint] | None:
        """Return the series and point under the mouse, or None."""
        place = QPointF(self._plot.mapFromScene(scene_place))
        reach = _NEAR * self._theme.scale
        middle = self._view.mapSceneToView(scene_place).x()
        # Of thousands of points, measure only those near the mouse horizontally.
        half_range = abs(self._view.mapSceneToView(scene_place + QPointF(reach, 0)).x() - middle)
        found: tuple[float, TrainingCurve, CurvePoint] | None = None
        for series in self.series:
            for point in series.points:
                if abs(point.at - middle) <= half_range and self._is_drawn(point):
                    offset = self.place_of(point) - place
                    far = math.hypot(offset.x(), offset.y())
                    if far <= reach and (found is None or far < found[0]):
                        found = (far, series, point)
        return None if found is None else found[1:]

    def _on_scene_mouse_moved(self, place: QPointF) -> None:
        near = self._near(place)
        text = ""
        if near is not None:
            series, point = near
            text = self.tr("{name}: {value} (step {step} of the run)").format(
                name=series.name, value=number_text(point.value), step=format_count(point.step)
            )
        self._plot.viewport().setToolTip(plain_tooltip(text))
        self._plot.viewport().setCursor(
            Qt.CursorShape.PointingHandCursor if text else Qt.CursorShape.ArrowCursor
        )
        if not text:
            QToolTip.hideText()

    def _on_scene_mouse_clicked(self, event: object) -> None:
        place = getattr(event, "scenePos", QPointF)()
        near = self._near(place)
        if near is not None:
            self.step_requested.emit(near[1].step)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Go from point to point with the arrow keys, Home and End."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            target = self._target(Qt.Key(event.key()))
            if target is not None:
                self.step_requested.emit(target)
                return True
        # Not that of Qt, as the watched widget may be one that is being deleted.
        return False

    def _target(self, key: Qt.Key) -> int | None:
        """Return the step that a key leads to; None for other keys."""
        steps = sorted({point.step for point in self._points()})
        if not steps:
            return None
        if key == Qt.Key.Key_Right:
            return next((step for step in steps if step > self._number), steps[-1])
        if key == Qt.Key.Key_Left:
            return next((step for step in reversed(steps) if step < self._number), steps[0])
        return {Qt.Key.Key_Home: steps[0], Qt.Key.Key_End: steps[-1]}.get(key)
