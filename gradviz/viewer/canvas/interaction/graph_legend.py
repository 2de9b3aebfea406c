"""A collapsible legend in a corner of the graph: what shapes, marks and lines mean."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QToolButton, QWidget

from gradviz.document.ops import duration_text
from gradviz.drawing.content.drawn_graph import DrawnKind
from gradviz.drawing.content.graph_progress import DONE, FREED, MADE, NOW, TO_COME, UNTOUCHED
from gradviz.drawing.content.node_problems import (
    ERROR_COLORS,
    ISOLATED_COLORS,
    WARNING_COLORS,
    problem_colors,
)
from gradviz.drawing.display.cards import card_body
from gradviz.drawing.display.edges import CUT, LINK
from gradviz.drawing.display.legend_signs import (
    BOX,
    SIGN_HEIGHT,
    SIGN_WIDTH,
    breakpoint_sign,
    frame_sign,
    heat_sign,
    highlight_sign,
    kind_sign,
    line_sign,
    order_sign,
    problem_symbol,
    state_sign,
    storage_sign,
)
from gradviz.drawing.display.parts import Part
from gradviz.drawing.geometry.box_geometry import SHAPES
from gradviz.viewer.actions import Actions
from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.canvas.graph_stage import GraphStage
from gradviz.viewer.canvas.graph_view import GraphView
from gradviz.viewer.canvas.layers.graph_text import measure
from gradviz.viewer.canvas.layers.part_painter import PartPainter
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_icon
from gradviz.viewer.translation import translate


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One row of the legend.

    Attributes:
        text: Meaning of the sign.
        parts: The sign, in a space of `SIGN_WIDTH` by `SIGN_HEIGHT`.
    """

    text: str
    parts: tuple[Part, ...]

    def paint(self, painter: QPainter, theme: Theme) -> None:
        """Paint the sign."""
        PartPainter(theme).paint(painter, self.parts)


def legend_entries(scene: GraphScene | None) -> list[list[LegendEntry]]:
    """Entries in groups: kinds of boxes, states, marks; only what occurs in the scene.

    Args:
        scene: The scene; None for all possible entries.
    """
    picture = None if scene is None else scene.picture
    found = {node.kind for node in picture.nodes} if picture is not None else set(SHAPES)
    kinds = [_entry(_name(kind), kind_sign, kind) for kind in SHAPES if kind in found]
    states = [
        _entry(translate("Legend", "current step"), state_sign, NOW),
        _entry(translate("Legend", "created"), state_sign, MADE),
        _entry(translate("Legend", "done"), state_sign, DONE),
        _entry(translate("Legend", "to come"), state_sign, TO_COME),
        _entry(translate("Legend", "not in this pass"), state_sign, UNTOUCHED),
    ]
    freed = _entry(translate("Legend", "freed"), card_body, "saved", BOX, FREED)
    states += [freed] if "saved" in found else []
    marks = [
        _entry(translate("Legend", "selected"), highlight_sign, "selected"),
        _entry(translate("Legend", "search match"), highlight_sign, "hit"),
    ]
    if not found.isdisjoint(("saved", "dead_end")):
        marks.insert(0, _entry(translate("Legend", "no gradient flows"), line_sign, LINK))
    if "cut" in found:
        marks.insert(0, _entry(translate("Legend", "no gradient can flow"), line_sign, CUT))
    if picture is None or picture.frames:
        kinds.append(_entry(translate("Legend", "open group"), frame_sign))
    if scene is None or scene.orders.marks:
        marks.append(_entry(translate("Legend", "order of derivative"), order_sign, measure))
    if scene is None or scene.storages.marks:
        marks.append(_entry(translate("Legend", "shared memory"), storage_sign, measure))
    words = () if scene is None else scene.node_problems.marks.values()
    colors = {problem_colors(each) for each in words}
    if scene is None or ERROR_COLORS in colors:
        marks.append(_entry(translate("Legend", "problem"), problem_symbol, ERROR_COLORS))
    if scene is None or WARNING_COLORS in colors:
        marks.append(_entry(translate("Legend", "warning"), problem_symbol, WARNING_COLORS))
    if scene is None or ISOLATED_COLORS in colors:
        isolated = translate("Legend", "isolated NaN or Inf")
        marks.append(_entry(isolated, problem_symbol, ISOLATED_COLORS))
    if scene is None or scene.breakpoints.marks:
        marks.append(_entry(translate("Legend", "breakpoint"), breakpoint_sign))
    return [kinds, states, marks + _times(scene)]


def _times(scene: GraphScene | None) -> list[LegendEntry]:
    """The color of times, which the graph has only if the user wants it."""
    longest = None if scene is None else scene.longest
    if longest == 0:
        return []
    text = translate("Legend", "time while recording, up to {0}")
    return [_entry(text.format(duration_text(longest)), heat_sign)]


def _entry(text: str, draw: Callable[..., Iterable[Part]], *about: Hashable) -> LegendEntry:
    return LegendEntry(text, _sign(draw, *about))


