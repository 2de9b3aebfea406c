"""Opens the current source line in the user's editor."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import QObject, QProcess, QUrl, Signal
from PySide6.QtGui import QDesktopServices

from gradviz.model.source import Location
from gradviz.viewer.actions import Actions
from gradviz.viewer.source.external_editor import (
    command_of,
    file_of,
    guess_editor,
    is_changed,
    is_own_file,
    missing_file_text,
    named_file,
)
from gradviz.viewer.source.panel import SourcePanel
from gradviz.viewer.state import ViewerState


class EditorController(QObject):
    """Connects the edit commands to the source pane.

    Signals:
        message_emitted: A sentence about what happened, and its kind: ``info`` or ``error``.
    """

    message_emitted = Signal(str, str)

    def __init__(
        self, state: ViewerState, panel: SourcePanel, actions: Actions, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._panel = panel
        self._actions = actions
        actions.edit_source.triggered.connect(self._on_edit_source_triggered)
        actions.edit_here.triggered.connect(self._on_edit_here_triggered)
        panel.shown_changed.connect(self._show_enabled)
        panel.edit_requested.connect(self.open)
        state.presentation.presenting_changed.connect(self._show_enabled)
        self._show_enabled()

    def open(self, location: Location) -> None:
        """Open a line in the editor; report an error, or that the file has changed."""
        file = file_of(location.path)
        if file is None:
            self.message_emitted.emit(missing_file_text(location.path), "error")
        elif self._start(file, location.line):
            self._tell_changes(file, location)
        else:
            text = self.tr(
                "No editor could be started. Set one in File > Settings, for example {example}."
            )
            self.message_emitted.emit(text.format(example="code --goto {file}:{line}"), "error")

    def _start(self, file: Path, line: int) -> bool:
        template = self._state.preferences.editor or guess_editor()
        if template:
            command = command_of(template, file, line)
            if command is None:
                return False
            editor = QProcess()
            editor.setProgram(command.program)
            editor.setArguments([*command.arguments])
            # What is typed on the window's terminal is not for the editor.
            editor.setStandardInputFile(QProcess.nullDevice())
            return bool(editor.startDetached())
        # Opening a .py file with its default program could run it on these platforms.
        if sys.platform in ("win32", "darwin"):
            return False
        return QDesktopServices.openUrl(QUrl.fromLocalFile(str(file)))

    def _tell_changes(self, file: Path, location: Location) -> None:
        index = self._state.index
        source = None
        if index is not None and location.source is not None:
            source = index.source.get(location.source)
        if source is not None and is_changed(file, source.text):
            text = self.tr(
                "{name} has changed since it was recorded: line {line} may not be the same now."
            )
            self.message_emitted.emit(text.format(name=file.name, line=location.line), "info")

    def _show_enabled(self) -> None:
        location = self._panel.current_location()
        file = None if location is None else named_file(location.path)
        self._actions.edit_source.setEnabled(file is not None)
        # Presenter Mode has no source pane.
        here = file is not None and is_own_file(file) and not self._state.presentation.presenting
        self._actions.edit_here.setEnabled(here)

    def _on_edit_source_triggered(self) -> None:
        location = self._panel.current_location()
        if location is not None:
            self.open(location)

    def _on_edit_here_triggered(self) -> None:
        self._panel.edit_here_requested.emit(self._panel.current_location())
