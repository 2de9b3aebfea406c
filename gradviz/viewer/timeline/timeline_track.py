"""Maps steps to pixels, and paints their bands and dots."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen, QPolygonF

from gradviz.analysis.index.derivative_orders import order_text
from gradviz.analysis.index.phases import PhaseKind, RunPhase
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.model.columns import DISPATCH, ERROR, FORWARD, NODE
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.timeline.visible_span import SIDE, TimelineMetrics, VisibleSpan
from gradviz.viewer.translation import translate

_CUSTOM, _ERROR, _DISPATCH = 1, 2, 3
"""Kinds of steps; all others are 0."""


def kinds_of(index: TraceIndex) -> npt.NDArray[np.int8]:
    """Return the kind of each step."""
    steps = index.steps
    custom = [node.id for node in index.trace.nodes if node.kind == "custom"]
    kinds = np.zeros(len(steps.kinds), dtype=np.int8)
    kinds[(steps.kinds == FORWARD) & (steps.calls != 0)] = _CUSTOM
    kinds[(steps.kinds == NODE) & np.isin(steps.nodes, custom)] = _CUSTOM
    kinds[steps.kinds == ERROR] = _ERROR
    kinds[steps.kinds == DISPATCH] = _DISPATCH
    return kinds


_LETTERS = 11
"""Font size of the labels, before the theme's scale factor."""

_LABEL_GAP = 5
"""Minimum space between two labels in pixels, before the theme's scale factor."""

DOTS_FROM = 9.0
"""Minimum distance between steps for separate dots, in pixels."""

PHASE_FILLS: dict[PhaseKind, PaletteRole] = {
    "forward": "forward_fill",
    "backward": "backward_fill",
    "update": "update_fill",
}