@functools.cache
def _sign(draw: Callable[..., Iterable[Part]], *about: Hashable) -> tuple[Part, ...]:
    """A sign, drawn once: the legend is made several times at each step."""
    return tuple(draw(*about))


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


_SIGN_SCALE = 0.62
"""Scale of the signs relative to the graph at 100%."""

_PAD, _ROW, _GAP, _BETWEEN = 10, 21, 8, 7


_EDGE = 10
"""Distance from the edges of the view, in pixels."""

_LEAST_SCALE = 0.9
"""Minimum font scale of a legend with many signs in a low window."""

_LEGEND_SHARE = 0.22
"""Maximum share of the view's width for the legend, unless the user asked for it."""


class GraphLegend(QWidget):
    """Table of the signs that occur in the graph, in a corner of its view if there is space."""

    def __init__(
        self, state: ViewerState, view: GraphView, stage: GraphStage, actions: Actions
    ) -> None:
        super().__init__(view)
        self._state, self._view, self._stage = state, view, stage
        self._action = actions.legend
        self._is_opened_by_user = False
        # Otherwise clicks and wheel events on the legend would reach the graph behind it.
        self.setAttribute(Qt.WidgetAttribute.WA_NoMousePropagation)
        self.setAccessibleName(self.tr("Legend"))
        self._fold = QToolButton(self)
        self._fold.setAutoRaise(True)
        self._fold.setAccessibleName(self.tr("Hide the legend"))
        self._fold.setToolTip(self.tr("Hide the legend"))
        self._fold.clicked.connect(self._action.trigger)
        self._groups: list[list[LegendEntry]] = legend_entries(None)
        self._made: QPixmap | None = None
        self.setAccessibleDescription(", ".join(self.texts))
        self._theme = replace(state.theme)
        preferences = state.preferences
        self._action.setChecked(preferences.legend)
        # Not `toggled`: hiding the legend for lack of space must not change the preference.
        self._action.triggered.connect(self._on_action_triggered)
        preferences.changed.connect(self._on_preferences_changed)
        view.resized.connect(self._arrange)
        stage.current_changed.connect(self.explain)
        state.theme_changed.connect(self._on_state_theme_changed)
        self._on_state_theme_changed(state.theme)

    @property
    def texts(self) -> list[str]:
        """Texts of all entries, from top to bottom."""
        return [entry.text for group in self._groups for entry in group]

    @property
    def tops(self) -> list[float]:
        """Top of each entry's row, in pixels."""
        theme, found = self._theme, []
        top = float(theme.px(_PAD / 2) + theme.px(_ROW))
        for group in self._groups:
            found += [top + at * theme.px(_ROW) for at in range(len(group))]
            top += len(group) * theme.px(_ROW) + theme.px(_BETWEEN)
        return found

    def explain(self) -> None:
        """List the signs that occur in the graph."""
        before, size = self.texts, self.size()
        self._groups = legend_entries(self._stage.scene)
        if self.texts != before:
            self.setAccessibleDescription(", ".join(self.texts))
            self._resize()
        if self.size() != size:
            self._arrange()

    def _arrange(self) -> None:
        preferences, view = self._state.preferences, self._view
        edge, space = self._state.theme.px(_EDGE), view.viewport().rect()
        self._fit(space.height() - 2 * edge)
        shown = preferences.legend and self._has_space(space.size())
        self._action.setChecked(shown)
        self.setVisible(shown)
        self.move(edge, max(0, space.height() - self.height() - edge))
        view.reserve(self.width() + 2 * edge if shown else 0)

    def _has_space(self, space: QSize) -> bool:
        """Whether the legend leaves enough space for the graph, or the user asked for it."""
        # Compare the full-size width, or the legend would flicker as its font changes.
        width = self.width() * self._state.theme.scale / self._theme.scale
        narrow = width > _LEGEND_SHARE * space.width()
        return self._is_opened_by_user or not (narrow or self.height() > space.height())

    def _fit(self, space: int) -> None:
        """Set the font scale to the largest that fits a height."""
        fitting = self._theme.scale * space / max(1, self.height())
        # In steps, because the legend is repainted at each size.
        scale = min(self._state.theme.scale, max(_LEAST_SCALE, int(fitting * 20) / 20))
        if scale != self._theme.scale:
            self._rescale(scale)

    def _on_action_triggered(self, wanted: bool) -> None:
        self._is_opened_by_user = True
        self._state.preferences.legend = wanted
        self._arrange()

    def _on_state_theme_changed(self, theme: Theme) -> None:
        self._view.set_type_scale(theme.scale)
        self._rescale(theme.scale)
        self._arrange()

    def _on_preferences_changed(self, name: str) -> None:
        if name == "legend":
            self._arrange()

    def _rescale(self, scale: float) -> None:
        """Repaint in the theme of the window, at another scale."""
        self._theme.become(replace(self._state.theme, scale=scale))
        self._font = self._theme.font(SMALL_PIXELS)
        self._bold = self._theme.font(SMALL_PIXELS, bold=True)
        set_theme_icon(self._fold, self._theme, "collapse", side=14)
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
