"""The legend, the minimap, and marks that count the boxes beyond the edges of the graph view."""

from __future__ import annotations

from functools import partial
from typing import Literal

import numpy as np
from PySide6.QtCore import QObject, QPoint, QRect, QRectF, QSize
from PySide6.QtWidgets import QLabel

from gradviz.model.arrays import FloatArray
from gradviz.viewer.actions import Actions
from gradviz.viewer.canvas.graph_scene import OVERHANG, GraphScene
from gradviz.viewer.canvas.graph_stage import GraphStage
from gradviz.viewer.canvas.graph_view import GraphView
from gradviz.viewer.canvas.interaction.graph_legend import GraphLegend
from gradviz.viewer.canvas.interaction.minimap import Minimap
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme, sheet_color
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.translation import translate

ViewSide = Literal["left", "right", "top", "bottom"]

_ARROWS: dict[ViewSide, str] = {"left": "←", "right": "→", "top": "↑", "bottom": "↓"}
_MARK_EDGE = 4
_MARK_STEP = 8
"""Distance between the places that are tried for a mark, in pixels."""

_DEPTH = 0.25
"""Maximum distance of a mark from its side, as a share of the view."""

_AWAY_WEIGHT = 3.0
"""How much worse it is to move a mark away from its side than along it."""


def count_outside(boxes: FloatArray, visible: QRectF) -> dict[ViewSide, int]:
    """Number of boxes beyond each side of a rectangle; each box counts once.

    Args:
        boxes: ``[n, 4]``: x, y, width and height.
        visible: The rectangle, in the same units.
    """
    middles = boxes[:, :2] + boxes[:, 2:] / 2
    beyond = np.stack(
        [
            visible.left() - middles[:, 0],
            middles[:, 0] - visible.right(),
            visible.top() - middles[:, 1],
            middles[:, 1] - visible.bottom(),
        ]
    )
    sides = np.where(beyond.max(axis=0, initial=0.0) > 0, beyond.argmax(axis=0), len(beyond))
    counts = np.bincount(sides, minlength=len(beyond) + 1)
    return {side: int(counts[at]) for at, side in enumerate(_ARROWS)}


_STYLE = (
    f"background: {sheet_color('panel')}; color: {sheet_color('text')};"
    f"border: 1px solid {sheet_color('border_strong')}; border-radius: 6px;"
    "padding: 1px 6px;"
)


class OutsideMarks:
    """One label at each side of a view, like ``→ 3 more``."""

    def __init__(self, view: GraphView, theme: Theme) -> None:
        self._view = view
        self._visible = QRectF()
        self._labels = {side: QLabel(view) for side in _ARROWS}
        for label in self._labels.values():
            label.hide()
            label.setStyleSheet(_STYLE)
        for label in self._labels.values():
            set_theme_font(label, theme, SMALL_PIXELS, bold=True)

    @property
    def texts(self) -> dict[ViewSide, str]:
        """Text of each label that is shown."""
        return {side: each.text() for side, each in self._labels.items() if not each.isHidden()}

    @property
    def rects(self) -> dict[ViewSide, QRect]:
        """Rectangle of each label that is shown, in the view."""
        return {side: each.geometry() for side, each in self._labels.items() if not each.isHidden()}

    def count(self, scene: GraphScene | None) -> None:
        """Count what is outside the visible part of a scene; None hides the marks."""
        space = self._view.viewport().rect()
        counts: dict[ViewSide, int] = {}
        visible = self._view.mapToScene(space).boundingRect()
        if scene is not None:
            counts = count_outside(scene.picture.boxes, visible)
        before = self.rects if visible == self._visible else {}
        self._visible = visible
        shown = set()
        if scene is not None and any(counts.values()):
            hard, soft = self._obstacles(scene, visible)
            for side, number in counts.items():
                rect = self._place(side, number, before.get(side), hard, soft) if number else None
                if rect is not None:
                    shown.add(side)
                    hard = np.vstack([hard, _numbers(rect.toRectF())])
        # What stays as it is need not be painted again.
        for side, label in self._labels.items():
            label.setVisible(side in shown)

    def _place(
        self,
        side: ViewSide,
        number: int,
        before: QRect | None,
        hard: FloatArray,
        soft: FloatArray,
    ) -> QRect | None:
        """Move a mark to where it covers nothing, as a last resort without its word."""
        label, space = self._labels[side], self._view.viewport().rect()
        more = translate("OutsideMarks", "{0} more").format(number)
        for text in (more, str(number)):
            label.setText(f"{_ARROWS[side]} {text}")
            label.adjustSize()
            places = places_at(
                side, label.size(), space.adjusted(_MARK_EDGE, _MARK_EDGE, -_MARK_EDGE, -_MARK_EDGE)
            )
            if before is not None and before.size() == label.size():
                # A mark that is in nobody's way does not move.
                places = np.vstack([_numbers(before.toRectF()), places])
            costs = covered(places, soft).sum(axis=1)
            costs[covered(places, hard).any(axis=1)] = np.inf
            best = int(np.argmin(costs))
            if np.isfinite(costs[best]):
                label.move(*places[best, :2].astype(int).tolist())
                return label.geometry()
        return None

    def _obstacles(self, scene: GraphScene, visible: QRectF) -> tuple[FloatArray, FloatArray]:
        """Rectangles in pixels that no mark may cover, and those that it should not cover.

        The second are cards that are not entirely visible and do not belong to the step.
        """
        out = OVERHANG * np.array([-1.0, -1.0, 2.0, 2.0])
        boxes = scene.picture.boxes
        low, high = boxes[:, :2], boxes[:, :2] + boxes[:, 2:]
        first, last = (visible.left(), visible.top()), (visible.right(), visible.bottom())
        near = np.all((high > first) & (low < last), axis=1)
        kept = np.all((low >= first) & (high <= last), axis=1)
        kept |= np.isin(np.arange(len(boxes)), scene.cards_now)
        labels = [_numbers(ground) for ground, _, _ in scene.labels.shown()]
        hard = np.vstack([boxes[near & kept] + out, *labels])
        scale, offset = self._view.scale_factor, (*first, 0.0, 0.0)
        return (hard - offset) * scale, (boxes[near & ~kept] + out - offset) * scale


