"""A collapsible legend in a corner of the graph: what shapes, marks and lines mean."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QAction, QFontMetricsF, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QToolButton, QWidget

from gradviz.analysis.index.derivative_orders import short_order_text
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.drawing.content.drawn_graph import DrawnKind
from gradviz.drawing.content.graph_progress import DONE, MADE, NOW, TO_COME, UNTOUCHED
from gradviz.drawing.content.node_problems import (
    ERROR_COLORS,
    ISOLATED_COLORS,
    WARNING_COLORS,
    problem_colors,
)
from gradviz.drawing.geometry.box_geometry import SHAPES
from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.canvas.layers.breakpoint_layer import OUT, RADIUS, paint_breakpoint
from gradviz.viewer.canvas.layers.card_highlights import paint_hit, paint_outline, pen_of
from gradviz.viewer.canvas.layers.card_outlines import STACK, mark_place
from gradviz.viewer.canvas.layers.card_painter import CardPainter
from gradviz.viewer.canvas.layers.edge_painter import CUT, LINK, EdgePainter, cross_at, drawn_line
from gradviz.viewer.canvas.layers.frame_layer import CORNER, paint_fold_sign
from gradviz.viewer.canvas.layers.graph_text import TextCache
from gradviz.viewer.canvas.layers.order_layer import HEIGHT as ORDER_HEIGHT
from gradviz.viewer.canvas.layers.order_layer import paint_order
from gradviz.viewer.canvas.layers.problem_layer import paint_problem_sign
from gradviz.viewer.canvas.layers.storage_layer import HEIGHT, paint_storage
from gradviz.viewer.theme.dress import set_icon
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.translation import translate

SIGN_WIDTH, SIGN_HEIGHT = 96.0, 34.0
"""Space of a sign in scene units; signs are painted at graph size, then scaled."""

BOX = QRectF(9, 8, 36, 20)
"""Rectangle of the box in a sign; a line goes to its right."""

_SMALL_BOX = BOX.adjusted(4, 3, -4, -3)
"""Smaller box that leaves space for an outline."""

PaintSymbol = Callable[[QPainter, Theme], None]


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One row of the legend.

    Attributes:
        text: Meaning of the sign.
        paint: Paints it into a space of `SIGN_WIDTH` by `SIGN_HEIGHT`.
    """

    text: str
    paint: PaintSymbol


def legend_entries(scene: GraphScene | None) -> list[list[LegendEntry]]:
    """Entries in groups: kinds of boxes, states, marks; only what occurs in the scene.

    Args:
        scene: The scene; None for all possible entries.
    """
    picture = None if scene is None else scene.picture
    found = {node.kind for node in picture.nodes} if picture is not None else set(SHAPES)
    kinds = [LegendEntry(_name(kind), _kind(kind)) for kind in SHAPES if kind in found]
    states = [
        LegendEntry(translate("Legend", "current step"), _state(NOW)),
        LegendEntry(translate("Legend", "created"), _state(MADE)),
        LegendEntry(translate("Legend", "done"), _state(DONE)),
        LegendEntry(translate("Legend", "to come"), _state(TO_COME)),
        LegendEntry(translate("Legend", "not in this pass"), _state(UNTOUCHED)),
    ]
    marks = [
        LegendEntry(translate("Legend", "selected"), _selected),
        LegendEntry(translate("Legend", "search match"), _found),
    ]
    if not found.isdisjoint(("saved", "dead_end")):
        marks.insert(0, LegendEntry(translate("Legend", "no gradient flows"), _link))
    if "cut" in found:
        marks.insert(0, LegendEntry(translate("Legend", "no gradient can flow"), _cut))
    if picture is None or picture.frames:
        kinds.append(LegendEntry(translate("Legend", "open group"), _frame))
    if scene is None or scene.orders.words:
        marks.append(LegendEntry(translate("Legend", "order of derivative"), _order))
    if scene is None or scene.storages.signs:
        marks.append(LegendEntry(translate("Legend", "shared memory"), _storage))
    words = () if scene is None else scene.node_problems.words.values()
    colors = {problem_colors(each) for each in words}
    if scene is None or ERROR_COLORS in colors:
        marks.append(LegendEntry(translate("Legend", "problem"), _problem(*ERROR_COLORS)))
    if scene is None or WARNING_COLORS in colors:
        marks.append(LegendEntry(translate("Legend", "warning"), _problem(*WARNING_COLORS)))
    if scene is None or ISOLATED_COLORS in colors:
        isolated = translate("Legend", "isolated NaN or Inf")
        marks.append(LegendEntry(isolated, _problem(*ISOLATED_COLORS)))
    if scene is None or scene.breakpoints.points:
        marks.append(LegendEntry(translate("Legend", "breakpoint"), _breakpoint))
    return [kinds, states, marks]


