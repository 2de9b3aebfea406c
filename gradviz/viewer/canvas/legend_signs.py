"""Entries of the legend, each sign painted by the same code as in the graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from gradviz.drawing.drawn import DrawnKind
from gradviz.drawing.face import SHAPES
from gradviz.viewer.canvas.breakpoint_layer import OUT, RADIUS, paint_breakpoint
from gradviz.viewer.canvas.card_paint import CardPaint
from gradviz.viewer.canvas.edge_paint import CUT, LINK, EdgePaint, cross_at, drawn_line
from gradviz.viewer.canvas.frame_layer import CORNER
from gradviz.viewer.canvas.frame_titles import paint_fold_sign
from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.canvas.hit_layer import paint_hit
from gradviz.viewer.canvas.outline import STACK, mark_place
from gradviz.viewer.canvas.overlay import paint_outline, pen_of
from gradviz.viewer.canvas.progress import DONE, NOW, TO_COME, UNTOUCHED
from gradviz.viewer.canvas.storage_layer import HEIGHT, paint_storage
from gradviz.viewer.canvas.text_cache import TextCache
from gradviz.viewer.canvas.trouble_layer import paint_trouble_sign
from gradviz.viewer.look.theme import Theme

SIGN_WIDTH, SIGN_HEIGHT = 96.0, 34.0
"""Space of a sign in scene units; signs are painted at graph size, then scaled."""

BOX = QRectF(9, 8, 36, 20)
"""Rectangle of the box in a sign; a line goes to its right."""

_SMALL_BOX = BOX.adjusted(4, 3, -4, -3)
"""Smaller box that leaves space for an outline."""

Paint = Callable[[QPainter, Theme], None]


@dataclass(frozen=True, slots=True)
class Entry:
    """One row of the legend.

    Attributes:
        text: Meaning of the sign.
        paint: Paints it into a space of `SIGN_WIDTH` by `SIGN_HEIGHT`.
    """

    text: str
    paint: Paint


def entries_of(scene: GraphScene | None) -> list[list[Entry]]:
    """Entries in groups: kinds of boxes, states, marks; only what occurs in the scene.

    Args:
        scene: The scene; None for all possible entries.
    """
    picture = None if scene is None else scene.picture
    found = {node.kind for node in picture.nodes} if picture is not None else set(SHAPES)
    kinds = [Entry(_name(kind), _kind(kind)) for kind in SHAPES if kind in found]
    states = [
        Entry(_tr("current step"), _state(NOW)),
        Entry(_tr("done"), _state(DONE)),
        Entry(_tr("to come"), _state(TO_COME)),
        Entry(_tr("not in this pass"), _state(UNTOUCHED)),
    ]
    marks = [Entry(_tr("selected"), _selected), Entry(_tr("search match"), _found)]
    if not found.isdisjoint(("saved", "dead_end")):
        marks.insert(0, Entry(_tr("no gradient flows"), _link))
    if "cut" in found:
        marks.insert(0, Entry(_tr("no gradient can flow"), _cut))
    if picture is None or picture.frames:
        kinds.append(Entry(_tr("open group"), _frame))
    if scene is None or scene.storages.signs:
        marks.append(Entry(_tr("shared memory"), _storage))
    if scene is None or scene.troubles.words:
        marks.append(Entry(_tr("problem"), _trouble))
    if scene is None or scene.breakpoints.points:
        marks.append(Entry(_tr("breakpoint"), _breakpoint))
    return [kinds, states, marks]


def _name(kind: DrawnKind) -> str:
    return {
        "custom": _tr("custom Function"),
        "builtin": _tr("built-in node"),
        "accumulate": _tr("AccumulateGrad"),
        "error": _tr("raises an error"),
        "leaf": _tr("leaf"),
        "link": _tr("repeated use"),
        "output": _tr("output"),
        "saved": _tr("saved tensors"),
        "folded": _tr("closed group"),
        "cut": _tr("cut: no history"),
        "dead_end": _tr("dead end: no gradient"),
    }.get(kind, kind)


def _kind(kind: DrawnKind) -> Paint:
    def paint(painter: QPainter, theme: Theme) -> None:
        box = BOX.translated(0, STACK if kind == "folded" else 0)
        if kind == "accumulate":
            # As flat as in the graph, so that signs differ in more than color.
            box = BOX.adjusted(0, 4, 0, -4)
        card = CardPaint(theme)
        card.body(painter, kind, box, DONE)
        _content(painter, theme, kind, box)
        if kind == "link":
            card.badge(painter, kind, QRectF(box.right() - 18, box.top() + 3, 14, 14))

    return paint


def _content(painter: QPainter, theme: Theme, kind: DrawnKind, box: QRectF) -> None:
    """Symbols for contents: elements of a leaf, an equals sign, a cross, an exclamation mark."""
    painter.setPen(QPen(theme.colour("text_muted"), 1.3))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    middle = box.center()
    if kind == "leaf":
        for column, row in ((0, 0), (1, 0), (0, 1), (1, 1)):
            painter.drawRect(QRectF(box.right() - 17 + 6 * column, middle.y() - 6 + 6 * row, 6, 6))
    elif kind == "output":
        for off in (-3, 3):
            line = middle + QPointF(0, off)
            painter.drawLine(line - QPointF(6, 0), line + QPointF(6, 0))
    elif kind == "cut":
        painter.setPen(QPen(theme.colour("failing_border"), 2.0))
        painter.drawLines(cross_at(middle, 4.0))
    elif kind == "error":
        painter.setPen(QPen(theme.colour("error"), 2.4))
        painter.drawLine(middle - QPointF(0, 6), middle + QPointF(0, 1.5))
        painter.drawPoint(middle + QPointF(0, 6))


def _state(state: int) -> Paint:
    def paint(painter: QPainter, theme: Theme) -> None:
        if state == NOW:
            paint_outline(painter, "now", pen_of(theme, "now"), "rounded", BOX)
        card = CardPaint(theme)
        card.body(painter, "builtin", BOX, state)
        card.mark(painter, mark_place("rounded", BOX), state)
        _line(painter, theme, state)

    return paint


def _link(painter: QPainter, theme: Theme) -> None:
    _line(painter, theme, LINK)


def _cut(painter: QPainter, theme: Theme) -> None:
    _line(painter, theme, CUT)


def _line(painter: QPainter, theme: Theme, state: int) -> None:
    middle = BOX.center().y()
    points = np.linspace((BOX.right() + 14, middle), (SIGN_WIDTH, middle), 4)
    lines, paint = [drawn_line(points, state)], EdgePaint(theme)
    paint.lines(painter, state, lines, [])
    paint.heads(painter, state, lines)


def _selected(painter: QPainter, theme: Theme) -> None:
    paint_outline(painter, "selected", pen_of(theme, "selected"), "rounded", _SMALL_BOX)
    CardPaint(theme).body(painter, "builtin", _SMALL_BOX, DONE)


def _found(painter: QPainter, theme: Theme) -> None:
    paint_hit(painter, theme, "rounded", _SMALL_BOX)
    CardPaint(theme).body(painter, "builtin", _SMALL_BOX, DONE)


def _frame(painter: QPainter, theme: Theme) -> None:
    painter.setPen(QPen(theme.colour("frame_border"), 1.0))
    painter.setBrush(theme.colour("frame_fill"))
    painter.drawRoundedRect(BOX.adjusted(0, -4, 0, 4), CORNER, CORNER)
    sign = QRectF(BOX.left() + 6, BOX.top() + 3, 12, 12)
    paint_fold_sign(painter, sign, theme.colour("frame_text"))


def _storage(painter: QPainter, theme: Theme) -> None:
    cache = TextCache("mark")
    cache.begin(painter)
    rect = QRectF(BOX.center().x() - 10, BOX.center().y() - HEIGHT / 2, 20, HEIGHT)
    paint_storage(painter, theme, rect, "A", cache, lit=False)


def _trouble(painter: QPainter, theme: Theme) -> None:
    ink, ground = theme.colour("error"), theme.colour("error_fill")
    paint_trouble_sign(painter, BOX.center(), 16.0, ink, ground)


def _breakpoint(painter: QPainter, theme: Theme) -> None:
    CardPaint(theme).body(painter, "builtin", BOX, DONE)
    middle = QPointF(BOX.left() - OUT, BOX.center().y())
    ink, ground = theme.colour("breakpoint"), theme.colour("canvas")
    paint_breakpoint(painter, middle, RADIUS, ink, ground, enabled=True)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Legend", text)