def covered(places: FloatArray, obstacles: FloatArray) -> FloatArray:
    """Overlap of each place with each obstacle, ``[places, obstacles]``.

    Args:
        places: ``[n, 4]``: x, y, width and height.
        obstacles: ``[m, 4]``, in the same units.
    """
    mine, theirs = places[:, None], obstacles[None]
    low = np.maximum(mine[..., :2], theirs[..., :2])
    high = np.minimum(mine[..., :2] + mine[..., 2:], theirs[..., :2] + theirs[..., 2:])
    sides = np.clip(high - low, 0.0, None)
    return np.asarray(sides[..., 0] * sides[..., 1], float)


def _numbers(rect: QRectF) -> FloatArray:
    return np.array([rect.x(), rect.y(), rect.width(), rect.height()])


def places_at(side: ViewSide, size: QSize, space: QRect) -> FloatArray:
    """Places for a mark as x, y, width and height; those close to its side's middle come first."""
    across = side in ("top", "bottom")
    free = space.width() - size.width(), space.height() - size.height()
    along, away = free if across else free[::-1]
    shifts = np.arange(-(along // 2), along // 2 + 1, _MARK_STEP)
    shifts = np.append(shifts, 0)
    depths = np.arange(0, max(1, int(away * _DEPTH)), _MARK_STEP)
    shift, depth = (each.ravel() for each in np.meshgrid(shifts, depths))
    order = np.argsort(np.abs(shift) + _AWAY_WEIGHT * depth, kind="stable")
    middle, inward = along // 2 + shift[order], depth[order]
    if side in ("right", "bottom"):
        inward = away - inward
    x, y = (middle, inward) if across else (inward, middle)
    width, height = np.full_like(x, size.width()), np.full_like(x, size.height())
    return np.stack([x + space.left(), y + space.top(), width, height], axis=1).astype(float)


EDGE = 10
"""Distance from the edges of the view, in pixels."""

_LEAST_SCALE = 0.9
"""Minimum font scale of a legend with many signs in a low window."""

_LEGEND_SHARE = 0.22
"""Maximum share of the view's width for the legend, unless the user asked for it."""


class CornerOverlays(QObject):
    """Shows, hides and positions the legend and the minimap by the user's preferences."""

    def __init__(
        self,
        state: ViewerState,
        view: GraphView,
        stage: GraphStage,
        actions: Actions,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._view = view
        self._stage = stage
        self._aside = False
        self._is_opened_by_user = False
        self.legend = GraphLegend(state.theme, actions.legend, view)
        self.minimap = Minimap(view, state.theme)
        self.outside = OutsideMarks(view, state.theme)
        preferences = state.preferences
        actions.legend.setChecked(preferences.legend)
        # Not `toggled`: hiding the legend for lack of space must not change the preference.
        actions.legend.triggered.connect(self._on_legend_triggered)
        actions.minimap.setChecked(preferences.minimap)
        actions.minimap.toggled.connect(partial(preferences.set, "minimap"))
        self._actions = actions
        view.set_type_scale(state.theme.scale)
        preferences.changed.connect(self._on_preferences_changed)
        state.theme_changed.connect(self._on_state_theme_changed)
        state.step_changed.connect(self._on_state_step_changed)
        state.selection_changed.connect(self._on_state_step_changed)
        state.hits_changed.connect(self._on_state_step_changed)
        view.scene_shown.connect(self._on_view_scene_shown)
        view.moved.connect(self._arrange)
        stage.current_changed.connect(self.explain)
        state.lineage_changed.connect(self.explain)
        self._arrange()

    def set_overlays_hidden(self, aside: bool) -> None:
        """Hide both, to leave the whole view to the graph, or show them as preferred.

        While they are hidden, small marks count what is outside the view.
        """
        self._aside = aside
        self._arrange()

    def _arrange(self) -> None:
        preferences, theme, view = self._state.preferences, self._state.theme, self._view
        edge, space = theme.px(EDGE), view.viewport().rect()
        self._fit_legend(space.height() - 2 * edge)
        legend = preferences.legend and not self._aside and self._has_space(space.size())
        if not self._aside:
            self._actions.legend.setChecked(legend)
        self.legend.setVisible(legend)
        self.legend.move(edge, max(0, space.height() - self.legend.height() - edge))
        view.reserve(self.legend.width() + 2 * edge if legend else 0)
        self.outside.count(self._stage.scene if self._aside else None)
        shown = preferences.minimap and not self._aside and self.minimap.is_needed
        self.minimap.setVisible(shown)
        if shown:
            self.minimap.fit()
            self.minimap.move(self._corner())
            self.minimap.update()

    def _has_space(self, space: QSize) -> bool:
        """Whether the legend leaves enough space for the graph, or the user asked for it."""
        legend = self.legend
        # Compare the full-size width, or the legend would flicker as its font changes.
        width = legend.width() * self._state.theme.scale / legend.scale
        narrow = width > _LEGEND_SHARE * space.width()
        return self._is_opened_by_user or not (narrow or legend.height() > space.height())

    def _fit_legend(self, space: int) -> None:
        """Set the legend's font scale to the largest that fits."""
        theme, legend = self._state.theme, self.legend
        fitting = legend.scale * space / max(1, legend.height())
        # In steps, because the legend is repainted at each size.
        scale = min(theme.scale, max(_LEAST_SCALE, int(fitting * 20) / 20))
        if scale != legend.scale:
            legend.rescale(scale)

    def explain(self) -> None:
        """Update the legend to the signs that occur."""
        size = self.legend.size()
        self.legend.explain(self._stage.scene)
        if self.legend.size() != size:
            self._arrange()

    def _corner(self) -> QPoint:
        """Corner where the minimap covers least of the current card; it prefers to stay."""
        card = self._stage.current_box()
        busy = QRect() if card is None else self._view.card_rect(card).toAlignedRect()
        corners = [self._at(*each) for each in ((1, 1), (1, 0), (0, 0), (0, 1))]
        current_corner = self.minimap.pos()
        # `min` returns the first of equals, so the current corner wins unless it covers more.
        if current_corner in corners[:2]:
            corners.insert(0, current_corner)

        def hidden(corner: QPoint) -> int:
            over = QRect(corner, self.minimap.size()).intersected(busy.adjusted(-8, -8, 8, 8))
            return max(0, over.width()) * max(0, over.height())

        return min(corners, key=hidden)

    def _at(self, right: int, lower: int) -> QPoint:
        edge, space = self._state.theme.px(EDGE), self._view.uncovered_rect
        x = space.right() + 1 - edge - self.minimap.width() if right else space.left() + edge
        y = space.bottom() + 1 - edge - self.minimap.height() if lower else edge
        whole, start = self.minimap.whole_pixels, self._view.mapTo(self._view.window(), QPoint())
        return QPoint(x - (start.x() + x) % whole, y - (start.y() + y) % whole)

    def _on_legend_triggered(self, wanted: bool) -> None:
        self._is_opened_by_user = True
        self._state.preferences.legend = wanted
        self._arrange()

    def _on_view_scene_shown(self, scene: GraphScene | None) -> None:
        self.minimap.show_scene(scene)
        self._arrange()

    def _on_state_step_changed(self, _: object) -> None:
        self.minimap.repaint_graph()
        self._arrange()

    def _on_state_theme_changed(self, theme: Theme) -> None:
        self._view.set_type_scale(theme.scale)
        self._arrange()

    def _on_preferences_changed(self, name: str) -> None:
        if name in ("legend", "minimap"):
            self._actions.minimap.setChecked(self._state.preferences.minimap)
            self._arrange()