def _name(kind: DrawnKind) -> str:
    return {
        "custom": translate("Legend", "custom Function"),
        "builtin": translate("Legend", "built-in node"),
        "accumulate": translate("Legend", "AccumulateGrad"),
        "error": translate("Legend", "raises an error"),
        "leaf": translate("Legend", "leaf"),
        "link": translate("Legend", "repeated use"),
        "output": translate("Legend", "output"),
        "saved": translate("Legend", "saved tensors"),
        "folded": translate("Legend", "closed group"),
        "cut": translate("Legend", "cut: no history"),
        "dead_end": translate("Legend", "dead end: no gradient"),
    }.get(kind, kind)


def _kind(kind: DrawnKind) -> PaintSymbol:
    def paint(painter: QPainter, theme: Theme) -> None:
        box = BOX.translated(0, STACK if kind == "folded" else 0)
        if kind == "accumulate":
            # As flat as in the graph, so that signs differ in more than color.
            box = BOX.adjusted(0, 4, 0, -4)
        card = CardPainter(theme)
        card.body(painter, kind, box, DONE)
        _content(painter, theme, kind, box)
        if kind == "link":
            card.badge(painter, kind, QRectF(box.right() - 18, box.top() + 3, 14, 14))

    return paint


def _content(painter: QPainter, theme: Theme, kind: DrawnKind, box: QRectF) -> None:
    """Symbols for contents: elements of a leaf, an equals sign, a cross, an exclamation mark."""
    painter.setPen(QPen(theme.color("text_muted"), 1.3))
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
        painter.setPen(QPen(theme.color("failing_border"), 2.0))
        painter.drawLines(cross_at(middle, 4.0))
    elif kind == "error":
        painter.setPen(QPen(theme.color("error"), 2.4))
        painter.drawLine(middle - QPointF(0, 6), middle + QPointF(0, 1.5))
        painter.drawPoint(middle + QPointF(0, 6))


def _state(state: int) -> PaintSymbol:
    def paint(painter: QPainter, theme: Theme) -> None:
        if state == NOW:
            paint_outline(painter, "now", pen_of(theme, "now"), "rounded", BOX)
        card = CardPainter(theme)
        card.body(painter, "builtin", BOX, state)
        card.mark(painter, mark_place("rounded", BOX), state)
        if state != MADE:
            _line(painter, theme, state)

    return paint


def _link(painter: QPainter, theme: Theme) -> None:
    _line(painter, theme, LINK)


def _cut(painter: QPainter, theme: Theme) -> None:
    _line(painter, theme, CUT)


def _line(painter: QPainter, theme: Theme, state: int) -> None:
    middle = BOX.center().y()
    points = np.linspace((BOX.right() + 14, middle), (SIGN_WIDTH, middle), 4)
    lines, paint = [drawn_line(points, state)], EdgePainter(theme)
    paint.lines(painter, state, lines, [])
    paint.heads(painter, state, lines)


def _selected(painter: QPainter, theme: Theme) -> None:
    paint_outline(painter, "selected", pen_of(theme, "selected"), "rounded", _SMALL_BOX)
    CardPainter(theme).body(painter, "builtin", _SMALL_BOX, DONE)


def _found(painter: QPainter, theme: Theme) -> None:
    paint_hit(painter, theme, "rounded", _SMALL_BOX)
    CardPainter(theme).body(painter, "builtin", _SMALL_BOX, DONE)


def _frame(painter: QPainter, theme: Theme) -> None:
    painter.setPen(QPen(theme.color("frame_border"), 1.0))
    painter.setBrush(theme.color("frame_fill"))
    painter.drawRoundedRect(BOX.adjusted(0, -4, 0, 4), CORNER, CORNER)
    sign = QRectF(BOX.left() + 6, BOX.top() + 3, 12, 12)
    paint_fold_sign(painter, sign, theme.color("frame_text"))


def _storage(painter: QPainter, theme: Theme) -> None:
    cache = TextCache("mark")
    cache.begin(painter)
    rect = QRectF(BOX.center().x() - 10, BOX.center().y() - HEIGHT / 2, 20, HEIGHT)
    paint_storage(painter, theme, rect, "A", cache, is_highlighted=False)


def _order(painter: QPainter, theme: Theme) -> None:
    CardPainter(theme).body(painter, "builtin", BOX, DONE)
    cache = TextCache("mark")
    cache.begin(painter)
    rect = QRectF(BOX.left() + 2, BOX.bottom() - ORDER_HEIGHT / 2, 28, ORDER_HEIGHT)
    paint_order(painter, theme, rect, short_order_text(2), cache)


def _problem(ink: PaletteRole, ground: PaletteRole) -> PaintSymbol:
    def paint(painter: QPainter, theme: Theme) -> None:
        paint_problem_sign(painter, BOX.center(), 16.0, theme.color(ink), theme.color(ground))

    return paint


def _breakpoint(painter: QPainter, theme: Theme) -> None:
    CardPainter(theme).body(painter, "builtin", BOX, DONE)
    middle = QPointF(BOX.left() - OUT, BOX.center().y())
    ink, ground = theme.color("breakpoint"), theme.color("canvas")
    paint_breakpoint(painter, middle, RADIUS, ink, ground, enabled=True)


_SIGN_SCALE = 0.62
"""Scale of the signs relative to the graph at 100%."""

