"""The marks at the steps: prints, breakpoints, differences, findings, errors, and where one is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF

from gradviz.analysis.index.phases import RunPhase
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.values.non_finite_tensors import NonFiniteTensor
from gradviz.catalogue.language import format_count
from gradviz.model.columns import IntColumn
from gradviz.model.step import ErrorStep
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.timeline.timeline_track import TimelineScale, faint
from gradviz.viewer.timeline.visible_span import TimelineMetrics
from gradviz.viewer.translation import plural, translate

MarkKind = Literal["print", "breakpoint", "differs", "finding", "error", "not finite", "isolated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineMark:
    """One mark at a step.

    Attributes:
        number: The step number.
        kind: What is marked.
        text: A one-line description.
        since: The step from which it is known to be of this kind, not only isolated; None if it
            always was.
        severe: Whether it is a finding of an error.
    """

    number: int
    kind: MarkKind
    text: str
    since: int | None = None
    severe: bool = False


def marks_of(index: TraceIndex) -> tuple[TimelineMark, ...]:
    """Return the marks that need no tensor values, in step order."""
    marks = [_print(number, texts) for number, texts in index.printed.items()]
    marks += [
        TimelineMark(
            number=finding.step,
            kind="finding",
            text=finding.message,
            severe=finding.severity == "error",
        )
        for finding in index.trace.findings
        if finding.step is not None and finding.severity != "info"
    ]
    for step in index.trace.steps[-1:]:
        if isinstance(step, ErrorStep):
            text = translate("Timeline", "The run ended with {name}").format(name=step.exception)
            marks.append(TimelineMark(number=step.number, kind="error", text=text))
    return tuple(sorted(marks, key=lambda mark: mark.number))


def marks_of_values(found: Iterable[NonFiniteTensor]) -> tuple[TimelineMark, ...]:
    """Return a mark for each step in which NaN or Inf appears.

    It is only ``isolated`` if no root, no gradient of a leaf and no parameter has it.
    """
    steps: dict[int, list[NonFiniteTensor]] = defaultdict(list)
    for each in found:
        steps[each.step].append(each)
    marks = []
    for number, tensors in steps.items():
        reached = [each.reaches for each in tensors if each.reaches is not None]
        marks.append(
            TimelineMark(
                number=number,
                kind="not finite" if reached else "isolated",
                text="\n".join(map(_not_finite, tensors)),
                since=min(reached, default=None),
            )
        )
    return tuple(marks)


def mark_of_breakpoint(number: int) -> TimelineMark:
    """Return the breakpoint mark of a single step, created only when needed."""
    return TimelineMark(
        number=number, kind="breakpoint", text=translate("Timeline", "A breakpoint is hit here")
    )


def marks_of_differences(steps: Iterable[int]) -> tuple[TimelineMark, ...]:
    """Return a mark for each step that differs from the original run."""
    text = translate("Timeline", "differs from the original run")
    return tuple(TimelineMark(number=number, kind="differs", text=text) for number in steps)


def _print(number: int, texts: Iterable[object]) -> TimelineMark:
    lines = sum(getattr(text, "text", "").count("\n") for text in texts)
    text = plural.tr("prints %Ln line(s)", "", max(lines, 1))
    return TimelineMark(number=number, kind="print", text=text)


def _not_finite(found: NonFiniteTensor) -> str:
    counted = found.nans is not None and found.infinities is not None
    if found.infinities == 0:
        text = (
            translate("Timeline", "{name} has {nans} NaN")
            if counted
            else translate("Timeline", "{name} has NaN")
        )
    elif found.nans == 0:
        text = (
            translate("Timeline", "{name} has {infinities} Inf")
            if counted
            else translate("Timeline", "{name} has Inf")
        )
    elif counted:
        text = translate("Timeline", "{name} has {nans} NaN and {infinities} Inf")
    else:
        text = translate("Timeline", "{name} has NaN and Inf")
    return text.format(
        name=found.name,
        nans=format_count(found.nans or 0),
        infinities=format_count(found.infinities or 0),
    )


def paint_step_now(painter: QPainter, x: float, theme: Theme, heights: TimelineMetrics) -> None:
    """Mark a position in the row."""
    now = theme.color("status_now")
    painter.setPen(QPen(now, theme.px(2)))
    top, bottom = heights.label - theme.px(3), heights.label + heights.band + theme.px(3)
    painter.drawLine(QLineF(x, top, x, bottom))
    radius = min(theme.px(7), heights.band * 0.38)
    middle = heights.middle
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
