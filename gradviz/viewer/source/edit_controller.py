"""Edits the shown file in the source pane: opens it, saves it, and leads to failed lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QMessageBox

from gradviz.catalogue.language import format_count
from gradviz.catalogue.visible_text import visible_text
from gradviz.host.job_ending import JobEnding
from gradviz.model.inputs import Offer
from gradviz.model.source import Location
from gradviz.viewer.questions import Asker, Questions
from gradviz.viewer.session.session import Session
from gradviz.viewer.source.external_editor import file_of, missing_file_text
from gradviz.viewer.source.panel import SourcePanel
from gradviz.viewer.view_requests import ViewRequests

MOST_CHARACTERS = 1_000_000
MOST_IN_LINE = 100_000
"""Longest line that is edited: Qt takes a tenth of a second for each key pressed in it."""


class EditController(QObject):
    """Connects the source pane's editor to files and to the session.

    Args:
        panel: The source pane.
        session: Reads and runs the saved file.
        requests: Brings the pane to the front.
        parent: Owner.

    Signals:
        message_emitted: A sentence about what went wrong, and ``error``.
        saved: Path of the file that was saved.
    """

    message_emitted = Signal(str, str)
    saved = Signal(object)

    def __init__(
        self, panel: SourcePanel, session: Session, requests: ViewRequests, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._panel = panel
        self._session = session
        self._requests = requests
        self._path: Path | None = None
        self._text = ""
        self._is_warned = False
        self._failed: Path | None = None
        self._subject = _file_of(session.offer)
        self._asker = Asker(self)
        panel.edit_here_requested.connect(self._on_panel_edit_here_requested)
        panel.editor.code.save_pressed.connect(self._on_editor_save_pressed)
        panel.editor.code.left.connect(self._on_editor_left)
        session.described.connect(self._on_session_described)
        session.ended.connect(self._on_session_ended)
        session.offer_changed.connect(self._on_session_offer_changed)

    def settle(self) -> Questions:
        """Ask what becomes of unsaved text; return False if it must stay in the editor."""
        path, document = self._path, self._panel.editor.code.document()
        if path is None or not document.isModified():
            return True
        buttons = QMessageBox.StandardButton
        box = QMessageBox(
            QMessageBox.Icon.Warning,
            self.tr("Unsaved Changes"),
            self.tr("{0} has changes that are not saved.").format(visible_text(path.name)),
            buttons.Save | buttons.Discard | buttons.Cancel,
            self._panel.window(),
        )
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setDefaultButton(buttons.Save)
        yield box
        answer = box.standardButton(box.clickedButton())
        if answer == buttons.Save:
            is_saved = self._save()
            if not is_saved:
                self._requests.show_part("source")
                self.message_emitted.emit(self._panel.editor.message.text(), "error")
            return is_saved
        return answer == buttons.Discard

    def _open(self, path: Path, line: int, then: Callable[[], object]) -> None:
        """Show a file in the editor, with the cursor in a line; ask about unsaved text first.

        Args:
            path: The file.
            line: The line, from 1.
            then: Is called once the file is shown.
        """

        def show(is_settled: bool) -> None:
            if is_settled and self._show(path, line):
                then()

        if self._path == path:
            show(True)
        else:
            self._asker.ask(self.settle(), show)

    def _show(self, path: Path, line: int) -> bool:
        """Show a file in the editor; return whether it could be read."""
        editor = self._panel.editor
        if self._path != path:
            text, problem = self._read(path)
            if problem:
                self.message_emitted.emit(problem, "error")
                return False
            self._path, self._text = path, text
            editor.title.setText(path.name)
            editor.code.setAccessibleName(self.tr("Text of {0}").format(path.name))
            editor.code.show_text(self._text)
            self._is_warned = False
        editor.say("")
        editor.code.go_to(line)
        self._panel.show_editor(True)
        return True

    def _read(self, path: Path) -> tuple[str, str]:
        """Return a file's text, and why it cannot be edited here; one of them is empty."""
        try:
            with path.open(encoding="utf-8") as file:
                text = file.read(MOST_CHARACTERS + 1)
        except (OSError, UnicodeDecodeError) as error:
            return "", self.tr("{0} cannot be read: {1}").format(path, error)
        problem = ""
        if len(text) > MOST_CHARACTERS:
            problem = self.tr(
                "{0} has more than {1} characters, too many to edit here. Open it in your editor."
            ).format(path.name, format_count(MOST_CHARACTERS))
        elif max(map(len, text.split("\n"))) > MOST_IN_LINE:
            problem = self.tr(
                "{0} has a line of more than {1} characters, too long to edit here. Open it in"
                " your editor."
            ).format(path.name, format_count(MOST_IN_LINE))
        return "" if problem else text, problem

    def _write(self, path: Path, text: str) -> str:
        """Write the file unless it was changed elsewhere; return what went wrong."""
        try:
            # Line endings are kept as they are in the file.
            with path.open(encoding="utf-8", newline="") as file:
                current = file.read()
            if current.replace("\r\n", "\n") != self._text:
                return self.tr("The file was changed elsewhere. Press Esc and edit it again.")
            ending = "\r\n" if "\r\n" in current else "\n"
            with path.open("w", encoding="utf-8", newline=ending) as file:
                file.write(text)
        except (OSError, UnicodeDecodeError) as error:
            return self.tr("{0} cannot be saved: {1}").format(path, error)
        return ""

    def _save(self) -> bool:
        """Write the edited file; if that fails, say why and return False."""
        path, editor = self._path, self._panel.editor
        if path is None:
            return False
        text = editor.code.toPlainText()
        problem = self._write(path, text)
        editor.say(problem)
        if problem:
            return False
        self._text, self._is_warned = text, False
        editor.code.document().setModified(False)
        return True

    def _tell_success(self, path: Path) -> None:
        """After a run of the edited file that failed, say that the next one does not."""
        text = ""
        if self._failed == path:
            self._failed = None
            text = self.tr(
                "{0} runs without an error now. Check compares its gradients (Jacobians)."
            )
        self._panel.editor.say(text.format(path.name))

    def _leave(self) -> None:
        self._path = None
        self._panel.show_editor(False)

    def _on_panel_edit_here_requested(self, location: Location) -> None:
        path = file_of(location.path)
        if path is None:
            self.message_emitted.emit(missing_file_text(location.path), "error")
            return

        def focus() -> None:
            self._requests.show_part("source")
            self._panel.editor.code.setFocus()

        self._open(path, location.line, focus)

    def _on_editor_save_pressed(self) -> None:
        if self._save() and self._path is not None:
            self.saved.emit(self._path)

    def _on_editor_left(self) -> None:
        editor = self._panel.editor
        if editor.code.document().isModified() and not self._is_warned:
            self._is_warned = True
            editor.say(self.tr("Press Ctrl+S to save the changes, or Esc again to discard them."))
            return
        self._leave()

    def _on_session_described(self, path: str, offers: object, problem: str) -> None:
        if self._path == Path(path):
            self._panel.editor.say("")

    def _on_session_offer_changed(self, offer: Offer | None) -> None:
        """Show the source of another file or scene instead of a file without unsaved changes."""
        before, self._subject = self._subject, _file_of(offer)
        is_modified = self._panel.editor.code.document().isModified()
        # A module that the file imports may be edited, too.
        if self._subject not in (before, self._path) and not is_modified:
            self._leave()

    def _on_session_ended(self, activity: str, ending: JobEnding | None) -> None:
        """Lead to the line that failed; the editor opens only if no step was recorded."""
        if ending is None or activity == "checking":
            return
        session, editor, place = self._session, self._panel.editor, ending.place
        is_shown = activity == "running" and not session.is_outdated
        path = _file_of(session.offer) if place is None else Path(place.path)
        if ending.kind == "finished":
            if is_shown and path is not None and self._path == path:
                self._tell_success(path)
        elif ending.kind != "cancelled":
            self._failed = path
        if place is None or path is None or (is_shown and self._path != path):
            return
        self._requests.show_part("source")
        # While the next change is being typed, the cursor stays.
        line = place.line

        def say() -> None:
            editor.say(ending.sentence, line)
            window = editor.window()
            if window.focusWidget() is window:
                # Nothing has the focus, as in a window that starts with this file.
                editor.code.setFocus()

        if self._path == path and editor.code.document().isModified():
            say()
        else:
            self._open(path, line, say)


def _file_of(offer: Offer | None) -> Path | None:
    return None if offer is None else Path(offer.subject.path)
