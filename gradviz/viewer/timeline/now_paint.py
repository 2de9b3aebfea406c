"""Paints the current position: a step, or a whole phase."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from gradviz.model.phases import Phase
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.timeline.measures import Measures
from gradviz.viewer.timeline.track import Scale, faint


def paint_step_now(
    painter: QPainter, x: float, theme: Theme, heights: Measures, *, smaller: bool = False
) -> None:
    """Mark a position in the row; a smaller marker leaves space for the ticks below it."""
    now = theme.colour("status_now")
    painter.setPen(QPen(now, theme.px(2)))
    top, bottom = heights.label - theme.px(3), heights.label + heights.band + theme.px(3)
    painter.drawLine(QLineF(x, top, x, bottom))
    radius = min(theme.px(7), heights.band * 0.38)
    middle = heights.middle
    if smaller:
        radius, middle = radius * 0.7, heights.label + heights.band * 0.34
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(faint(now, 0.3))
    painter.drawEllipse(QPointF(x, middle), radius * 1.57, radius * 1.57)
    painter.setPen(QPen(theme.colour("panel"), 1.5 * theme.scale))
    painter.setBrush(now)
    painter.drawEllipse(QPointF(x, middle), radius, radius)


def paint_phase_now(
    painter: QPainter, phase: Phase, scale: Scale, theme: Theme, heights: Measures
) -> None:
    """Outline a phase from its first step to its last."""
    left = max(scale.x_of(phase.first - 0.5), 0.0)
    right = min(scale.x_of(phase.last + 0.5), scale.width)
    thick = theme.px(3)
    band = QRectF(left, heights.label, right - left, heights.band)
    now = theme.colour("status_now")
    painter.setPen(QPen(now, thick))
    painter.setBrush(faint(now, 0.12))
    inner = band.adjusted(thick, thick / 2, -thick, -thick / 2)
    painter.drawRoundedRect(inner, theme.px(5), theme.px(5))
