"""Shows uncaught exceptions of gradviz itself in a dialog with a report to copy."""

from __future__ import annotations

import sys
import threading
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QApplication, QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout

from gradviz.viewer.theme.theme import LIGHT, SMALL_PIXELS, UI_PIXELS
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel

MOST_CHARACTERS = 20_000


class ErrorDialog(QDialog):
    """Shows an error report; the window behind it keeps working.

    Args:
        text: The error with its traceback.
        facts: Further information for the report.
    """

    def __init__(self, text: str, facts: str) -> None:
        super().__init__(QApplication.activeWindow())
        self.setWindowTitle(self.tr("Error in gradviz"))
        message = self.tr(
            "An error occurred in gradviz itself, not in your code. You can continue, "
            "but the view may be incomplete. Please report the error with the text below."
        )
        self._errors, self._facts = [text], facts
        self.report = QPlainTextEdit()
        self.report.setReadOnly(True)
        font = LIGHT.font(SMALL_PIXELS, mono=True)
        # Match the application's font size without the current theme, which may be what failed.
        font.setPixelSize(max(SMALL_PIXELS, QApplication.font().pixelSize() - 1))
        self.report.setFont(font)
        self.report.setAccessibleName(self.tr("Error report"))
        self._show()
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.copy = buttons.addButton(self.tr("&Copy"), QDialogButtonBox.ButtonRole.ActionRole)
        self.copy.setToolTip(self.tr("Copy the whole report"))
        self.copy.clicked.connect(self._on_copy_clicked)
        buttons.rejected.connect(self.reject)
        lay_out(
            QVBoxLayout(self),
            PlainLabel(message, pixels=UI_PIXELS),
            (self.report, 1),
            buttons,
            margins=(20, 16, 20, 16),
            gap=12,
        )
        self.resize(720, 440)

    def add(self, text: str) -> None:
        """Add an error that occurred while the dialog was open."""
        self._errors.append(text)
        self._show()

    def _show(self) -> None:
        self.report.setPlainText("\n".join([*self._errors, self._facts]))

    def _on_copy_clicked(self) -> None:
        QApplication.clipboard().setText(self.report.toPlainText())
        self.copy.setText(self.tr("Copied"))


class ExceptionHook(QObject):
    """Replaces Python's exception hooks: for slots, paint events, threads and finalizers.

    Attributes:
        facts: Returns further information for the report.
        dialog: The open dialog; None without one.
    """

    _raised = Signal(str, str)

    def __init__(self) -> None:
        super().__init__()
        self.facts: Callable[[], str] = str
        self.dialog: ErrorDialog | None = None
        self._times: Counter[str] = Counter()
        self._old = (sys.excepthook, threading.excepthook, sys.unraisablehook)
        self._raised.connect(self._on_error_raised, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        """Start to handle uncaught exceptions in any thread."""
        sys.excepthook = self._take
        threading.excepthook = self._take_from_thread
        sys.unraisablehook = self._take_unraisable

    def remove(self) -> None:
        """Restore the previous hooks."""
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._old

    def _take(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        place = _place_of(kind, trace)
        self._times[place] += 1
        if self._times[place] > 1:
            # An error in painting is raised again at each frame.
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        if sys.stderr is not None:
            sys.stderr.write(text)
        self._raised.emit(place, text[-MOST_CHARACTERS:])

    def _take_from_thread(self, arguments: threading.ExceptHookArgs) -> None:
        if arguments.exc_value is not None:
            self._take(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)

    def _take_unraisable(self, arguments: sys.UnraisableHookArgs) -> None:
        if arguments.exc_value is not None:
            self._take(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)

    @Slot(str, str)
    def _on_error_raised(self, place: str, text: str) -> None:
        text = _hide_home_folder(text)
        if self.dialog is not None:
            self.dialog.add(text)
            return
        from gradviz.viewer.faults.exception_hook import ErrorDialog

        self.dialog = ErrorDialog(text, self.facts())
        self.dialog.finished.connect(self._on_dialog_finished)
        self.dialog.open()

    @Slot(int)
    def _on_dialog_finished(self, result: int) -> None:
        if self.dialog is not None:
            self.dialog.deleteLater()
            self.dialog = None


def _place_of(kind: type[BaseException], trace: TracebackType | None) -> str:
    """A key that is the same for every occurrence of an error, whatever its message."""
    frames = traceback.extract_tb(trace)[-3:]
    return " ".join([kind.__name__, *(f"{each.filename}:{each.lineno}" for each in frames)])


def _hide_home_folder(text: str) -> str:
    """Replace the home folder: reports are made public, and it contains the user's name."""
    home = str(Path.home())
    return text.replace(home, "~") if len(home) > 1 else text
