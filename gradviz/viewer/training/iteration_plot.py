"""Plots values over the iterations of a training run; a click or a key goes to an iteration."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from gradviz.analysis.training.curve_bands import FloatColumn, curve_band, is_logarithmic
from gradviz.catalogue.language import format_count
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.training.value_axis import ValueAxis
from gradviz.viewer.widgets.plain_text import plain_tooltip

_LEFT, _RIGHT, _FOOT, _GAP = 60, 18, 26, 8
_LETTERS, _SMALL = 13, 12
_HEAD, _TRACK = 22, 52
"""Heights of a heading, and of a track with one from which its curve has a shape."""

_NAMES, _VALUES = 150, 92
"""Widths of names and values beside the curves of a low widget."""

_ROW, _MINOR_ROW, _ROW_GAP = 31, 18, 3
"""Heights of tracks there, and the gap between them."""

_MINOR = 0.35
"""Share of the height of a plot with values of minor importance."""

_DOTS_FROM = 9.0
"""Distance of iterations in pixels from which each one has a dot."""


ValueWords = Callable[[float], str]
"""Returns the text of a value."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlotTrack:
    """Values over the iterations, with a heading.

    Attributes:
        name: What the values are.
        at: Position of each value: n is the n-th iteration.
        values: The values; those that are not finite are gaps.
        words: Returns the text of a value.
        color: Color of the curve.
        gap: What a gap means, if it is neither NaN nor Inf.
        minor: Whether it needs less height than the others.
    """

    name: str
    at: FloatColumn
    values: FloatColumn
    words: ValueWords
    color: PaletteRole
    gap: str = ""
    minor: bool = False

    def of(self, number: int) -> FloatColumn:
        """The values of an iteration."""
        found: FloatColumn = self.values[np.ceil(self.at) == number]
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class IterationMark:
    """Something to see in one iteration.

    Attributes:
        number: Number of the iteration.
        words: What it is.
        color: Color of its sign.
    """

    number: int
    words: str
    color: PaletteRole


