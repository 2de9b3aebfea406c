"""The timeline's slider: drag to move through the steps, turn the wheel to zoom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QWheelEvent
from PySide6.QtWidgets import QAbstractSlider, QSizePolicy

from gradviz.analysis.index.phases import RunPhase
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.navigation import position_at_number, position_number
from gradviz.analysis.position.trace_position import Level, TracePosition
from gradviz.model.columns import IntColumn
from gradviz.viewer.local_keys import TIMELINE_KEYS, pressed
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.timeline.timeline_marks import (
    TimelineMark,
    paint_marks,
    paint_phase_now,
    paint_step_now,
)
from gradviz.viewer.timeline.timeline_track import TimelineScale, TimelineTrack, faint
from gradviz.viewer.timeline.visible_span import (
    TimelineMetrics,
    VisibleSpan,
    timeline_metrics,
    whole_span,
)

NOTCH = 0.8
"""Factor on the visible length for one notch of the wheel."""

_REACH = 6
"""Pixels around a mark within which the mouse hits it."""


_PART = 0.9
"""Share of a step's width over which its ticks are spread."""

_LEAST = 4.0
"""Minimum distance between separate ticks, in pixels."""

_MOST = 28.0


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
        """Paint a tick per place in front of the step, or a bar below it if they are too close."""
        gap, is_wide = self._gap(pitch), self.have_space(pitch)
        left, right = self.x_of(0, middle, pitch), self.x_of(self.count - 1, middle, pitch)
        now, ground = theme.color("status_now"), theme.color("panel")
        y = heights.middle if is_wide else heights.label + heights.band - theme.px(2)
        box = QRectF(left - gap / 2, heights.label, right - left + gap, heights.band)
        if is_wide:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ground)
            painter.drawRoundedRect(box, theme.px(5), theme.px(5))
            box.adjust(gap / 2, 0, -gap / 2, 0)
        painter.setPen(QPen(faint(now, 0.45), theme.px(1 if is_wide else 3)))
        painter.drawLine(QLineF(box.left(), y, box.right(), y))
        radius = min(theme.px(4), gap / 2.6)
        painter.setPen(QPen(now, theme.scale))
        for at in range(self.count if is_wide else 0):
            painter.setBrush(now if at <= self.at else ground)
            painter.drawEllipse(QPointF(self.x_of(at, middle, pitch), y), radius, radius)


def substeps_of(
    index: TraceIndex | None, place: TracePosition | None, level: Level
) -> Substeps | None:
    """Return the places within a step; None when stepping by passes or nodes."""
    if index is None or place is None or level in ("pass", "node"):
        return None
    at, count = position_number(index, place, level)
    return Substeps(index, place, level, at, count)


