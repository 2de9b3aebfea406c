"""A plot of the error at one element against eps, on logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QSizePolicy

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.model.diagnosis import ErrorCurve
from gradviz.viewer.jacobians.report.curve_text import best_of, described
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.plain_text import plain_tooltip
from gradviz.viewer.widgets.themed_plot import ThemedPlot, decade_ticks

_HEIGHT, _LEFT, _BOTTOM = 190, 42, 38
_MOST_TICKS = 5
_LEAST_DECADES = 2.0


class EpsCurve(ThemedPlot):
    """Draws one `ErrorCurve`, with the slopes that rounding and truncation would cause."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, left=_LEFT, bottom=_BOTTOM)
        self._curve: ErrorCurve | None = None
        self._used = 0.0
        self._allowed: float | None = None
        self._low, self._high = QPointF(-12, -12), QPointF(0, 0)
        self.showGrid(x=True, y=True, alpha=0.25)
        self.setLabel("bottom", self.tr("eps"))
        # It has no commands, and screen readers get its numbers from the description.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Plot: error vs. eps"))

    def show_curve(self, curve: ErrorCurve, used: float, allowed: float | None) -> None:
        """Show another curve.

        Args:
            curve: The curve.
            used: The step of the check.
            allowed: Tolerance at this element; None if not known.
        """
        self._curve, self._used, self._allowed = curve, used, allowed
        across = _logs((*curve.steps, used))
        up = _logs((*curve.errors, *curve.one_sided, *curve.floors, allowed or math.nan))
        # If every error is 0 or not finite, there are no points, and any range will do.
        if not up:
            up = [-16.0, 0.0]
        spare = max(0.0, _LEAST_DECADES - (max(up) - min(up))) / 2
        self._low = QPointF(min(across) - 0.4, min(up) - 0.4 - spare)
        self._high = QPointF(max(across) + 0.4, max(up) + 0.4 + spare)
        text = described(curve, used, allowed)
        self.setAccessibleDescription(text)
        self.setToolTip(plain_tooltip(text))
        self._draw(curve)

    def place_of(self, step: float, error: float) -> QPointF:
        """Position of a point in pixels."""
        return self.position_of(math.log10(step), math.log10(error))

    def update_theme(self) -> None:
        """Repaint in another theme."""
        super().update_theme()
        if self._curve is not None:
            self._draw(self._curve)

    def _pen(
        self, role: PaletteRole, width: float, style: Qt.PenStyle = Qt.PenStyle.SolidLine
    ) -> QPen:
        pen: QPen = pg.mkPen(self._theme.color(role), width=width * self._theme.scale, style=style)
        return pen

    def _draw(self, curve: ErrorCurve) -> None:
        low, high = self._low, self._high
        self.clear()
        self.setXRange(low.x(), high.x(), padding=0)
        self.setYRange(low.y(), high.y(), padding=0)
        for side, first, last in (("bottom", low.x(), high.x()), ("left", low.y(), high.y())):
            self.set_ticks(side, decade_ticks(math.ceil(first), math.floor(last), _MOST_TICKS))
        self._draw_guides(curve)
        dashed = Qt.PenStyle.DashLine
        if self._allowed is not None:
            self._add_line(math.log10(self._allowed), 0, self._pen("error", 1.2, dashed))
        self._add_line(math.log10(self._used), 90, self._pen("accent", 1.4, dashed))
        floors = self._pen("backward", 1.2, Qt.PenStyle.DashDotLine)
        self._draw_points(_points(curve.steps, curve.floors), floors)
        self._draw_curve(curve.steps, curve.one_sided, "forward", "s")
        self._draw_curve(curve.steps, curve.errors, "text", "o")
        best = best_of(curve)
        if best is not None:
            ring = {"symbolBrush": None, "symbolPen": self._pen("ok", 2)}
            self._draw_points(_points(best[:1], best[1:]), None, symbol="o", symbolSize=12, **ring)

    def _draw_guides(self, curve: ErrorCurve) -> None:
        """Draw guides with the slope of rounding errors (−1) and of truncation errors (2)."""
        known = _points(curve.steps, curve.errors)
        rounding = _points(curve.steps, curve.floors) or known
        pen = self._pen("text_muted", 1, Qt.PenStyle.DotLine)
        # The names stand next to the guides, where the curve rarely is.
        to_the_right = self._low.x() + 0.7 * (self._high.x() - self._low.x())
        for x, y in rounding[:1]:
            end = self._high.x()
            self._draw_points([(x, y), (end, y - (end - x))], pen)
            self._add_text(self.tr("slope −1"), (to_the_right, y - (to_the_right - x)), (0, 1))
        for x, y in known[-1:]:
            end = self._low.x()
            self._draw_points([(end, y + 2 * (end - x)), (x, y)], pen)
            self._add_text(self.tr("slope 2"), (x - 1, y - 2), (1, 0.5))

    def _draw_curve(
        self, steps: Sequence[float], values: Sequence[float], role: PaletteRole, symbol: str
    ) -> None:
        self._draw_points(
            _points(steps, values),
            self._pen(role, 1.6),
            symbol=symbol,
            symbolSize=self._theme.px(6),
            symbolBrush=self._theme.color(role),
            symbolPen=None,
        )

    def _draw_points(
        self, points: Sequence[tuple[float, float]], pen: QPen | None, **options: object
    ) -> None:
        if points:
            across, up = zip(*points, strict=True)
            self.plot(across, up, pen=pen, antialias=True, **options)

    def _add_line(self, position: float, angle: int, pen: QPen) -> None:
        self.addItem(pg.InfiniteLine(position, angle, pen), ignoreBounds=True)

    def _add_text(self, text: str, at: tuple[float, float], anchor: tuple[float, float]) -> None:
        item = pg.TextItem(text, self._theme.color("text_muted"), anchor=anchor)
        item.setFont(self.tick_font)
        item.setPos(*at)
        self.addItem(item, ignoreBounds=True)

    def sizeHint(self) -> QSize:
        """Fixed height; the width is flexible."""
        return QSize(200, self._theme.px(_HEIGHT))


def _points(steps: Sequence[float], values: Sequence[float]) -> list[tuple[float, float]]:
    """Decimal logarithms of the points that a logarithmic axis can show."""
    return [
        (math.log10(step), math.log10(value))
        for step, value in zip(steps, values, strict=True)
        if 0 < value < math.inf and step > 0
    ]


def _logs(values: Sequence[float]) -> list[float]:
    return [math.log10(value) for value in values if 0 < value < math.inf]
