"""Asks questions one after the other, without an event loop of their own.

A nested event loop would keep its caller on the stack while the window goes on, maybe until its
end: whatever ends the process then does so in the middle of handling a close event.
"""

from __future__ import annotations

from collections.abc import Callable, Generator

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QDialog

Questions = Generator[QDialog, None, bool]
"""Yields each dialog to ask, reads its answer when it goes on, and returns whether to proceed."""


class Asker(QObject):
    """Asks the questions of one generator at a time."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._questions: Questions | None = None
        self._then: Callable[[bool], object] = bool
        self._dialog: QDialog | None = None

    @property
    def is_asking(self) -> bool:
        """Whether a question is open."""
        return self._dialog is not None

    def ask(self, questions: Questions, then: Callable[[bool], object]) -> None:
        """Ask questions, and call a function with their result: at once if there are none.

        If a question is open already, it comes to the front instead.
        """
        if self._dialog is not None:
            self._dialog.activateWindow()
            return
        self._questions, self._then = questions, then
        self._go_on()

    def _go_on(self) -> None:
        questions = self._questions
        if questions is None:
            return
        try:
            self._dialog = next(questions)
        except StopIteration as end:
            self._questions = None
            self._then(end.value)
            return
        self._dialog.finished.connect(self._on_dialog_finished)
        self._dialog.open()

    def _on_dialog_finished(self, result: int) -> None:
        dialog, self._dialog = self._dialog, None
        self._go_on()
        if dialog is not None:
            dialog.deleteLater()
