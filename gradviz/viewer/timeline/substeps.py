"""Positions within the current step, as ticks on the timeline."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QPainter, QPen

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.navigation import position_at_number, position_number
from gradviz.analysis.position.trace_position import Level, TracePosition
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.timeline.timeline_track import faint
from gradviz.viewer.timeline.visible_span import TimelineMetrics

_PART = 0.65
"""Share of a step's width over which its ticks are spread."""

_LEAST = 4.0
"""Minimum distance between separate ticks, in pixels."""

_MOST = 16.0


@dataclass(frozen=True, slots=True)
class Substeps:
    """The places within the current step at the stepping level.

    Attributes:
        index: The trace.
        place: The current place.
        level: The stepping level.
        at: Position of the current place among them.
        count: Number of places.
    """

    index: TraceIndex
    place: TracePosition
    level: Level
    at: int
    count: int

    def x_of(self, at: int, middle: float, pitch: float) -> float:
        """Return the position of a tick, in pixels.

        Args:
            at: Its position among the ticks.
            middle: Center of the step, in pixels.
            pitch: Width of a step, in pixels.
        """
        return middle + (at - (self.count - 1) / 2) * self._gap(pitch)

    def _gap(self, pitch: float) -> float:
        return min(pitch * _PART / self.count, _MOST)

    def have_space(self, pitch: float) -> bool:
        """Return whether there is space for a tick per place."""
        return self.count > 1 and self._gap(pitch) >= _LEAST

    def place_at(self, x: float, middle: float, pitch: float) -> TracePosition | None:
        """Return the place whose tick is at ``x``; None if there is no tick."""
        if not self.have_space(pitch):
            return None
        at = round((x - middle) / self._gap(pitch) + (self.count - 1) / 2)
        if not 0 <= at < self.count:
            return None
        return position_at_number(self.index, self.place.step, self.level, at)

    def paint(
        self, painter: QPainter, middle: float, pitch: float, theme: Theme, heights: TimelineMetrics
    ) -> None:
        """Paint a tick per place, or a bar if they are too close."""
        gap = self._gap(pitch)
        left, right = self.x_of(0, middle, pitch), self.x_of(self.count - 1, middle, pitch)
        now = theme.color("status_now")
        painter.setPen(QPen(faint(now, 0.45), theme.px(3), Qt.PenStyle.SolidLine))
        y = heights.label + heights.band - theme.px(5)
        painter.drawLine(QLineF(left - gap / 2, y, right + gap / 2, y))
        if not self.have_space(pitch):
            return
        painter.setPen(QPen(now, theme.scale))
        radius = min(theme.px(3), gap / 2.6)
        for at in range(self.count):
            painter.setBrush(now if at <= self.at else theme.color("panel"))
            painter.drawEllipse(QPointF(self.x_of(at, middle, pitch), y), radius, radius)


def substeps_of(
    index: TraceIndex | None, place: TracePosition | None, level: Level
) -> Substeps | None:
    """Return the places within a step; None when stepping by passes or nodes."""
    if index is None or place is None or level in ("pass", "node"):
        return None
    at, count = position_number(index, place, level)
    return Substeps(index, place, level, at, count)
