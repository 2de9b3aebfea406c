"""Tells whether the file of the shown run has changed since it ran."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QWidget

from gradviz.viewer.session.session import Session
from gradviz.viewer.source.external_editor import file_of, is_changed
from gradviz.viewer.state import ViewerState


class ChangedFile(QObject):
    """Compares the file with the text that ran, each time the window becomes active.

    A watched file runs again by itself; this is for those that are not watched.

    Args:
        state: Shows the run and the source text that was recorded with it.
        session: Knows the file that was run.
        window: The window whose activation is a reason to compare.

    Signals:
        changed: Name of the file if it differs from what ran, else empty.
    """

    changed = Signal(str)

    def __init__(self, state: ViewerState, session: Session, window: QWidget) -> None:
        super().__init__(window)
        self._state = state
        self._session = session
        self._name = ""
        window.installEventFilter(self)
        session.offer_changed.connect(self.find)

    def find(self) -> Path | None:
        """Compare now; return the file if it exists and differs from what ran."""
        path = self._compare()
        name = "" if path is None else path.name
        if name != self._name:
            self._name = name
            self.changed.emit(name)
        return path

    def _compare(self) -> Path | None:
        index, offer = self._state.index, self._session.offer
        path = None if index is None or offer is None else file_of(offer.subject.path)
        if index is None or path is None:
            return None
        texts = [each.text for each in index.trace.sources if Path(each.path) == path]
        return path if any(is_changed(path, text) for text in texts) else None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Compare when the window becomes active."""
        if event.type() == QEvent.Type.WindowActivate:
            self.find()
        return False
