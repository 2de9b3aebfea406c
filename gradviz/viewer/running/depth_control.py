"""Connects the recording level in the Run menu to the preferences."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QAction

from gradviz.viewer.actions import Actions
from gradviz.viewer.preferences import Preferences


class DepthControl(QObject):
    """Sets the recording level, and reruns with lines recorded on request."""

    def __init__(self, preferences: Preferences, actions: Actions, parent: QObject) -> None:
        super().__init__(parent)
        self._preferences = preferences
        self._actions = actions
        actions.depths.triggered.connect(self._on_depths_triggered)
        actions.record_lines.triggered.connect(self._on_record_lines_triggered)
        actions.run.changed.connect(self._on_run_changed)
        preferences.changed.connect(self._on_preferences_changed)
        self._on_preferences_changed("recording_level")
        self._on_run_changed()

    @Slot(QAction)
    def _on_depths_triggered(self, action: QAction) -> None:
        self._preferences.set_recording_level(action.data())

    @Slot()
    def _on_record_lines_triggered(self) -> None:
        self._preferences.set_recording_level("lines")
        self._actions.run.trigger()

    @Slot()
    def _on_run_changed(self) -> None:
        self._actions.record_lines.setEnabled(self._actions.run.isEnabled())

    @Slot(str)
    def _on_preferences_changed(self, name: str) -> None:
        if name == "recording_level":
            for action in self._actions.depths.actions():
                action.setChecked(action.data() == self._preferences.recording_level)
