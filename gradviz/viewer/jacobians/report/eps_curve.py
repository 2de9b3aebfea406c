"""A plot of the error at one element against eps, on logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.model.diagnosis import ErrorCurve
from gradviz.viewer.jacobians.report.curve_text import best_of, described
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.plain_text import plain_tooltip

_HEIGHT, _LEFT, _BOTTOM, _TOP, _RIGHT = 190, 42, 34, 8, 12
_MOST_TICKS = 5
_LEAST_DECADES = 2.0


class EpsCurve(QWidget):
    """Draws one `ErrorCurve`, with the slopes that rounding and truncation would cause."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._curve: ErrorCurve | None = None
        self._used = 0.0
        self._allowed: float | None = None
        self._low, self._high = QPointF(-12, -12), QPointF(0, 0)
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
        if not up:
            up = [-16.0, 0.0]
        spare = max(0.0, _LEAST_DECADES - (max(up) - min(up))) / 2
        self._low = QPointF(min(across) - 0.4, min(up) - 0.4 - spare)
        self._high = QPointF(max(across) + 0.4, max(up) + 0.4 + spare)
        text = described(curve, used, allowed)
        self.setAccessibleDescription(text)
        self.setToolTip(plain_tooltip(text))
        self.update()

    def place_of(self, step: float, error: float) -> QPointF:
        """Position of a point in pixels."""
        return self._at(math.log10(step), math.log10(error))

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        self._theme = theme
        self.setFont(theme.font(SMALL_PIXELS - 1))
        self.updateGeometry()
        self.update()

    def _box(self) -> QRectF:
        px = self._theme.px
        return QRectF(self.rect()).adjusted(px(_LEFT), px(_TOP), -px(_RIGHT), -px(_BOTTOM))

    def _at(self, across: float, up: float) -> QPointF:
        box, span = self._box(), self._high - self._low
        return QPointF(
            box.left() + (across - self._low.x()) / span.x() * box.width(),
            box.bottom() - (up - self._low.y()) / span.y() * box.height(),
        )

    def _pen(
        self, role: PaletteRole, width: float, style: Qt.PenStyle = Qt.PenStyle.SolidLine
    ) -> QPen:
        return QPen(self._theme.color(role), width * self._theme.scale, style)

    def _paint_axes(self, painter: QPainter) -> None:
        box, metrics = self._box(), QFontMetrics(self.font())
        painter.setPen(self._pen("border_strong", 1))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        painter.drawLine(box.bottomLeft(), box.topLeft())
        height = metrics.height()
        for decade in _ticks(self._low.x(), self._high.x()):
            x = self._at(decade, self._low.y()).x()
            painter.setPen(self._pen("border", 1))
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
            painter.setPen(self._theme.color("text_muted"))
            place = QRectF(x - 40, box.bottom() + 2, 80, height)
            painter.drawText(place, Qt.AlignmentFlag.AlignHCenter, f"1e{decade}")
        for decade in _ticks(self._low.y(), self._high.y()):
            y = self._at(self._low.x(), decade).y()
            painter.setPen(self._pen("border", 1))
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
            painter.setPen(self._theme.color("text_muted"))
            place = QRectF(0, y - height / 2, box.left() - 4, height)
            painter.drawText(place, Qt.AlignmentFlag.AlignRight, f"1e{decade}")
        place = QRectF(box.left(), box.bottom() + 2 + height, box.width(), height)
        painter.drawText(place, Qt.AlignmentFlag.AlignHCenter, self.tr("eps"))

    def _paint_guides(self, painter: QPainter, curve: ErrorCurve) -> None:
        """Paint guides with the slope of rounding errors (−1) and of truncation errors (2)."""
        known = _points(curve.steps, curve.errors)
        rounding = _points(curve.steps, curve.floors) or known
        anchors = (
            (rounding[:1], -1, self.tr("slope −1")),
            (known[-1:], 2, self.tr("slope 2")),
        )
        for anchor, slope, text in anchors:
            for step, error in anchor:
                x, y = math.log10(step), math.log10(error)
                far = self._high.x() if slope < 0 else self._low.x()
                start, end = self._at(x, y), self._at(far, y + slope * (far - x))
                painter.setPen(self._pen("text_muted", 1, Qt.PenStyle.DotLine))
                painter.drawLine(start, end)
                self._name_guide(painter, x, y, slope, text)

    def _name_guide(self, painter: QPainter, x: float, y: float, slope: int, text: str) -> None:
        """Write the slope next to its guide, where the curve rarely is."""
        width = QFontMetrics(self.font()).horizontalAdvance(text)
        if slope < 0:
            far = self._low.x() + 0.7 * (self._high.x() - self._low.x())
            place = self._at(far, y + slope * (far - x))
            painter.drawText(place + QPointF(4, -2), text)
        else:
            place = self._at(x - 1, y - slope)
            painter.drawText(place - QPointF(width + 6, -4), text)

    def _paint_lines(self, painter: QPainter) -> None:
        """Paint the tolerance and the step of the check."""
        box = self._box()
        if self._allowed is not None:
            y = self._at(0, math.log10(self._allowed)).y()
            painter.setPen(self._pen("error", 1.2, Qt.PenStyle.DashLine))
            painter.drawLine(QPointF(box.left(), y), QPointF(box.right(), y))
        x = self._at(math.log10(self._used), 0).x()
        painter.setPen(self._pen("accent", 1.4, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))

    def _paint_curve(
        self, painter: QPainter, steps: Sequence[float], values: Sequence[float], role: PaletteRole
    ) -> None:
        places = [self.place_of(*point) for point in _points(steps, values)]
        painter.setPen(self._pen(role, 1.6))
        painter.drawPolyline(places)
        painter.setBrush(self._theme.color(role))
        radius = 3 * self._theme.scale
        for place in places:
            paint_mark(painter, place, radius, is_round=role == "text")

    def sizeHint(self) -> QSize:
        """Fixed height; the width is flexible."""
        return QSize(200, self._theme.px(_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint axes, guides, limits, and curves."""
        curve = self._curve
        if curve is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_axes(painter)
        painter.setClipRect(self._box())
        self._paint_guides(painter, curve)
        self._paint_lines(painter)
        painter.setPen(self._pen("backward", 1.2, Qt.PenStyle.DashDotLine))
        floors = [self.place_of(*point) for point in _points(curve.steps, curve.floors)]
        painter.drawPolyline(floors)
        self._paint_curve(painter, curve.steps, curve.one_sided, "forward")
        self._paint_curve(painter, curve.steps, curve.errors, "text")
        best = best_of(curve)
        if best is not None and best[1] > 0:
            painter.setPen(self._pen("ok", 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            radius = 6 * self._theme.scale
            painter.drawEllipse(self.place_of(*best), radius, radius)
        painter.end()


def paint_mark(painter: QPainter, place: QPointF, radius: float, *, is_round: bool) -> None:
    """Paint a circle or a square at a point."""
    if is_round:
        painter.drawEllipse(place, radius, radius)
    else:
        side = QPointF(radius, radius)
        painter.drawRect(QRectF(place - side, place + side))


def _points(steps: Sequence[float], values: Sequence[float]) -> list[tuple[float, float]]:
    """Points that a logarithmic axis can show."""
    pairs = zip(steps, values, strict=True)
    return [(step, value) for step, value in pairs if 0 < value < math.inf and step > 0]


def _logs(values: Sequence[float]) -> list[float]:
    return [math.log10(value) for value in values if 0 < value < math.inf]


def _ticks(low: float, high: float) -> range:
    """Whole decades between two bounds, thinned out to stay legible."""
    first, last = math.ceil(low), math.floor(high)
    every = max(1, math.ceil((last - first + 1) / _MOST_TICKS))
    return range(first, last + 1, every)
