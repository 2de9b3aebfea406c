"""Asks before closing a window loses a film export, or a run or check of user code."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QCheckBox, QMessageBox, QWidget

from gradviz.catalogue.visible_text import visible_text
from gradviz.text.titles import offer_title
from gradviz.viewer.files.controller import FileController
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.questions import Questions
from gradviz.viewer.session.session import Session

LEAST_S = 10.0
"""A run or check that took less time is repeated as quickly, and is not asked about."""


class CloseConfirmation(QObject):
    """Knows what would be lost: work in progress, and the shown run if it is in no file.

    Runs and checks of scenes are left out, and short ones, as they can be repeated.
    """

    def __init__(
        self, session: Session, files: FileController, preferences: Preferences, window: QWidget
    ) -> None:
        super().__init__(window)
        self._session = session
        self._files = files
        self._preferences = preferences
        self._window = window
        self._unsaved: set[Path] = set()
        self._began, self._took = monotonic(), 0.0
        session.activity_changed.connect(self._on_session_activity_changed)
        session.ended.connect(self._on_session_ended)
        session.saved.connect(self._on_session_saved)

    def settle(self) -> Questions:
        """Ask about what would be lost; return False if the window must stay open."""
        for film in self._files.films:
            if not (yield from self._ask_to_stop_film(film)):
                return False
        return (yield from self._settle_run())

    def _settle_run(self) -> Questions:
        session = self._session
        running, checking, opening = session.running, session.checking, session.opening
        took = self._took if opening is not None else monotonic() - self._began
        if took < LEAST_S:
            return (yield from self._settle_recorded())
        if running is not None and not running.subject.scene:
            is_stopped = yield from self._ask_to_stop_run(offer_title(running))
        elif checking is not None and not checking.subject.scene:
            is_stopped = yield from self._ask_to_stop_check(offer_title(checking))
            return is_stopped and (yield from self._settle_recorded())
        elif opening is not None and not opening.subject.scene:
            is_stopped = yield from self._ask_to_stop_opening(offer_title(opening))
        else:
            return (yield from self._settle_recorded())
        if not is_stopped or session.running is not None or session.opening is not None:
            return is_stopped
        # It is shown since the question.
        return (yield from self._settle_recorded())

    def _ask_to_stop_run(self, name: str) -> Questions:
        return self._ask_to_stop(
            self.tr("Run in Progress"),
            self.tr("The run of {0} is still in progress.").format(name),
            self.tr(
                "Closing the window stops it and discards its trace. To keep what was recorded,"
                " choose Cancel, stop the run, and save it."
            ),
        )

    def _ask_to_stop_check(self, name: str) -> Questions:
        return self._ask_to_stop(
            self.tr("Check in Progress"),
            self.tr("The check of {0} is still in progress.").format(name),
            self.tr("Closing the window stops it and discards its report."),
        )

    def _ask_to_stop_opening(self, name: str) -> Questions:
        return self._ask_to_stop(
            self.tr("Unsaved Run"),
            self.tr("The trace of {0} is still being opened.").format(name),
            self.tr(
                "Closing the window discards it. To keep what was recorded, choose Cancel, and save"
                " it when it is shown."
            ),
        )

    def _ask_to_stop_film(self, path: Path) -> Questions:
        return self._ask_to_stop(
            self.tr("Export in Progress"),
            self.tr("The film {0} is still being exported.").format(visible_text(path.name)),
            self.tr("Closing the window cancels the export. The film is not saved."),
        )

    def _ask_to_stop(self, title: str, text: str, details: str) -> Questions:
        buttons = QMessageBox.StandardButton
        icon = QMessageBox.Icon.Warning
        box = QMessageBox(icon, title, text, buttons.Cancel, self._window)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setInformativeText(details)
        stop = box.addButton(self.tr("&Stop and Close"), QMessageBox.ButtonRole.DestructiveRole)
        box.setDefaultButton(buttons.Cancel)
        yield box
        return box.clickedButton() is stop

    def _settle_recorded(self) -> Questions:
        offer, path = self._session.offer, self._session.trace_path
        if offer is None or offer.subject.scene or path not in self._unsaved:
            return True
        if not self._preferences.ask_to_save:
            return True
        buttons = QMessageBox.StandardButton
        box = QMessageBox(
            QMessageBox.Icon.Warning,
            self.tr("Unsaved Run"),
            self.tr("The run of {0} is not saved.").format(offer_title(offer)),
            buttons.Save | buttons.Discard | buttons.Cancel,
            self._window,
        )
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setInformativeText(self.tr("Without saving, its trace is lost when the window closes."))
        box.setDefaultButton(buttons.Save)
        box.setCheckBox(QCheckBox(self.tr("Do not ask again"), box))
        yield box
        answer, is_last = box.standardButton(box.clickedButton()), box.checkBox().isChecked()
        if answer not in (buttons.Save, buttons.Discard):
            return False
        if is_last:
            self._preferences.ask_to_save = False
        return answer == buttons.Discard or (yield from self._files.save_now())

    def _on_session_activity_changed(self, activity: str) -> None:
        if activity in ("running", "checking"):
            self._began = monotonic()

    def _on_session_ended(self, activity: str, ending: object) -> None:
        # An earlier run is still shown if the new one failed before its first step.
        path = None if self._session.is_outdated else self._session.trace_path
        if activity not in ("running", "checking"):
            return
        self._took = monotonic() - self._began
        if path is not None and self._took >= LEAST_S:
            self._unsaved.add(path)

    def _on_session_saved(self, target: str, source: Path) -> None:
        self._unsaved.discard(source)
