"""Paints a box: shape, fill, border, and the mark that shows its progress."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF

from gradviz.drawing.appearance.palette import LEAST_SIGN, LEAST_TEXT, PaletteRole, faded, mixed
from gradviz.drawing.content.drawn_graph import DrawnKind
from gradviz.drawing.content.graph_progress import DONE, MADE, NOW, TO_COME, UNTOUCHED
from gradviz.drawing.geometry.box_geometry import SHAPES
from gradviz.viewer.canvas.layers.card_outlines import (
    STACK,
    bar_of,
    chamfered,
    fold_of_note,
    note,
    radius_of,
)
from gradviz.viewer.theme.theme import Theme

MARK, NOW_MARK = 5.0, 6.5
"""Radius of the progress mark, normally and for the current step."""

DRAWN_KINDS: tuple[DrawnKind, ...] = tuple(SHAPES)

_COLORS: dict[DrawnKind, str] = {
    "error": "failing",
    "link": "leaf",
    "cut": "failing",
    "dead_end": "output",
}
"""Palette names of the kinds that have no colors of their own."""

_UNMARKED = ("saved", "link", "output", "cut", "dead_end")

_MARKS: dict[int, PaletteRole] = {
    DONE: "status_done",
    NOW: "status_now",
    TO_COME: "status_to_come",
}
_TICK = QPolygonF([QPointF(-2.2, 0.1), QPointF(-0.6, 1.8), QPointF(2.3, -1.7)])
_THIN, _NOW, _THICK = 1.3, 2.0, 2.6
_FADED_FILL = 0.7
_DASHES: dict[int, tuple[float, float]] = {TO_COME: (4.5, 3.0), UNTOUCHED: (1.4, 2.8)}
"""Dash and gap length of the border, in scene units."""


@dataclass(frozen=True, slots=True)
class CardStyle:
    """Colors of one kind of box.

    Attributes:
        fill: Fill of the body.
        border: The border.
        text: Text inside the box.
    """

    fill: QColor
    border: QColor
    text: QColor


def card_style_of(theme: Theme, kind: DrawnKind, *, dimmed: bool = False) -> CardStyle:
    """Colors of a kind; dimmed ones fade toward the background but stay legible."""
    fill, border, text = (_role(theme, kind, part) for part in ("fill", "border", "text"))
    if not dimmed:
        return CardStyle(fill, border, text)
    pale = mixed(fill.name(), theme.color("canvas").name(), _FADED_FILL)
    return CardStyle(
        QColor(pale),
        faded_symbol(theme, border),
        QColor(faded(text.name(), pale, LEAST_TEXT)),
    )


def faded_symbol(theme: Theme, ink: QColor) -> QColor:
    """Fade a line color while keeping it visible, even inside nested frames."""
    return QColor(faded(ink.name(), theme.color("frame_inner").name(), LEAST_SIGN))


class CardPainter:
    """Pens and brushes of one theme, created once."""

    def __init__(self, theme: Theme, *, dimmed: bool = False) -> None:
        styles = {kind: card_style_of(theme, kind, dimmed=dimmed) for kind in DRAWN_KINDS}
        self._fill = {kind: QBrush(style.fill) for kind, style in styles.items()}
        self.text = {kind: style.text for kind, style in styles.items()}
        self._pens = {
            (kind, state): _pen(kind, style.border, state)
            for kind, style in styles.items()
            for state in (UNTOUCHED, TO_COME, DONE, NOW, MADE)
        }
        self.ground = theme.color("canvas")
        self._marks = {state: theme.color(role) for state, role in _MARKS.items()}
        if dimmed:
            self._marks = {key: faded_symbol(theme, ink) for key, ink in self._marks.items()}

    def far_color(self, kind: DrawnKind) -> QColor:
        """Single color of a box that is too small for a border."""
        return self._pens[kind, DONE].color()

    def body(self, painter: QPainter, kind: DrawnKind, box: QRectF, state: int) -> None:
        """Paint the shape: dashed border if pending, dotted if untouched, bold if current."""
        shape = SHAPES[kind]
        painter.setPen(self._pens[kind, state])
        painter.setBrush(self._fill[kind])
        if shape == "stack":
            painter.drawRoundedRect(box.translated(STACK, -STACK), *_corners(kind, box))
        if shape == "chamfered":
            painter.drawPolygon(chamfered(box))
        elif shape == "note":
            painter.drawPath(note(box))
            painter.setPen(self._pens[kind, DONE])
            painter.drawPolyline(fold_of_note(box))
        elif shape == "stub":
            painter.drawRect(box)
            painter.fillRect(bar_of(box), self._pens[kind, DONE].color())
        else:
            painter.drawRoundedRect(box, *_corners(kind, box))

    def badge(self, painter: QPainter, kind: DrawnKind, box: QRectF) -> None:
        """Paint the round background of a link number."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.text[kind])
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)

    def badge_text(self, kind: DrawnKind) -> QColor:
        """Color of the number on a badge."""
        return self._fill[kind].color()

    def mark(self, painter: QPainter, at: QPointF, state: int, *, fine: bool = True) -> None:
        """Paint the progress mark: tick if done, ring if current, empty circle if pending.

        Other states have no mark.

        Args:
            painter: Antialiased.
            at: Position, from `mark_place`.
            state: State of the box.
            fine: Whether a tick would be large enough to see.
        """
        if state in self._marks:
            _paint_mark(painter, at, state, self._marks[state], self.ground, fine)


def is_marked(kind: DrawnKind) -> bool:
    """Whether boxes of this kind have a progress mark."""
    return kind not in _UNMARKED


def _paint_mark(
    painter: QPainter, at: QPointF, state: int, color: QColor, ground: QColor, fine: bool
) -> None:
    painter.setPen(QPen(ground, 1.6) if state == DONE else QPen(color, 1.8))
    painter.setBrush(color if state == DONE else ground)
    radius = NOW_MARK if state == NOW else MARK + (0.8 if state == DONE else 0.0)
    painter.drawEllipse(at, radius, radius)
    if state == NOW:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawEllipse(at, 3.0, 3.0)
    elif state == DONE and fine:
        painter.setPen(QPen(ground, 1.5, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawPolyline(_TICK.translated(at))


def _corners(kind: DrawnKind, box: QRectF) -> tuple[float, float]:
    radius = radius_of(SHAPES[kind], box)
    return radius, radius


def _role(theme: Theme, kind: DrawnKind, part: str) -> QColor:
    return theme.color(cast(PaletteRole, f"{_COLORS.get(kind, kind)}_{part}"))


def _pen(kind: DrawnKind, color: QColor, state: int) -> QPen:
    now = _NOW if state == NOW else _THIN
    pen = QPen(color, _THICK if SHAPES[kind] == "chamfered" else now)
    # Qt's default, a bevel, would blunt the corners.
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    if state in _DASHES:
        dash, gap = _DASHES[state]
        # Qt's default caps lengthen each dash by the pen's width, and it counts in pen widths.
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([dash / pen.widthF(), gap / pen.widthF()])
    return pen
