"""Animates the transition to another step: the halo glides, a pulse follows the gradient."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF

from gradviz.viewer.canvas.curves import sampled
from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.canvas.picture import Floats
from gradviz.viewer.canvas.progress import DONE, NOW

_FAR = 1.5
"""Maximum distance that a halo glides, in screens."""


class HandOver:
    """One transition between adjacent steps, created when the new step is already shown.

    Args:
        scene: Shows the new step.
        before: Cards of the old step.
        forth: Whether the new step is the next one, not the previous one.
        sight: Width plus height of the visible area, in scene units.
    """

    def __init__(self, scene: GraphScene, before: list[int], *, forth: bool, sight: float) -> None:
        self._scene = scene
        self._to = scene.cards_now
        self._from = [scene.box(card) for card in before]
        if self._from and self._to:
            way = self._from[0].center() - scene.box(self._to[0]).center()
            if way.manhattanLength() > _FAR * sight:
                self._from = []
        # Consecutive steps can be in the same closed group; then no gradient arrives from outside.
        arrives = forth and before != self._to
        ways = _ways(scene, self._to) if arrives else []
        scene.pulse.run(ways, scene.colour_now)

    def show(self, part: float) -> None:
        """Show a fraction of the transition; at 1 or at another step, put the scene at rest."""
        scene = self._scene
        scene.pulse.show_at(part)
        if part >= 1.0 or scene.cards_now != self._to:
            scene.rest()
            return
        for at, card in enumerate(self._to if self._from else ()):
            start = self._from[min(at, len(self._from) - 1)]
            scene.move_halo(at, _blend(start, scene.box(card), part))


def _ways(scene: GraphScene, cards: list[int]) -> list[Floats]:
    """Paths along lines that have brought gradients to the cards of this step.

    Lines between two of these cards, such as an `AccumulateGrad` and its leaf, extend the paths,
    since the gradient continues in the same step.
    """
    arriving: dict[int, list[Floats]] = {card: [] for card in cards}
    flowing_on = []
    for at, curve in enumerate(scene.picture.curves):
        if curve.target not in arriving:
            continue
        way = sampled(scene.edges.points(at), 24)
        if scene.edges.state(at) == DONE:
            arriving[curve.target].append(way)
        elif scene.edges.state(at) == NOW and curve.source in arriving:
            flowing_on.append((curve, way))
    for curve, way in flowing_on:
        before = arriving[curve.source] or [way[:1]]
        arriving[curve.target] += [np.concatenate([each, way]) for each in before]
    ends = arriving.keys() - {curve.source for curve, _ in flowing_on}
    return [way for card in sorted(ends) for way in arriving[card]]


def _blend(first: QRectF, second: QRectF, part: float) -> QRectF:
    corner = first.topLeft() + (second.topLeft() - first.topLeft()) * part
    end = first.bottomRight() + (second.bottomRight() - first.bottomRight()) * part
    return QRectF(corner, end)
