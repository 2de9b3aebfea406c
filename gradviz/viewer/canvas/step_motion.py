"""Animates the transition between adjacent steps; the new step is already shown."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtGui import QAction

from gradviz.viewer.canvas.graph_scene import GraphScene
from gradviz.viewer.canvas.graph_view import GraphView
from gradviz.viewer.canvas.hand_over import HandOver
from gradviz.viewer.canvas.motion import Clock
from gradviz.viewer.canvas.stage import Stage
from gradviz.viewer.look.motion import may_move
from gradviz.viewer.state import ViewerState


class StepMotion(QObject):
    """Plays an animation after the stage has shown a new step."""

    def __init__(
        self,
        state: ViewerState,
        view: GraphView,
        stage: Stage,
        action: QAction,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._view = view
        self._stage = stage
        self._action = action
        self._last: tuple[GraphScene | None, int, list[int]] = (None, 0, [])
        self.clock = Clock(state.preferences, self)
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

    @Slot(object)
    def _on_state_step_changed(self, number: int) -> None:
        last_scene, last_number, cards = self._last
        self._remember()
        scene = self._stage.scene
        if scene is None or scene is not last_scene or abs(number - last_number) != 1:
            self.clock.finish()
            return
        sight = self._view.mapToScene(self._view.viewport().rect()).boundingRect()
        forth = number > last_number
        movement = HandOver(scene, cards, forth=forth, sight=sight.width() + sight.height())
        self.clock.play(movement.show)

    @Slot(object)
    def _on_view_scene_shown(self, scene: GraphScene | None) -> None:
        self.clock.finish()
        self._remember()

    @Slot(bool)
    def _on_action_triggered(self, wanted: bool) -> None:
        self._state.preferences.set_motion("on" if wanted else "off")

    @Slot(str)
    def _on_preferences_changed(self, name: str) -> None:
        if name == "motion":
            self._show_choice()
            if not self._action.isChecked():
                self.clock.finish()
