"""Paints the body of a box: its shape, fill and border, and the mark of how far it has got."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF

from gradviz.drawing.drawn import DrawnKind
from gradviz.drawing.face import SHAPES
from gradviz.model.palette import Role
from gradviz.viewer.canvas.progress import DONE, NOW, TO_COME, UNTOUCHED
from gradviz.viewer.theme import Theme

MARK = 4.5
CORNER = 8.0
CHAMFER = 9.0
STACK = 4.0

DRAWN_KINDS: tuple[DrawnKind, ...] = tuple(SHAPES)

_COLOURS: dict[DrawnKind, str] = {"error": "failing", "link": "leaf"}
"""The palette's name of a kind where it is another one."""


class CardPaint:
    """Pens and brushes of one theme, made once."""

    def __init__(self, theme: Theme) -> None:
        self._fill = {kind: QBrush(_role(theme, kind, "fill")) for kind in DRAWN_KINDS}
        self.text = {kind: _role(theme, kind, "text") for kind in DRAWN_KINDS}
        self._border = {kind: _pen(theme, kind) for kind in DRAWN_KINDS}
        self._dashed = {kind: _dashed(pen) for kind, pen in self._border.items()}
        self._ground = theme.colour("canvas")
        self._marks = {
            DONE: theme.colour("status_done"),
            NOW: theme.colour("status_now"),
            TO_COME: theme.colour("status_to_come"),
        }

    def far_colour(self, kind: DrawnKind) -> QColor:
        """One colour for the whole box, where it is too small for a border."""
        return self._border[kind].color()

    def body(self, painter: QPainter, kind: DrawnKind, box: QRectF, state: int) -> None:
        """The shape with its border; dashed while the box's turn is still to come."""
        waiting = state in (TO_COME, UNTOUCHED)
        shape = SHAPES[kind]
        pens = self._dashed if waiting or shape == "note" else self._border
        painter.setPen(pens[kind])
        painter.setBrush(self._fill[kind])
        if shape == "stack":
            painter.drawRoundedRect(box.translated(STACK, -STACK), CORNER, CORNER)
        if shape == "chamfered":
            painter.drawPolygon(chamfered(box))
        else:
            radius = box.height() / 2 if shape == "pill" else CORNER
            painter.drawRoundedRect(box, radius, radius)

    def badge(self, painter: QPainter, kind: DrawnKind, box: QRectF) -> None:
        """The round ground of a link's number."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._border[kind].color())
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)

    def badge_text(self) -> QColor:
        """What stands on a badge."""
        return self._ground

    def mark(self, painter: QPainter, box: QRectF, state: int) -> None:
        """The sign at the upper right corner: filled for done, ringed for now, hollow to come."""
        if state in self._marks:
            at = box.topRight() + QPointF(-2.0, 2.0)
            paint_mark(painter, at, state, self._marks[state], self._ground)


def paint_mark(painter: QPainter, at: QPointF, state: int, colour: QColor, ground: QColor) -> None:
    """The sign of a state, also for the legend."""
    painter.setPen(QPen(colour, 1.6))
    painter.setBrush(colour if state == DONE else ground)
    radius = MARK + 1.5 if state == NOW else MARK
    painter.drawEllipse(at, radius, radius)
    if state == NOW:
        painter.setBrush(colour)
        painter.drawEllipse(at, 2.0, 2.0)


def chamfered(box: QRectF, cut: float = CHAMFER) -> QPolygonF:
    """A rectangle with its corners cut off."""
    left, top, right, bottom = box.left(), box.top(), box.right(), box.bottom()
    return QPolygonF(
        [
            QPointF(left + cut, top),
            QPointF(right - cut, top),
            QPointF(right, top + cut),
            QPointF(right, bottom - cut),
            QPointF(right - cut, bottom),
            QPointF(left + cut, bottom),
            QPointF(left, bottom - cut),
            QPointF(left, top + cut),
        ]
    )


def _role(theme: Theme, kind: DrawnKind, part: str) -> QColor:
    return theme.colour(cast(Role, f"{_COLOURS.get(kind, kind)}_{part}"))


def _pen(theme: Theme, kind: DrawnKind) -> QPen:
    return QPen(_role(theme, kind, "border"), 2.6 if SHAPES[kind] == "chamfered" else 1.3)


def _dashed(pen: QPen) -> QPen:
    dashed = QPen(pen)
    dashed.setDashPattern([4.0 / pen.widthF(), 3.0 / pen.widthF()])
    return dashed
