"""Paints the marks below the steps; each kind has its own shape and color."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from gradviz.analysis.index.phases import RunPhase
from gradviz.model.columns import IntColumn
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.timeline.timeline_marks import MarkKind, TimelineMark
from gradviz.viewer.timeline.timeline_metrics import TimelineMetrics
from gradviz.viewer.timeline.timeline_track import TimelineScale, faint


def paint_step_now(
    painter: QPainter, x: float, theme: Theme, heights: TimelineMetrics, *, smaller: bool = False
) -> None:
    """Mark a position in the row; a smaller marker leaves space for the ticks below it."""
    now = theme.color("status_now")
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
    painter.setPen(QPen(theme.color("panel"), 1.5 * theme.scale))
    painter.setBrush(now)
    painter.drawEllipse(QPointF(x, middle), radius, radius)


def paint_phase_now(
    painter: QPainter, phase: RunPhase, scale: TimelineScale, theme: Theme, heights: TimelineMetrics
) -> None:
    """Outline a phase from its first step to its last."""
    left = max(scale.x_of(phase.first - 0.5), 0.0)
    right = min(scale.x_of(phase.last + 0.5), scale.width)
    thick = theme.px(3)
    band = QRectF(left, heights.label, right - left, heights.band)
    now = theme.color("status_now")
    painter.setPen(QPen(now, thick))
    painter.setBrush(faint(now, 0.12))
    inner = band.adjusted(thick, thick / 2, -thick, -thick / 2)
    painter.drawRoundedRect(inner, theme.px(5), theme.px(5))


_ORDER: tuple[MarkKind, ...] = (
    *("print", "isolated", "breakpoint", "differs", "finding", "not finite", "error"),
)
"""Least important first; of several marks at one place, the last is painted on top."""

_UNITS = 14
"""Height of the mark row, in drawing units."""


def paint_marks(
    painter: QPainter,
    marks: Iterable[TimelineMark],
    breakpoints: IntColumn,
    scale: TimelineScale,
    theme: Theme,
    heights: TimelineMetrics,
) -> None:
    """Paint the most important mark of each pixel column.

    Args:
        painter: Paints on the timeline.
        marks: All marks except those of breakpoints.
        breakpoints: The steps that hit a breakpoint, ascending.
        scale: Maps steps to pixels.
        theme: Colors.
        heights: Heights of the timeline's parts.
    """
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    first, last = scale.numbers()
    places: dict[int, int] = {}
    for mark in marks:
        if first <= mark.number <= last:
            x = round(scale.x_of(mark.number))
            places[x] = max(places.get(x, 0), _ORDER.index(mark.kind))
    begin, end = np.searchsorted(breakpoints, (first, last + 1))
    columns = np.rint(scale.xs_of(breakpoints[begin:end])).astype(np.int64)
    for x in columns[np.diff(columns, prepend=-1) != 0].tolist():
        places[x] = max(places.get(x, 0), _ORDER.index("breakpoint"))
    for x, rank in sorted(places.items(), key=lambda place: place[1]):
        _paint(painter, _ORDER[rank], float(x), theme, heights)


def _paint(
    painter: QPainter, kind: MarkKind, x: float, theme: Theme, heights: TimelineMetrics
) -> None:
    top, unit = heights.label + heights.band, heights.marks / _UNITS
    painter.setPen(Qt.PenStyle.NoPen)
    if kind == "print":
        # Two lines of text
        painter.setBrush(theme.color("text_muted"))
        painter.drawRect(QRectF(x - 3.5 * unit, top + 4 * unit, 7 * unit, 2 * unit))
        painter.drawRect(QRectF(x - 3.5 * unit, top + 8 * unit, 4.5 * unit, 2 * unit))
    elif kind == "breakpoint":
        # A disc, as in the graph and in the gutter
        painter.setBrush(theme.color("breakpoint"))
        painter.drawEllipse(QPointF(x, top + 8 * unit), 4 * unit, 4 * unit)
    elif kind == "differs":
        # A not-equal sign
        painter.setPen(QPen(theme.color("accent"), 1.8 * unit))
        for y in (6.5, 10.0):
            painter.drawLine(QLineF(x - 4 * unit, top + y * unit, x + 4 * unit, top + y * unit))
        painter.drawLine(QLineF(x - 2.5 * unit, top + 12.5 * unit, x + 2.5 * unit, top + 4 * unit))
    elif kind == "isolated":
        # A ring
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.color("text_muted"), 1.8 * unit))
        painter.drawEllipse(QPointF(x, top + 8 * unit), 3.5 * unit, 3.5 * unit)
    elif kind == "not finite":
        # A cross, as in tensor cells
        middle, arm = QPointF(x, top + 8 * unit), 4 * unit
        painter.setPen(QPen(theme.color("nan"), 2.4 * unit))
        for across in (QPointF(arm, arm), QPointF(arm, -arm)):
            painter.drawLine(QLineF(middle - across, middle + across))
    elif kind == "error":
        # A square with a bar, as on a sign that forbids to go on
        painter.setBrush(theme.color("error"))
        painter.drawRect(QRectF(x - 5 * unit, top + 3 * unit, 10 * unit, 10 * unit))
        painter.setBrush(theme.color("panel"))
        painter.drawRect(QRectF(x - 3 * unit, top + 7 * unit, 6 * unit, 2 * unit))
    else:
        # A triangle, as in the graph
        painter.setBrush(theme.color("warning"))
        corners = (
            (x, top + 3 * unit),
            (x + 6 * unit, top + 13 * unit),
            (x - 6 * unit, top + 13 * unit),
        )
        painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))
