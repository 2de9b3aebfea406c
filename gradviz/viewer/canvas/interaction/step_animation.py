"""Animates the transition between adjacent steps; the new step is already shown."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QAction

from gradviz.drawing.content.graph_progress import DONE, NOW
from gradviz.drawing.display.curves import sampled
from gradviz.model.arrays import FloatArray
from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.canvas.graph_stage import GraphStage
from gradviz.viewer.canvas.graph_view import GraphView
from gradviz.viewer.canvas.layout.animation_clock import AnimationClock, blended
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.animation_policy import may_move

_FAR = 1.5
"""Maximum distance that a halo glides, in screens."""


class StepTransition:
    """One transition between adjacent steps, created when the new step is already shown.

    Args:
        scene: Shows the new step.
        before: Cards of the old step.
        forth: Whether the new step is the next one, not the previous one.
        visible: Width plus height of the visible area, in scene units.
    """

    def __init__(
        self, scene: GraphScene, before: list[int], *, forth: bool, visible: float
    ) -> None:
        self._scene = scene
        self._to = scene.cards_now
        self._from = [scene.box(card) for card in before]
        if self._from and self._to:
            path = self._from[0].center() - scene.box(self._to[0]).center()
            if path.manhattanLength() > _FAR * visible:
                self._from = []
        # Consecutive steps can be in the same closed group; then no gradient arrives from outside.
        arrives = forth and before != self._to
        gradient_paths = _gradient_paths(scene, self._to) if arrives else []
        scene.pulse.run(gradient_paths, scene.color_now)

    def show(self, part: float) -> None:
        """Show a fraction of the transition; at 1 or at another step, put the scene at rest."""
        scene = self._scene
        scene.pulse.show_at(part)
        if part >= 1.0 or scene.cards_now != self._to:
            scene.rest()
            return
        for at, card in enumerate(self._to if self._from else ()):
            start = self._from[min(at, len(self._from) - 1)]
            scene.move_halo(at, blended(start, scene.box(card), part))


def _gradient_paths(scene: GraphScene, cards: list[int]) -> list[FloatArray]:
    """Paths along lines that have brought gradients to the cards of this step.

    Lines between two of these cards, such as an ``AccumulateGrad`` and its leaf, extend the paths,
    since the gradient continues in the same step.
    """
    arriving: dict[int, list[FloatArray]] = {card: [] for card in cards}
    flowing_on = []
    for at, curve in enumerate(scene.picture.curves):
        if curve.target not in arriving:
            continue
        path = sampled(scene.edges.points(at), 24)
        if scene.edges.state(at) == DONE:
            arriving[curve.target].append(path)
        elif scene.edges.state(at) == NOW and curve.source in arriving:
            flowing_on.append((curve, path))
    for curve, path in flowing_on:
        before = arriving[curve.source] or [path[:1]]
        arriving[curve.target] += [np.concatenate([each, path]) for each in before]
    ends = arriving.keys() - {curve.source for curve, _ in flowing_on}
    return [path for card in sorted(ends) for path in arriving[card]]


class StepAnimation(QObject):
    """Plays an animation after the stage has shown a new step."""

    def __init__(
        self,
        state: ViewerState,
        view: GraphView,
        stage: GraphStage,
        action: QAction,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._view = view
        self._stage = stage
        self._action = action
        self._last: tuple[GraphScene | None, int, list[int]] = (None, 0, [])
        self.clock = AnimationClock(state.preferences, self)
        state.step_changed.connect(self._on_state_step_changed)
        state.preferences.changed.connect(self._on_preferences_changed)
        view.scene_shown.connect(self._on_view_scene_shown)
        action.triggered.connect(self._on_action_triggered)
        # Deferred, because the system's animation setting is read once the window exists.
        QTimer.singleShot(0, self, self._show_choice)

    def _show_choice(self) -> None:
        self._action.setChecked(may_move(self._state.preferences))

    def _remember(self) -> None:
        scene = self._stage.scene
        cards = [] if scene is None else list(scene.cards_now)
        self._last = (scene, self._state.number, cards)

    def _on_state_step_changed(self, number: int) -> None:
        last_scene, last_number, cards = self._last
        self._remember()
        scene = self._stage.scene
        # A jump has no path to follow, and another scene no positions in common.
        if scene is None or scene is not last_scene or abs(number - last_number) != 1:
            self.clock.finish()
            return
        visible = self._view.mapToScene(self._view.viewport().rect()).boundingRect()
        forth = number > last_number
        movement = StepTransition(
            scene, cards, forth=forth, visible=visible.width() + visible.height()
        )
        self.clock.play(movement.show)

    def _on_view_scene_shown(self, scene: GraphScene | None) -> None:
        self.clock.finish()
        self._remember()

    def _on_action_triggered(self, wanted: bool) -> None:
        self._state.preferences.motion = "on" if wanted else "off"

    def _on_preferences_changed(self, name: str) -> None:
        if name == "motion":
            self._show_choice()
            if not self._action.isChecked():
                self.clock.finish()
