"""A one-time hint about the most important keys."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence

from gradviz.viewer.actions import Actions
from gradviz.viewer.state import ViewerState
from gradviz.viewer.window.message_bar import MessageBar


class FirstHint(QObject):
    """Appears with the first graph, and never again after the first step or once closed."""

    def __init__(
        self,
        state: ViewerState,
        actions: Actions,
        messages: MessageBar,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._messages = messages
        self._text = ""
        if state.preferences.hint_seen:
            return
        keys = map(_key, (actions.next, actions.previous, actions.show_keys))
        text = self.tr("{0}: next step, {1}: previous step. {2} shows all keyboard shortcuts.")
        self._text = text.format(*keys)
        state.trace_changed.connect(self._on_state_trace_changed)
        state.step_changed.connect(self._on_state_step_changed)
        messages.closed.connect(self._on_messages_closed)

    def _shown(self) -> bool:
        return bool(self._text) and self._messages.text == self._text

    def _on_state_trace_changed(self) -> None:
        wanted = self._state.count > 0 and not self._state.preferences.hint_seen
        if wanted and not self._messages.text:
            self._messages.say(self._text, "info")

    def _on_state_step_changed(self, number: int) -> None:
        if number > 1 and self._shown():
            self._state.preferences.hint_seen = True
            self._messages.hide()

    def _on_messages_closed(self, text: str) -> None:
        if text == self._text:
            self._state.preferences.hint_seen = True


def _key(action: QAction) -> str:
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