_PAD, _ROW, _GAP, _BETWEEN = 10, 21, 8, 7


class GraphLegend(QWidget):
    """Table of the signs that occur in the graph."""

    def __init__(self, theme: Theme, action: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # Otherwise clicks and wheel events on the legend would reach the graph behind it.
        self.setAttribute(Qt.WidgetAttribute.WA_NoMousePropagation)
        self.setAccessibleName(self.tr("Legend"))
        self._fold = QToolButton(self)
        self._fold.setAutoRaise(True)
        self._fold.setAccessibleName(self.tr("Hide the legend"))
        self._fold.setToolTip(self.tr("Hide the legend"))
        self._fold.clicked.connect(action.trigger)
        self._groups: list[list[LegendEntry]] = legend_entries(None)
        self._made: QPixmap | None = None
        self.setAccessibleDescription(", ".join(self.texts))
        self._around, self._theme = theme, replace(theme)
        self.dress()

    @property
    def texts(self) -> list[str]:
        """Texts of all entries, from top to bottom."""
        return [entry.text for group in self._groups for entry in group]

    @property
    def scale(self) -> float:
        """Font scale of the legend."""
        return self._theme.scale

    @property
    def tops(self) -> list[float]:
        """Top of each entry's row, in pixels."""
        theme, found = self._theme, []
        top = float(theme.px(_PAD / 2) + theme.px(_ROW))
        for group in self._groups:
            found += [top + at * theme.px(_ROW) for at in range(len(group))]
            top += len(group) * theme.px(_ROW) + theme.px(_BETWEEN)
        return found

    def explain(self, scene: GraphScene | None) -> None:
        """List the signs that occur in a scene."""
        before = self.texts
        self._groups = legend_entries(scene)
        if self.texts != before:
            self.setAccessibleDescription(", ".join(self.texts))
            self._resize()

    def dress(self) -> None:
        """Repaint in the theme of the window, at its scale."""
        self.rescale(self._around.scale)

    def rescale(self, scale: float) -> None:
        """Repaint in the theme of the window, at another scale."""
        self._theme.become(replace(self._around, scale=scale))
        self._font = self._theme.font(SMALL_PIXELS)
        self._bold = self._theme.font(SMALL_PIXELS, bold=True)
        set_icon(self._fold, self._theme, "collapse", side=14)
        self._resize()

    def _resize(self) -> None:
        theme, metrics = self._theme, QFontMetricsF(self._font)
        widest = max(metrics.horizontalAdvance(text) for text in self.texts)
        self._sign_width = SIGN_WIDTH * _SIGN_SCALE * theme.scale
        width = self._sign_width + widest + theme.px(2 * _PAD + _GAP)
        rows = 1 + len(self.texts)
        height = theme.px(rows * _ROW + len(self._groups) * _BETWEEN + _PAD)
        self.resize(round(width), height)
        size = self._fold.sizeHint()
        self._fold.setGeometry(
            self.width() - size.width() - 4, 4, size.width(), min(size.height(), theme.px(_ROW))
        )
        self._made = None
        self.update()

    def _baseline(self, top: float) -> float:
        metrics = QFontMetricsF(self._font)
        return top + (self._theme.px(_ROW) + metrics.capHeight()) / 2

    def _paint_entry(self, painter: QPainter, entry: LegendEntry, top: float) -> None:
        theme = self._theme
        left, row = theme.px(_PAD), theme.px(_ROW)
        painter.save()
        scale = _SIGN_SCALE * theme.scale
        painter.translate(left, top + (row - SIGN_HEIGHT * scale) / 2)
        painter.scale(scale, scale)
        entry.paint(painter, theme)
        painter.restore()
        painter.setPen(theme.color("text"))
        text_left = left + self._sign_width + theme.px(_GAP)
        painter.drawText(QPointF(text_left, self._baseline(top)), entry.text)

    def _paint(self, painter: QPainter) -> None:
        theme = self._theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.color("border"))
        painter.setBrush(theme.color("panel"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        painter.setFont(self._bold)
        painter.setPen(theme.color("text_muted"))
        title = QPointF(theme.px(_PAD), self._baseline(theme.px(_PAD / 2)))
        painter.drawText(title, self.accessibleName())
        painter.setFont(self._font)
        entries = [entry for group in self._groups for entry in group]
        for entry, top in zip(entries, self.tops, strict=True):
            self._paint_entry(painter, entry, top)

    def sizeHint(self) -> QSize:
        """Always the current size."""
        return self.size()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the table from a cached pixmap, since every move of the graph repaints it."""
        # The window may have moved to a screen with another ratio, where the pixmap would blur.
        ratio = self.devicePixelRatioF()
        if self._made is None or self._made.devicePixelRatioF() != ratio:
            self._made = QPixmap((QSizeF(self.size()) * ratio).toSize())
            self._made.setDevicePixelRatio(ratio)
            self._made.fill(Qt.GlobalColor.transparent)
            painter = QPainter(self._made)
            self._paint(painter)
            painter.end()
        painter = QPainter(self)
        painter.drawPixmap(0, 0, self._made)
        painter.end()
