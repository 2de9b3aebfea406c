"""A bug of ours ends in a dialog with a text to copy: never in silence, never in a dead window."""

from __future__ import annotations

import sys
import threading
import traceback
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QApplication, QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout

from gradviz.viewer.about import versions_text
from gradviz.viewer.plain_text import PlainLabel
from gradviz.viewer.theme import LIGHT, SMALL_PIXELS, UI_PIXELS

MOST_CHARACTERS = 20_000


class ExceptionHook(QObject):
    """Stands in ``sys.excepthook`` and ``threading.excepthook`` while it is installed."""

    _raised = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.dialog: QDialog | None = None
        self._old = (sys.excepthook, threading.excepthook)
        self._raised.connect(self._on_error_raised, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        """Begins to catch what nothing else catches, in any thread."""
        sys.excepthook = self._take
        threading.excepthook = self._take_from_thread

    def remove(self) -> None:
        """Puts back what was there."""
        sys.excepthook, threading.excepthook = self._old

    def _take(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        sys.stderr.write(text)
        self._raised.emit(text[-MOST_CHARACTERS:])

    def _take_from_thread(self, arguments: threading.ExceptHookArgs) -> None:
        if arguments.exc_value is not None:
            self._take(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)

    @Slot(str)
    def _on_error_raised(self, text: str) -> None:
        # One dialog at a time: an error in painting comes back with each frame.
        if self.dialog is None:
            self.dialog = ErrorDialog(text)
            self.dialog.finished.connect(self._on_dialog_finished)
            self.dialog.open()

    @Slot(int)
    def _on_dialog_finished(self, result: int) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None


class ErrorDialog(QDialog):
    """Says what happened, and gives the text to copy."""

    def __init__(self, text: str) -> None:
        super().__init__(QApplication.activeWindow())
        self.setWindowTitle(self.tr("An error in gradviz"))
        said = self.tr(
            "Something went wrong in gradviz itself; it was not your code. You can go on, but the "
            "view may be incomplete. Please report it with the text below."
        )
        self.report = QPlainTextEdit(f"{text}\n{versions_text('')}")
        self.report.setReadOnly(True)
        self.report.setFont(LIGHT.font(SMALL_PIXELS, mono=True))
        self.report.setAccessibleName(self.tr("Text of the report"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        copy = buttons.addButton(self.tr("Copy"), QDialogButtonBox.ButtonRole.ActionRole)
        copy.clicked.connect(self._on_copy_clicked)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(PlainLabel(said, pixels=UI_PIXELS))
        layout.addWidget(self.report, 1)
        layout.addWidget(buttons)
        self.resize(720, 420)

    @Slot()
    def _on_copy_clicked(self) -> None:
        QApplication.clipboard().setText(self.report.toPlainText())
