"""Marks at the edges of the graph view that count the boxes beyond them."""

from __future__ import annotations

from typing import Literal

import numpy as np
from PySide6.QtCore import QPoint, QRect, QRectF
from PySide6.QtWidgets import QLabel

from gradviz.model.arrays import FloatArray
from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.canvas.graph_view import GraphView
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme, sheet_color
from gradviz.viewer.translation import translate

ViewSide = Literal["left", "right", "top", "bottom"]

_ARROWS: dict[ViewSide, str] = {"left": "←", "right": "→", "top": "↑", "bottom": "↓"}
_EDGE = 4
_SHIFTS = 20
"""Number of places along a side, on either half, that are tried for a mark."""

_NOW_WEIGHT = 10.0
"""How much worse it is to cover a box of the current step than another one."""


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
        self._labels = {side: QLabel(view) for side in _ARROWS}
        for label in self._labels.values():
            label.hide()
            label.setStyleSheet(_STYLE)
        self.set_theme(theme)

    @property
    def texts(self) -> dict[ViewSide, str]:
        """Text of each label that is shown."""
        return {side: each.text() for side, each in self._labels.items() if not each.isHidden()}

    @property
    def rects(self) -> dict[ViewSide, QRect]:
        """Rectangle of each label that is shown, in the view."""
        return {side: each.geometry() for side, each in self._labels.items() if not each.isHidden()}

    def set_theme(self, theme: Theme) -> None:
        """Adopt the theme's font."""
        for label in self._labels.values():
            label.setFont(theme.font(SMALL_PIXELS, bold=True))

    def count(self, scene: GraphScene | None) -> None:
        """Count what is outside the visible part of a scene; None hides the marks."""
        space = self._view.viewport().rect()
        counts: dict[ViewSide, int] = {}
        if scene is not None:
            visible = self._view.mapToScene(space).boundingRect()
            counts = count_outside(scene.picture.boxes, visible)
        for side, label in self._labels.items():
            number = counts.get(side, 0)
            label.setVisible(number > 0)
            if number:
                more = translate("OutsideMarks", "{0} more").format(number)
                label.setText(f"{_ARROWS[side]} {more}")
                label.adjustSize()
                label.move(self._place(side, label, scene))

    def _place(self, side: ViewSide, label: QLabel, scene: GraphScene | None) -> QPoint:
        """Place along a side that covers least of the boxes, as close to the middle as possible."""
        space = self._view.viewport().rect().adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE)
        rect = label.rect()
        rect.moveCenter(space.center())
        if side in ("left", "right"):
            free = QPoint(0, (space.height() - rect.height()) // 2)
        else:
            free = QPoint((space.width() - rect.width()) // 2, 0)
        shifts = sorted((each / _SHIFTS for each in range(-_SHIFTS, _SHIFTS + 1)), key=abs)
        middle = self._at_side(side, rect, space)
        places = [middle.translated(free * shift) for shift in shifts]
        # `min` returns the first of equals, which is the one closest to the middle.
        return min(places, key=lambda each: self._covered(each, scene)).topLeft()

    def _covered(self, rect: QRect, scene: GraphScene | None) -> float:
        """Area of the boxes under a rectangle in pixels, with more weight on the current step."""
        if scene is None or not len(scene.picture.boxes):
            return 0.0
        area = self._view.mapToScene(rect).boundingRect()
        boxes = scene.picture.boxes
        low = np.maximum(boxes[:, :2], (area.left(), area.top()))
        high = np.minimum(boxes[:, :2] + boxes[:, 2:], (area.right(), area.bottom()))
        covered = np.clip(high - low, 0.0, None).prod(axis=1)
        covered[scene.cards_now] *= _NOW_WEIGHT
        return float(covered.sum())

    @staticmethod
    def _at_side(side: ViewSide, rect: QRect, space: QRect) -> QRect:
        match side:
            case "left":
                rect.moveLeft(space.left())
            case "right":
                rect.moveRight(space.right())
            case "top":
                rect.moveTop(space.top())
            case _:
                rect.moveBottom(space.bottom())
        return rect