class TimelineBar(QAbstractSlider):
    """A slider whose value is the step number.

    The row is cached as two pixmaps, one of pending steps and one of done steps. Each repaint
    combines parts of both, so dragging costs the same for ten steps and for a hundred thousand.

    Attributes:
        span: The visible part of the run.
        track: What is painted; None without steps.

    Signals:
        hovered: Number of the step under the mouse, and the position for a tooltip.
        command_requested: A command of `TIMELINE_KEYS` for the window.
        place_requested: The `TracePosition` in the current step whose tick was clicked.
    """

    hovered = Signal(object, object)
    command_requested = Signal(str)
    place_requested = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._heights = timeline_metrics(theme)
        self.track: TimelineTrack | None = None
        self._inside: Substeps | None = None
        self._phase: RunPhase | None = None
        self.span = whole_span(1)
        self._home: VisibleSpan | None = None
        self._marks: Sequence[TimelineMark] = ()
        self._breakpoints: IntColumn = np.array((), dtype=np.int64)
        self._pictures: tuple[QPixmap, QPixmap] | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        self.setAccessibleName(self.tr("Timeline"))

    def show_index(self, index: TraceIndex | None) -> None:
        """Show the steps of a trace."""
        self._home = None
        self.track = TimelineTrack(index) if index is not None and index.trace.steps else None
        count = self.track.count if self.track else 1
        self._pictures = None
        self._marks = ()
        with QSignalBlocker(self):
            self.setRange(1, max(1, count))
            self.setValue(1)
        self.show_span(whole_span(count))
        self.update()

    def show_marks(self, marks: Sequence[TimelineMark]) -> None:
        """Replace the marks below the steps."""
        self._marks = marks
        self._pictures = None
        self.update()

    def show_breakpoints(self, steps: IntColumn) -> None:
        """Mark the steps that hit a breakpoint, in ascending order."""
        if not np.array_equal(steps, self._breakpoints):
            self._breakpoints = steps
            self._pictures = None
            self.update()

    def has_breakpoint(self, number: int) -> bool:
        """Return whether a step hits a breakpoint."""
        at = int(np.searchsorted(self._breakpoints, number))
        return at < len(self._breakpoints) and int(self._breakpoints[at]) == number

    def show_step(self, number: int) -> None:
        """Move to a step and scroll it into view."""
        self.setValue(number)
        if self.track is not None and self.span != self._home:
            self.show_span(self.span.showing(number))

    def show_place(
        self, index: TraceIndex | None, place: TracePosition | None, level: Level
    ) -> None:
        """Show the position within the current step, or its phase when stepping by passes."""
        self._inside = substeps_of(index, place, level)
        self._phase = None
        if level == "pass" and self.track is not None and place is not None:
            self._phase = self.track.phase_at(place.step)
        self.update()

    def show_part(self, part: range | None) -> None:
        """Show only some steps, which stay where they are while one of them is current."""
        self._home = None if part is None else self.span.over(part[0], part[-1])
        if self.track is not None:
            self.show_span(self._home or whole_span(self.track.count))

    def show_span(self, span: VisibleSpan) -> None:
        """Show another part of the run."""
        if span != self.span:
            self.span = span
            self._pictures = None
            self.update()

    def update_theme(self) -> None:
        """Fit the heights to the theme."""
        self._heights = timeline_metrics(self._theme)
        self._pictures = None
        self.updateGeometry()
        self.update()

    def x_of(self, number: int) -> float:
        """Return the position of a step, in pixels from the left."""
        return self._scale().x_of(number)

    def _scale(self) -> TimelineScale:
        return TimelineScale(self.span, self.width())

    def _painted(self, track: TimelineTrack) -> tuple[QPixmap, QPixmap]:
        ratio = self.devicePixelRatioF()
        if self._pictures is None or self._pictures[0].size() != self.size() * ratio:
            pictures = []
            for done in (False, True):
                picture = QPixmap(self.size() * ratio)
                picture.setDevicePixelRatio(ratio)
                picture.fill(Qt.GlobalColor.transparent)
                painter = QPainter(picture)
                track.paint(painter, self.width(), self.span, self._theme, self._heights, done=done)
                marks = (self._marks, self._breakpoints)
                paint_marks(painter, *marks, self._scale(), self._theme, self._heights)
                painter.end()
                pictures.append(picture)
            self._pictures = (pictures[0], pictures[1])
        return self._pictures

    def _paint_now(self, painter: QPainter, x: float) -> None:
        theme, heights, pitch = self._theme, self._heights, self._scale().pitch
        if self._phase is not None:
            paint_phase_now(painter, self._phase, self._scale(), theme, heights)
            return
        place = x
        if self._inside is not None:
            self._inside.paint(painter, x, pitch, theme, heights)
            if self._inside.have_space(pitch):
                place = self._inside.x_of(self._inside.at, x, pitch)
        paint_step_now(painter, place, theme, heights)

    def _paint_part(self, painter: QPainter) -> None:
        """Paint a scroll indicator along the bottom when zoomed in."""
        if self.span.is_all:
            return
        thick = max(2.0, 2.0 * self._theme.scale)
        top, count = self.height() - thick, max(1, self.span.count)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("border"))
        painter.drawRect(QRectF(0, top, self.width(), thick))
        left = self.span.start / count * self.width()
        length = max(12.0, self.span.length / count * self.width())
        painter.setBrush(self._theme.color("border_strong"))
        painter.drawRect(QRectF(min(left, self.width() - length), top, length, thick))

    def number_under(self, place: QPointF) -> int:
        """Return the step at a position; in the mark row, the step of the nearest mark."""
        scale = self._scale()
        if place.y() > self._heights.label + self._heights.band:
            reach = self._theme.px(_REACH)
            marked = [mark.number for mark in self._marks]
            marked += self._breakpoints_near(scale.number_at(place.x()))
            candidates = ((abs(scale.x_of(number) - place.x()), number) for number in marked)
            distance, number = min(candidates, default=(float("inf"), 0))
            if distance <= reach:
                return number
        return scale.number_at(place.x())

    def _breakpoints_near(self, number: int) -> list[int]:
        """Return the last step with a breakpoint before a step, and the next one from it on."""
        at = int(np.searchsorted(self._breakpoints, number))
        near: list[int] = self._breakpoints[max(0, at - 1) : at + 1].tolist()
        return near

    def _go_to_place(self, event: QMouseEvent, *, dragged: bool = False) -> None:
        if self.track is not None:
            place = event.position()
            if not dragged and self._request_tick(place):
                return
            number = self._scale().number_at(place.x()) if dragged else self.number_under(place)
            self.setValue(number)

    def _request_tick(self, place: QPointF) -> bool:
        """Emit `place_requested` if there is a tick at a position; return whether there is."""
        if self._inside is None or place.y() < self._heights.label:
            return False
        found = self._inside.place_at(place.x(), self.x_of(self.value()), self._scale().pitch)
        if found is None:
            return False
        self.place_requested.emit(found)
        return True

    def zoom(self, factor: float, x: float | None = None) -> None:
        """Scale the visible length by a factor, keeping the position at ``x`` fixed."""
        if self.track is not None:
            x = self.x_of(self.value()) if x is None else x
            self.show_span(self.span.zoomed(factor, self._scale().place_at(x)))

    def sizeHint(self) -> QSize:
        """Return the height of the labels, the band and the marks."""
        return QSize(400, self._heights.height)

    def minimumSizeHint(self) -> QSize:
        """Return a small width but the full height."""
        return QSize(120, self._heights.height)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Combine the two pixmaps at the current step and paint the position marker."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.track is None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.color("raised"))
            band = QRectF(0, self._heights.label, self.width(), self._heights.band)
            painter.drawRoundedRect(band, self._theme.px(5), self._theme.px(5))
            painter.end()
            return
        to_come, done = self._painted(self.track)
        ratio = to_come.devicePixelRatio()
        x = self.x_of(self.value())
        at, height = max(0, min(int(x), self.width())), self.height()
        for picture, left, right in ((done, 0, at), (to_come, at, self.width())):
            place = QRectF(left, 0, right - left, height)
            part = QRectF(left * ratio, 0, (right - left) * ratio, height * ratio)
            painter.drawPixmap(place, picture, part)
        if -1 <= x <= self.width() + 1:
            self._paint_now(painter, x)
        self._paint_part(painter)
        if self.hasFocus():
            painter.setPen(QPen(self._theme.color("focus"), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 4, 4)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the step under the mouse."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self._go_to_place(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag through the steps, or emit the step under the mouse."""
        if self.isSliderDown():
            self._go_to_place(event, dragged=True)
        elif self.track is not None:
            number = self.number_under(event.position())
            self.hovered.emit(number, event.globalPosition().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a drag."""
        self.setSliderDown(False)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """On a phase label, zoom to that phase or back to the whole run."""
        if self.track is None or event.position().y() > self._heights.label:
            self.mousePressEvent(event)
            return
        phase = self.track.phase_at(self._scale().number_at(event.position().x()))
        if self.span.is_all and phase is not None:
            self.show_span(self.span.over(phase.first, phase.last))
        else:
            self.show_span(whole_span(self.track.count))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom at the mouse; scroll if the wheel turns sideways or Shift is held."""
        event.accept()
        if self.track is None:
            return
        turned = event.angleDelta()
        across = turned.x() or turned.y() * bool(
            event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        )
        if across:
            self.show_span(self.span.moved(-across / 120 * self.span.length / 10))
        else:
            self.zoom(NOTCH ** (turned.y() / 120), event.position().x())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Request commands on arrow keys, Home, End and Space; zoom on plus, minus and 0."""
        match pressed(TIMELINE_KEYS, event):
            case "":
                event.ignore()
            case "zoom-in":
                self.zoom(NOTCH * NOTCH)
            case "zoom-out":
                self.zoom(1 / (NOTCH * NOTCH))
            case "zoom-all":
                self.show_span(whole_span(self.span.count))
            case command:
                self.command_requested.emit(command)