class TimelineTrack:
    """The steps of one trace, painted for a visible range and a width."""

    def __init__(self, index: TraceIndex) -> None:
        self.phases = index.phases
        self.kinds = kinds_of(index)
        self._index = index
        backward = sum(phase.kind == "backward" for phase in self.phases)
        self._many = backward > 1 or index.numbers_passes
        self.count = len(index.trace.steps)

    def paint(
        self,
        painter: QPainter,
        width: float,
        span: VisibleSpan,
        theme: Theme,
        heights: TimelineMetrics,
        *,
        done: bool,
    ) -> None:
        """Paint the bands and steps, either all as pending or all as done."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        scale = TimelineScale(span, width)
        written = 0.0
        for phase in self.phases:
            if phase.last > span.start and phase.first - 1 < span.end:
                written = self._paint_band(painter, phase, scale, theme, heights, written)
        if scale.pitch >= DOTS_FROM * min(theme.scale, 1.5):
            self._paint_dots(painter, scale, theme, heights, done=done)
        else:
            self._paint_density(painter, scale, theme, heights, done=done)

    def phase_at(self, number: int) -> RunPhase | None:
        """Return the phase of a step."""
        return next((each for each in self.phases if each.first <= number <= each.last), None)

    def _paint_band(
        self,
        painter: QPainter,
        phase: RunPhase,
        scale: TimelineScale,
        theme: Theme,
        heights: TimelineMetrics,
        written: float,
    ) -> float:
        """Paint a band and its label.

        Args:
            painter: Painter of the track.
            phase: The phase.
            scale: Positions of the steps.
            theme: Colors and fonts.
            heights: Heights of the label and of the band.
            written: Where the label before it ends.

        Returns:
            Where the last label ends.
        """
        left = max(scale.x_of(phase.first - 0.5), 0.0)
        right = min(scale.x_of(phase.last + 0.5), scale.width)
        gap = 1.5 if right - left > 6 else 0.0
        band = QRectF(left + gap, heights.label, right - left - 2 * gap, heights.band)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color(PHASE_FILLS[phase.kind]))
        painter.drawRoundedRect(band, theme.px(5), theme.px(5))
        text = self.name_of(phase)
        font = theme.font(_LETTERS, bold=True)
        # A label as long as its band would touch the next one.
        start = max(left + gap, written + theme.px(_LABEL_GAP) if written else 0.0)
        needed, free = QFontMetricsF(font).horizontalAdvance(text), right + gap - start
        if needed > free:
            # Text that the user has enlarged is written smaller rather than left out.
            font.setPixelSize(max(1, int(font.pixelSize() * free / needed)))
        painter.setFont(font)
        if font.pixelSize() < _LETTERS:
            return written
        painter.setPen(theme.color(phase.kind))
        where = QRectF(start, 0, free, heights.label)
        side = Qt.AlignmentFlag
        painter.drawText(where, side.AlignLeft | side.AlignVCenter, text)
        return start + min(needed, free)

    def name_of(self, phase: RunPhase) -> str:
        """Return the label of a phase."""
        order = 1 if phase.pass_id is None else self._index.orders.of_pass(phase.pass_id)
        if order > 1:
            return self._of_order(phase, order)
        if phase.kind == "backward" and self._many:
            return translate("Timeline", "backward {0}").format(self._pass_name(phase))
        if phase.kind == "update":
            return translate("Timeline", "step")
        return (
            translate("Timeline", "backward")
            if phase.kind == "backward"
            else translate("Timeline", "forward")
        )

    def _pass_name(self, phase: RunPhase) -> str:
        return "" if phase.pass_id is None else self._index.pass_name(phase.pass_id)

    def _of_order(self, phase: RunPhase, order: int) -> str:
        """Return the label of a double backward pass, numbered if there are several."""
        name = order_text(order)
        if sum(each == order for each in self._index.orders.passes.values()) < 2:
            return name
        return translate("Timeline", "backward {0}: {1}").format(self._pass_name(phase), name)

    def _paint_dots(
        self,
        painter: QPainter,
        scale: TimelineScale,
        theme: Theme,
        heights: TimelineMetrics,
        *,
        done: bool,
    ) -> None:
        full, empty = theme.color("status_done"), theme.color("status_to_come")
        failed, ground = theme.color("error"), theme.color("panel")
        small = min(theme.px(4), scale.pitch / 3, heights.band / 3)
        first, last = scale.numbers()
        for number in range(first, last + 1):
            kind = self.kinds[number - 1]
            radius = small * 1.35 if kind == _CUSTOM else small
            strong, weak = (failed, failed) if kind == _ERROR else (full, empty)
            painter.setPen(QPen(strong if done else weak, 1.4 * theme.scale))
            painter.setBrush(strong if done else ground)
            middle = QPointF(scale.x_of(number), heights.middle)
            if kind == _DISPATCH:
                painter.drawPolygon(_diamond(middle, radius * 1.5))
            else:
                painter.drawEllipse(middle, radius, radius)

    def _paint_density(
        self,
        painter: QPainter,
        scale: TimelineScale,
        theme: Theme,
        heights: TimelineMetrics,
        *,
        done: bool,
    ) -> None:
        """Paint a line in each pixel column, higher for a larger share of custom steps."""
        first, last = scale.numbers()
        columns = scale.columns(first, last)
        kinds = self.kinds[first - 1 : last]
        size = int(scale.width) + 1
        steps = np.bincount(columns, minlength=size)
        custom = np.bincount(columns[kinds == _CUSTOM], minlength=size)
        share = custom / np.maximum(steps, 1)
        low, high = heights.band * 0.11, heights.band * 0.3
        half = low + (high - low) * np.sqrt(share)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("status_done" if done else "status_to_come"))
        middle = heights.middle
        filled = np.flatnonzero(steps)
        rows = zip(filled.tolist(), half[filled].tolist(), strict=True)
        painter.drawRects([QRectF(x, middle - each, 1, 2 * each) for x, each in rows])
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)


class TimelineScale:
    """Maps a visible range of steps to a width in pixels."""

    def __init__(self, span: VisibleSpan, width: float) -> None:
        self.span, self.width = span, width
        self.pitch = max((width - 2 * SIDE) / span.length, 1e-9)

    def x_of(self, number: float) -> float:
        """Return the x of a step in pixels; beyond the width if the step is not visible."""
        return SIDE + (number - 0.5 - self.span.start) * self.pitch

    def xs_of(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the x of each step, in pixels."""
        return np.asarray(SIDE + (numbers - 0.5 - self.span.start) * self.pitch, dtype=np.float64)

    def place_at(self, x: float) -> float:
        """Return the position in the run at ``x``, in the units of `VisibleSpan`."""
        return self.span.start + (x - SIDE) / self.pitch

    def number_at(self, x: float) -> int:
        """Return the step at ``x``, or the nearest one beyond the ends."""
        return max(1, min(round(self.place_at(x) + 0.5), self.span.count))

    def numbers(self) -> tuple[int, int]:
        """Return the first and last step that are at least partly visible."""
        return max(1, int(self.span.start) + 1), min(self.span.count, int(np.ceil(self.span.end)))

    def columns(self, first: int, last: int) -> npt.NDArray[np.int64]:
        """Return the pixel column of each of these steps."""
        numbers = np.arange(first, last + 1)
        places = SIDE + (numbers - 0.5 - self.span.start) * self.pitch
        columns: npt.NDArray[np.int64] = np.clip(places, 0, self.width).astype(np.int64)
        return columns


def faint(color: QColor, part: float) -> QColor:
    """Return a semitransparent copy of a color."""
    color = QColor(color)
    color.setAlphaF(part)
    return color


def _diamond(middle: QPointF, radius: float) -> QPolygonF:
    """Return a diamond, the sign of a dispatch step, as it decides which way the run goes."""
    along, down = QPointF(radius, 0), QPointF(0, radius)
    return QPolygonF((middle - down, middle + along, middle + down, middle - along))
