"""Paints the row of phases and steps, once as still to come and once as done."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from gradviz.model.index import Index
from gradviz.viewer.theme import Theme
from gradviz.viewer.timeline.phases import Phase, kinds_of, phases_of, printing_steps

LABEL_HEIGHT = 18.0
BAND_HEIGHT = 28.0
MARKS_HEIGHT = 14.0
SIDE = 4.0
DOTS_FROM = 9.0
"""Pixels between steps from which each has a dot of its own."""

_CUSTOM, _ERROR = 1, 2


class Track:
    """The steps of one trace, spread over a width."""

    def __init__(self, index: Index) -> None:
        self._phases = phases_of(index)
        self._kinds = kinds_of(index)
        self._prints = printing_steps(index)
        self._many = sum(phase.kind == "backward" for phase in self._phases) > 1
        self.count = len(index.trace.steps)

    def x_of(self, number: float, width: float) -> float:
        """Where a step is, in pixels from the left."""
        return SIDE + (number - 0.5) * self._pitch(width)

    def number_at(self, x: float, width: float) -> int:
        """The step at a place; the nearest one beyond the ends."""
        number = round((x - SIDE) / max(self._pitch(width), 1e-9) + 0.5)
        return max(1, min(number, self.count))

    def paint(self, painter: QPainter, width: float, theme: Theme, *, done: bool) -> None:
        """Paints bands, steps and marks."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for phase in self._phases:
            self._paint_band(painter, phase, width, theme, done=done)
        if self._pitch(width) >= DOTS_FROM:
            self._paint_dots(painter, width, theme, done=done)
        else:
            self._paint_density(painter, width, theme, done=done)
        self._paint_prints(painter, width, theme)
        self._paint_errors(painter, width, theme)

    def _pitch(self, width: float) -> float:
        return (width - 2 * SIDE) / max(self.count, 1)

    def _paint_band(
        self, painter: QPainter, phase: Phase, width: float, theme: Theme, *, done: bool
    ) -> None:
        left = self.x_of(phase.first - 0.5, width)
        right = self.x_of(phase.last + 0.5, width)
        gap = 1.5 if right - left > 6 else 0.0
        band = QRectF(left + gap, LABEL_HEIGHT, right - left - 2 * gap, BAND_HEIGHT)
        strong = theme.colour(phase.kind)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(
            theme.colour("forward_fill" if phase.kind == "forward" else "backward_fill")
        )
        painter.drawRoundedRect(band, 5, 5)
        text = self._name(phase)
        painter.setFont(theme.font(11, bold=True))
        if painter.fontMetrics().horizontalAdvance(text) <= right - left:
            painter.setPen(strong)
            where = QRectF(left + gap, 0, right - left, LABEL_HEIGHT)
            painter.drawText(where, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop, text)

    def _name(self, phase: Phase) -> str:
        if phase.kind == "backward" and self._many:
            return f"{_tr('backward')} {phase.pass_id}"
        return _tr("backward") if phase.kind == "backward" else _tr("forward")

    def _paint_dots(self, painter: QPainter, width: float, theme: Theme, *, done: bool) -> None:
        middle = LABEL_HEIGHT + BAND_HEIGHT / 2
        full = QColor(theme.colour("status_done"))
        empty = QColor(theme.colour("status_to_come"))
        failed, ground = theme.colour("error"), theme.colour("panel")
        small = min(4.0, self._pitch(width) / 3)
        for at, kind in enumerate(self._kinds.tolist()):
            radius = small * 1.35 if kind == _CUSTOM else small
            strong, weak = (failed, failed) if kind == _ERROR else (full, empty)
            painter.setPen(QPen(strong if done else weak, 1.4))
            painter.setBrush(strong if done else ground)
            painter.drawEllipse(QPointF(self.x_of(at + 1, width), middle), radius, radius)

    def _paint_density(self, painter: QPainter, width: float, theme: Theme, *, done: bool) -> None:
        """Of each column of pixels: a line, higher where custom Functions run."""
        middle = LABEL_HEIGHT + BAND_HEIGHT / 2
        columns = np.unique(
            (SIDE + (np.arange(self.count) + 0.5) * self._pitch(width)).astype(np.int64)
        )
        custom = np.flatnonzero(self._kinds == _CUSTOM)
        special = np.unique((SIDE + (custom + 0.5) * self._pitch(width)).astype(np.int64))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        colour = theme.colour("status_done" if done else "status_to_come")
        for places, half in ((columns, 3.0), (special, 8.0)):
            rects = [QRectF(x, middle - half, 1, 2 * half) for x in places.tolist()]
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colour)
            painter.drawRects(rects)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def _paint_prints(self, painter: QPainter, width: float, theme: Theme) -> None:
        """Two lines of text, as a sign, below each step that printed."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("text_muted"))
        top = LABEL_HEIGHT + BAND_HEIGHT + 4
        places = {round(self.x_of(number, width)) for number in self._prints.tolist()}
        painter.drawRects([QRectF(x - 3.5, top, 7, 2) for x in places])
        painter.drawRects([QRectF(x - 3.5, top + 4, 4.5, 2) for x in places])

    def _paint_errors(self, painter: QPainter, width: float, theme: Theme) -> None:
        """A triangle above the band, where the dot of the current step never hides it."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("error"))
        bottom = LABEL_HEIGHT - 2
        for at in np.flatnonzero(self._kinds == _ERROR).tolist():
            x = self.x_of(at + 1, width)
            corners = ((x, bottom - 12), (x + 7, bottom), (x - 7, bottom))
            painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in corners]))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Timeline", text)
