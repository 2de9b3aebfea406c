"""Commands that step in and out, set the stepping level, and go to other iterations."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from gradviz.viewer.actions import Actions
from gradviz.viewer.state import ViewerState
from gradviz.viewer.translation import translate


class StepCommands(QObject):
    """Connects the stepping commands with the state and keeps them enabled and checked."""

    def __init__(self, state: ViewerState, actions: Actions, parent: QObject) -> None:
        super().__init__(parent)
        self._state = state
        self._actions = actions
        ends = actions.first, actions.previous, actions.next, actions.last
        steps = *ends, actions.into, actions.out
        self._reasons = {each: actions.reasons[each] for each in steps}
        actions.into.triggered.connect(lambda: state.into())
        actions.out.triggered.connect(lambda: state.out())
        actions.levels.triggered.connect(self._on_levels_triggered)
        iterations = state.iterations
        actions.next_iteration.triggered.connect(lambda: iterations.go_by(1))
        actions.previous_iteration.triggered.connect(lambda: iterations.go_by(-1))
        actions.all_iterations.toggled.connect(iterations.show_all)
        state.place_changed.connect(self._on_state_place_changed)
        self._on_state_place_changed(state.place)

    def _on_levels_triggered(self, action: QAction) -> None:
        self._state.set_level(action.data())
        self._on_state_place_changed(self._state.place)

    def _on_state_place_changed(self, _: object) -> None:
        reasons = self._reasons
        if self._state.index is None:
            reasons = dict.fromkeys(reasons, self._actions.no_run)
        elif self._state.revealed.hides_answer:
            reasons = reasons | {self._actions.into: translate("Reasons", "Quiz Mode hides it")}
        self._actions.reasons.update(reasons)
        self._actions.into.setEnabled(self._state.inner_target is not None)
        self._actions.out.setEnabled(self._state.outer_target is not None)
        iterations = self._state.iterations
        at = 0 if iterations.current is None else iterations.current.number
        self._actions.next_iteration.setEnabled(0 < at < len(iterations.all))
        self._actions.previous_iteration.setEnabled(at > 1)
        self._actions.all_iterations.setEnabled(at > 0)
        for action in self._actions.levels.actions():
            action.setChecked(action.data() == self._state.level)