class IterationPlot(QWidget):
    """Tracks one below the other over one axis of iterations.

    Names and values are above the curves, or beside them if the widget is low.

    Signals:
        iteration_requested: Number of the iteration that was clicked, or to which a key leads.
        move_requested: How many iterations to go on, or back.
        comparison_requested: Number of the iteration that was clicked with Shift.
    """

    iteration_requested = Signal(object)
    move_requested = Signal(int)
    comparison_requested = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._count = 0
        self.tracks: tuple[PlotTrack, ...] = ()
        self.marks: tuple[IterationMark, ...] = ()
        self._kept: frozenset[int] = frozenset()
        self.number = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(self.tr("Curves over the iterations"))

    def show_tracks(
        self,
        count: int,
        tracks: Sequence[PlotTrack],
        marks: Sequence[IterationMark],
        kept: Sequence[int] = (),
    ) -> None:
        """Show other values.

        Args:
            count: Number of iterations.
            tracks: The values, from top to bottom.
            marks: What to mark, in the order of the iterations.
            kept: Numbers of the iterations that have steps, unless all have.
        """
        self._count, self.tracks, self.marks = count, tuple(tracks), tuple(marks)
        self._kept = frozenset(kept)
        self.update()

    def show_number(self, number: int) -> None:
        """Select an iteration; 0 for none."""
        if number != self.number:
            self.number = number
            self.setAccessibleDescription(self.description(number))
            self.update()

    def description(self, number: int) -> str:
        """The values of an iteration, and what is marked there, in words."""
        if not number:
            return ""
        values = [f"{each.name} {self._value_text(each, number)}" for each in self.tracks]
        marks = [mark.words for mark in self.marks if mark.number == number]
        title = self.tr("iteration {0}").format(format_count(number))
        if self._kept and number not in self._kept:
            marks.append(self.tr("its steps were not recorded; ticks mark those that were"))
        return ", ".join((title, *values, *marks))

    @property
    def is_low(self) -> bool:
        """Whether names and values are beside the curves."""
        return self.height() < self._theme.px(_FOOT + _TRACK * len(self.tracks))

    @property
    def low_height(self) -> int:
        """Height in which all curves can be told apart, with names and values beside them."""
        # Most trainings have one loss. Until it is read, the graph already gets its final size.
        minor = [each.minor for each in self.tracks] or [False, False, True, True]
        rows = (_ROW_GAP + (_MINOR_ROW if each else _ROW) for each in minor)
        return self._theme.px(_ROW_GAP + _FOOT + sum(rows))

    @property
    def _ends(self) -> tuple[int, int]:
        """Where the curves begin and end, in pixels."""
        px, beside = self._theme.px, (_NAMES, _VALUES) if self.is_low else (_LEFT, _RIGHT)
        return px(beside[0]), self.width() - px(beside[1])

    def x_of(self, at: float) -> float:
        """Horizontal position of an iteration in pixels."""
        left, right = self._ends
        return left + (right - left) * (at - 0.5) / max(self._count, 1)

    def number_at(self, x: float) -> int:
        """The iteration nearest to a horizontal position."""
        left, right = self._ends
        share = (x - left) / max(1, right - left)
        return max(1, min(round(share * self._count + 0.5), self._count))

    def sizeHint(self) -> QSize:
        """Return a height that shows all tracks."""
        return QSize(600, self._theme.px(_FOOT + 105 * len(self.tracks or (0,))))

    def minimumSizeHint(self) -> QSize:
        """Return a size in which curves still have a shape."""
        return QSize(240, self.low_height)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the tracks, the axis, the marks and the selected iteration."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), self._theme.color("panel"))
        if not self._count:
            return
        if self.is_low:
            self._paint_rows(painter)
        else:
            self._paint_tracks(painter)
        if self.hasFocus():
            painter.setPen(QPen(self._theme.color("focus"), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 4, 4)

    def _paint_tracks(self, painter: QPainter) -> None:
        """Paint the curves with their headings above them, and the axis."""
        px, top = self._theme.px, float(self._theme.px(4))
        shares = [_MINOR if each.minor else 1.0 for each in self.tracks]
        head, heads = px(_HEAD), list[tuple[PlotTrack, float]]()
        space = self.height() - top - px(_FOOT) - len(shares) * (head + px(_GAP))
        left, right = self._ends
        for track, share in zip(self.tracks, shares, strict=True):
            height = max(px(12), space * share / sum(shares))
            area = QRectF(left, top + head, right - left, height)
            axis = _axis_of(track, area)
            self._paint_grid(painter, track, axis, area)
            self._paint_track(painter, track, axis, area)
            heads.append((track, top))
            top = area.bottom() + px(_GAP)
        self._paint_axis(painter, top)
        self._paint_now(painter, px(_HEAD), top)
        for track, y in heads:
            self._paint_head(painter, track, QRectF(px(12), y, self.width() - px(30), head))

    def _paint_rows(self, painter: QPainter) -> None:
        """Paint the curves with names and values beside them, and the axis."""
        theme, px, side = self._theme, self._theme.px, Qt.AlignmentFlag
        left, right = self._ends
        shares = [_MINOR_ROW if each.minor else _ROW for each in self.tracks]
        space = self.height() - px(_FOOT) - px(_ROW_GAP) * (len(shares) + 1)
        top = float(px(_ROW_GAP))
        for track, share in zip(self.tracks, shares, strict=True):
            area = QRectF(left, top, right - left, space * share / sum(shares))
            axis = _axis_of(track, area)
            self._paint_track(painter, track, axis, area)
            names = QRectF(px(12), top, left - px(20), area.height())
            if not track.minor and len(track.values):
                half = names.height() / 2
                words = self.tr("up to {0} (log)") if axis.logarithmic else self.tr("up to {0}")
                words = words.format(track.words(axis.highest))
                painter.setPen(theme.color("text_muted"))
                painter.setFont(theme.font(_SMALL))
                _paint_elided(painter, names.adjusted(0, half, 0, 0), side.AlignLeft, words)
                names.setHeight(half)
            painter.setPen(theme.color("text"))
            painter.setFont(theme.font(_LETTERS))
            _paint_elided(painter, names, side.AlignLeft, track.name)
            if self.number:
                self._paint_value(
                    painter, track, QRectF(right + px(4), top, px(_VALUES - 12), area.height())
                )
            top = area.bottom() + px(_ROW_GAP)
        self._paint_axis(painter, top)
        self._paint_now(painter, px(_ROW_GAP), top)

    def _paint_value(self, painter: QPainter, track: PlotTrack, where: QRectF) -> None:
        """Paint the value at the selected iteration, in two small lines if it is long."""
        theme, side, text = self._theme, Qt.AlignmentFlag, self._value_text(track, self.number)
        painter.setFont(theme.font(_LETTERS + 1, bold=True))
        if painter.fontMetrics().horizontalAdvance(text) > where.width():
            painter.setFont(theme.font(_SMALL))
        painter.setPen(theme.color(track.color))
        flags = side.AlignRight | side.AlignVCenter
        painter.drawText(where, flags.value | Qt.TextFlag.TextWordWrap.value, text)

    def _value_text(self, track: PlotTrack, number: int) -> str:
        values = track.of(number)
        if not len(values):
            return self.tr("none")
        if len(values) == 1:
            value = float(values[0])
            return track.gap if math.isnan(value) and track.gap else track.words(value)
        ends = track.words(float(values.min())), track.words(float(values.max()))
        return self.tr("{0} to {1}").format(*ends) if ends[0] != ends[1] else ends[0]

    def _paint_head(self, painter: QPainter, track: PlotTrack, where: QRectF) -> None:
        """Paint the name, and the value at the selected iteration, which is the loudest."""
        theme, side = self._theme, Qt.AlignmentFlag.AlignVCenter
        font, strong = theme.font(_LETTERS), theme.font(_LETTERS + 2, bold=True)
        value = self._value_text(track, self.number) if self.number else ""
        between = QFontMetricsF(font).horizontalAdvance(track.name + "  ")
        wide = between + QFontMetricsF(strong).horizontalAdvance(value)
        # The line of the selected iteration must not cross the text.
        painter.fillRect(where.adjusted(0, 3, wide - where.width() + 4, -1), theme.color("panel"))
        painter.setFont(font)
        painter.setPen(theme.color("text"))
        painter.drawText(where, side | Qt.AlignmentFlag.AlignLeft, track.name)
        painter.setFont(strong)
        painter.setPen(theme.color(track.color))
        painter.drawText(where.adjusted(between, 0, 0, 0), side | Qt.AlignmentFlag.AlignLeft, value)
        if is_logarithmic(track.values):
            painter.setFont(theme.font(_SMALL))
            painter.setPen(theme.color("text_muted"))
            text = self.tr("log scale")
            painter.drawText(where, side | Qt.AlignmentFlag.AlignRight, text)

    def _paint_track(
        self, painter: QPainter, track: PlotTrack, axis: ValueAxis, area: QRectF
    ) -> None:
        xs = np.array([self.x_of(at) for at in track.at])
        color = self._theme.color(track.color)
        pen = QPen(color, 1.6 * self._theme.scale)
        if len(xs) > area.width() / 2:
            self._paint_band(painter, track, xs, axis, color)
        else:
            painter.setPen(pen)
            for part in _runs(track):
                points = [QPointF(xs[at], axis.y_of(float(track.values[at]))) for at in part]
                painter.drawPolyline(points)
                if len(points) == 1 or area.width() / max(1, len(xs)) >= _DOTS_FROM:
                    painter.setBrush(color)
                    for point in points:
                        painter.drawEllipse(point, *[self._theme.px(2.2)] * 2)
        self._paint_gaps(painter, track, xs, area)

    def _paint_grid(
        self, painter: QPainter, track: PlotTrack, axis: ValueAxis, area: QRectF
    ) -> None:
        theme, side = self._theme, Qt.AlignmentFlag
        painter.setFont(theme.font(_SMALL))
        line = theme.px(_SMALL + 4)
        # Fewer in a low plot, so that labels never touch. The largest says how high a spike is.
        most = int(area.height() // (1.3 * line))
        few = () if track.minor else (axis.highest,)
        for value in axis.ticks(most) if most > 1 else few:
            y = axis.y_of(value)
            painter.setPen(QPen(theme.color("border"), 1.0))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(theme.color("text_muted"))
            # Below the heading.
            top = max(y - line / 2, area.top() - theme.px(2))
            where = QRectF(0, top, area.left() - theme.px(6), line)
            painter.drawText(where, side.AlignRight | side.AlignVCenter, track.words(value))

    def _paint_band(
        self,
        painter: QPainter,
        track: PlotTrack,
        xs: FloatColumn,
        axis: ValueAxis,
        color: QColor,
    ) -> None:
        band = curve_band(xs.astype(np.int64), track.values)
        faint = QColor(color)
        faint.setAlphaF(0.4)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(QPen(faint, 1.0))
        for x, low, high in zip(band.columns, band.low, band.high, strict=True):
            ends = axis.y_of(float(low)), axis.y_of(float(high))
            painter.drawLine(QPointF(x, ends[0]), QPointF(x, min(ends[1], ends[0] - 1)))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(color, 1.6 * self._theme.scale))
        middle = zip(band.columns, band.middle, strict=True)
        painter.drawPolyline([QPointF(x, axis.y_of(float(value))) for x, value in middle])

    def _paint_gaps(
        self, painter: QPainter, track: PlotTrack, xs: FloatColumn, area: QRectF
    ) -> None:
        """Mark values that are not finite by a diamond at the top."""
        size = self._theme.px(4)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("error"))
        for x in xs[~np.isfinite(track.values)].tolist():
            middle = QPointF(x, area.top() + size)
            painter.drawPolygon(_diamond(middle, size))

    def _paint_axis(self, painter: QPainter, top: float) -> None:
        """Paint the iterations, their marks, and a few numbers that never touch."""
        theme, side = self._theme, Qt.AlignmentFlag
        painter.setPen(QPen(theme.color("border_strong"), 1.0))
        painter.drawLine(QPointF(self.x_of(0.5), top), QPointF(self.x_of(self._count + 0.5), top))
        for x in map(self.x_of, self._kept):
            painter.drawLine(QPointF(x, top - theme.px(2)), QPointF(x, top + theme.px(3)))
        painter.setPen(Qt.PenStyle.NoPen)
        for mark in self.marks:
            painter.setBrush(theme.color(mark.color))
            painter.drawPolygon(_diamond(QPointF(self.x_of(mark.number), top), theme.px(4)))
        font = theme.font(_SMALL)
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        taken, half = self._now_label(top)[0], metrics.horizontalAdvance(format_count(self._count))
        for number in _round_numbers(self._count):
            x = self.x_of(number)
            where = QRectF(x - half, top + theme.px(5), 2 * half, theme.px(_SMALL + 6))
            if not self.number or not where.adjusted(half / 2, 0, -half / 2, 0).intersects(taken):
                painter.setPen(theme.color("text_muted"))
                painter.drawText(where, side.AlignCenter, format_count(number))

    def _now_label(self, bottom: float) -> tuple[QRectF, str]:
        """The number of the selected iteration below the axis, with what is marked there."""
        px, x = self._theme.px, self.x_of(self.number)
        words = "".join(f" · {each.words}" for each in self.marks if each.number == self.number)
        text = f"{format_count(self.number)}{words}"
        metrics = QFontMetricsF(self._theme.font(_SMALL, bold=True))
        wide = metrics.horizontalAdvance(text) + px(8)
        left = max(0.0, min(x - wide / 2, self.width() - wide))
        return QRectF(left, bottom + px(5), wide, px(_SMALL + 6)), text

    def _paint_now(self, painter: QPainter, top: float, bottom: float) -> None:
        if not self.number:
            return
        theme, x, side = self._theme, self.x_of(self.number), Qt.AlignmentFlag
        color = theme.color("status_now")
        painter.setPen(QPen(color, 1.4 * theme.scale, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(x, top), QPointF(x, bottom))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawEllipse(QPointF(x, bottom), *[theme.px(4.5)] * 2)
        painter.setFont(theme.font(_SMALL, bold=True))
        painter.setPen(color)
        where, text = self._now_label(bottom)
        painter.drawText(where, side.AlignCenter, text)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Go to the iteration under the mouse; with Shift, compare the current one with it."""
        if event.button() == Qt.MouseButton.LeftButton and self._count:
            compares = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            signal = self.comparison_requested if compares else self.iteration_requested
            signal.emit(self.number_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Say so if the iteration under the mouse has no steps; pressing it hides tips."""
        number = self.number_at(event.position().x())
        if self._kept and number not in self._kept:
            self._tell(number, event.globalPosition().toPoint())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag through the iterations."""
        if self._count and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.iteration_requested.emit(self.number_at(event.position().x()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from iteration to iteration with the arrow keys, Home and End."""
        moves = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}
        ends = {Qt.Key.Key_Home: 1, Qt.Key.Key_End: self._count}
        key = Qt.Key(event.key())
        if self._count and key in moves:
            self.move_requested.emit(moves[key])
        elif self._count and key in ends:
            self.iteration_requested.emit(ends[key])
        else:
            event.ignore()

    def event(self, event: QEvent) -> bool:
        """Show the values of the iteration under the mouse."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip and self._count:
            self._tell(self.number_at(event.pos().x()), event.globalPos())
            return True
        return super().event(event)

    def _tell(self, number: int, place: QPoint) -> None:
        text = self.description(number)
        if number != self.number:
            text += "\n" + self.tr("Shift+click: compare the current iteration with it")
        QToolTip.showText(place, plain_tooltip(text), self)


def _axis_of(track: PlotTrack, area: QRectF) -> ValueAxis:
    return ValueAxis(track.values, area, logarithmic=is_logarithmic(track.values))


def _runs(track: PlotTrack) -> list[list[int]]:
    """Positions of values without a gap, or an iteration without a value, between them."""
    found: list[list[int]] = []
    for at in np.flatnonzero(np.isfinite(track.values)).tolist():
        before = found[-1][-1] if found else None
        if before is None or before != at - 1 or track.at[at] - track.at[before] > 1:
            found.append([])
        found[-1].append(at)
    return found


def _round_numbers(count: int) -> list[int]:
    """The first, the last and round numbers between them, far enough apart for their labels."""
    power = 10 ** max(0, len(str(count)) - 1)
    step = next(each for each in (power // 5, power // 2, power, 2 * power) if each * 8 >= count)
    step = max(1, step)
    inner = [each for each in range(step, count, step) if min(each, count - each) > step / 2]
    return sorted({1, *inner, count})


def _paint_elided(painter: QPainter, where: QRectF, side: Qt.AlignmentFlag, text: str) -> None:
    elided = QFontMetricsF(painter.font()).elidedText(
        text, Qt.TextElideMode.ElideRight, where.width()
    )
    painter.drawText(where, side | Qt.AlignmentFlag.AlignVCenter, elided)


def _diamond(middle: QPointF, size: float) -> QPolygonF:
    along, down = QPointF(size, 0), QPointF(0, size)
    return QPolygonF([middle - down, middle + along, middle + down, middle - along])
