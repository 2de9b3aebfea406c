"""A lane for each rank of a distributed program, in line with the timeline's steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QEvent, QLineF, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gradviz.analysis.compare.phase_alignment import PhaseAlignment
from gradviz.catalogue.language import format_count
from gradviz.viewer.ranks.rank_run import RankRun
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.timeline.timeline_marks import TimelineMark, paint_marks
from gradviz.viewer.timeline.timeline_track import PHASE_FILLS, TimelineScale
from gradviz.viewer.timeline.visible_span import TimelineMetrics, VisibleSpan, whole_span
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.plain_text import plain_tooltip

_HEIGHT, _GAP, _LETTERS = 16, 2, 11
"""Height of a lane, space between two, and font size, before the theme's scale factor."""

_MOST = 6
"""Number of lanes that are visible at once; the wheel scrolls to the others."""

_NO_BREAKPOINTS = np.array((), dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankLane:
    """One lane.

    Attributes:
        number: The rank.
        run: Its run; None until its trace has been read.
        steps: Maps its steps to those of the rank that is shown.
        shows: Whether the results of a step of the rank that is shown are revealed.
    """

    number: int
    run: RankRun | None
    steps: PhaseAlignment
    shows: Callable[[int], bool]

    @property
    def marks(self) -> tuple[TimelineMark, ...]:
        """Its marks at the steps of the rank that is shown."""
        marks = () if self.run is None else self.run.marks
        found = [(mark, self._revealed_step(mark.number)) for mark in marks]
        return tuple(replace(mark, number=step) for mark, step in found if step is not None)

    @property
    def synchronized(self) -> tuple[int, ...]:
        """The steps of the rank that is shown at which gradients were synchronized."""
        numbers = () if self.run is None else self.run.synchronized
        found = [self._revealed_step(number) for number in numbers]
        return tuple(step for step in found if step is not None)

    def _revealed_step(self, number: int) -> int | None:
        step = self.steps.step_of(number)
        return step if step is not None and self.shows(step) else None

    @property
    def missing(self) -> int:
        """How many of its steps are in phases that the rank that is shown does not have."""
        shown = sum(own.last - own.first + 1 for own, _ in self.steps.pairs)
        return 0 if self.run is None else self.run.count - shown


class RankLanes(QWidget):
    """Shows the ranks' phases, findings and synchronized gradients below each other.

    Signals:
        step_requested: Number of the rank whose lane was clicked, and number of the step of the
            rank that is shown.
    """

    step_requested = Signal(int, int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._lanes: tuple[RankLane, ...] = ()
        self._shown: RankLane | None = None
        self._first = 0
        self._span = whole_span(1)
        self._step = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.hide()

    def show_lanes(self, lanes: Mapping[int, RankLane], shown: int) -> None:
        """Replace the lanes.

        Args:
            lanes: The lanes by rank; none hide the widget.
            shown: The rank that the window shows.
        """
        self._lanes, self._shown = tuple(lanes.values()), lanes.get(shown)
        if self._shown is not None:
            at = self._lanes.index(self._shown)
            self._first = max(at - _MOST + 1, min(self._first, at))
        self._scroll(0)
        self.setVisible(bool(lanes))
        names = ", ".join(self._title(each) for each in self._lanes)
        self.setAccessibleName(self.tr("Ranks"))
        self.setAccessibleDescription(names)
        self.updateGeometry()
        self.update()

    def show_step(self, number: int) -> None:
        """Show the position of the rank that is shown."""
        self._step = number
        self.update()

    def show_span(self, span: VisibleSpan) -> None:
        """Show the same part of the run as the timeline."""
        self._span = span
        self.update()

    @property
    def _visible(self) -> tuple[RankLane, ...]:
        return self._lanes[self._first : self._first + _MOST]

    def _scroll(self, by: int) -> None:
        self._first = max(0, min(self._first + by, len(self._lanes) - _MOST))
        self.update()

    def sizeHint(self) -> QSize:
        """Return the height of the visible lanes, and of the margin above them."""
        return QSize(400, len(self._visible) * self._pitch + self._theme.px(_GAP))

    def minimumSizeHint(self) -> QSize:
        """Return a small width but the same height."""
        return QSize(120, self.sizeHint().height())

    @property
    def _pitch(self) -> int:
        return self._theme.px(_HEIGHT) + self._theme.px(_GAP)

    def _top_of(self, at: int) -> int:
        return at * self._pitch + self._theme.px(_GAP)

    def _title(self, lane: RankLane) -> str:
        name = translate("Ranks", "rank {0}").format(lane.number)
        if lane.run is None:
            return translate("Ranks", "{0} · is being opened…").format(name)
        if lane.run.problem:
            return translate("Ranks", "{0} · cannot be shown").format(name)
        if lane.missing:
            text = translate("Ranks", "{0} · {1} more steps")
            return text.format(name, format_count(lane.missing))
        return name

    def _scale(self) -> TimelineScale:
        return TimelineScale(self._span, self.width())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the lanes and the position."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        scale = self._scale()
        rows = [
            QRectF(0, self._top_of(at), self.width(), self._theme.px(_HEIGHT))
            for at in range(len(self._visible))
        ]
        for lane, row in zip(self._visible, rows, strict=True):
            self._paint_lane(painter, lane, row, scale)
        self._paint_synchronized(painter, scale)
        if self._step:
            painter.setPen(QPen(self._theme.color("status_now"), self._theme.px(2)))
            x = scale.x_of(self._step)
            painter.drawLine(QLineF(x, 0, x, self.height()))
        painter.end()

    def _paint_lane(
        self, painter: QPainter, lane: RankLane, row: QRectF, scale: TimelineScale
    ) -> None:
        theme = self._theme
        painter.setPen(Qt.PenStyle.NoPen)
        for own, phase in lane.steps.pairs:
            # A shorter phase, as in a rank that failed, leaves the rest of the lane empty.
            last = min(phase.first + own.last - own.first, phase.last)
            left = max(scale.x_of(phase.first - 0.5), 0.0) + 1
            right = min(scale.x_of(last + 0.5), scale.width) - 1
            if left < right:
                painter.setBrush(theme.color(PHASE_FILLS[phase.kind]))
                painter.drawRect(QRectF(left, row.top(), right - left, row.height()))
        # The marks fill the height of the lane.
        heights = TimelineMetrics(label=row.top(), band=0, marks=row.height(), letters=_LETTERS)
        paint_marks(painter, lane.marks, _NO_BREAKPOINTS, scale, theme, heights)
        is_shown = lane is self._shown
        painter.setPen(theme.color("text"))
        painter.setFont(theme.font(_LETTERS, bold=is_shown))
        place = row.adjusted(theme.px(6), 0, 0, 0)
        side = Qt.AlignmentFlag
        text = " · ".join((self._title(lane), *self._hidden_beyond(lane)))
        painter.drawText(place, side.AlignLeft | side.AlignVCenter, text)
        if is_shown:
            painter.setPen(QPen(theme.color("status_now"), theme.px(1.5)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(row.adjusted(1, 1, -1, -1))

    def _hidden_beyond(self, lane: RankLane) -> Iterator[str]:
        """Yield how many lanes are hidden above or below this one."""
        above, below = self._lanes[: self._first], self._lanes[self._first + _MOST :]
        for arrow, hidden, edge in (("↑", above, 0), ("↓", below, -1)):
            if hidden and lane is self._visible[edge]:
                marked = sum(bool(each.marks) for each in hidden)
                text = translate("Ranks", "{0} {1} more, {2} of them with marks")
                yield text.format(arrow, len(hidden), marked)

    def _paint_synchronized(self, painter: QPainter, scale: TimelineScale) -> None:
        """Connect the lanes at the end of each pass that has synchronized their gradients."""
        painter.setPen(QPen(self._theme.color("accent"), self._theme.px(3)))
        for at, lane in enumerate(self._visible):
            top = self._top_of(at)
            for step in lane.synchronized:
                x = scale.x_of(step)
                painter.drawLine(QLineF(x, top, x, top + self._pitch))

    def lane_at(self, place: QPointF | QPoint) -> RankLane | None:
        """Return the lane at a position."""
        at = (int(place.y()) - self._theme.px(_GAP)) // self._pitch
        return self._visible[at] if 0 <= at < len(self._visible) else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Request the step of the lane under the mouse."""
        lane = self.lane_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and lane is not None:
            self.step_requested.emit(lane.number, self._scale().number_at(event.position().x()))

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll by one lane per notch."""
        event.accept()
        self._scroll(-1 if event.angleDelta().y() > 0 else 1)

    def event(self, event: QEvent) -> bool:
        """Say what is under the mouse."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            lane = self.lane_at(event.pos())
            text = "" if lane is None else self.tip_of(lane, event.pos().x())
            QToolTip.showText(event.globalPos(), plain_tooltip(text) if text else "", self)
            return True
        return super().event(event)

    def tip_of(self, lane: RankLane, x: float) -> str:
        """Return the lines of the tooltip of a lane at an x in pixels."""
        if lane.run is None or lane.run.problem:
            return self._title(lane) if lane.run is None else lane.run.problem
        number = self._scale().number_at(x)
        lines = [self._title(lane)]
        lines += [mark.text for mark in lane.marks if mark.number == number]
        if number in lane.synchronized:
            lines.append(translate("Ranks", "Gradients changed again at the end of this pass."))
        if lane is not self._shown:
            lines.append(translate("Ranks", "Click to show this rank here."))
        return "\n".join(lines)
