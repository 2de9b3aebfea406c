"""Keeps the recent files in the menu and the library, and opens them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject

from gradviz.model.inputs import SCRIPT, Offer
from gradviz.viewer.files.recent_files import RecentFiles, RecentMenu
from gradviz.viewer.library.panel import LibraryPanel
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.session.session import Session
from gradviz.viewer.window.message_bar import MessageBar


class RecentFilesController(QObject):
    """Adds each file that opens without an error to the recent files."""

    def __init__(
        self,
        recent: RecentFiles,
        session: Session,
        run_control: RunController,
        panels: tuple[RecentMenu, LibraryPanel, MessageBar],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._recent = recent
        self._session = session
        self._run_control = run_control
        menu, self._library, self._messages = panels
        menu.picked.connect(self._on_file_picked)
        self._library.file_picked.connect(self._on_file_picked)
        session.described.connect(self._on_session_described)
        session.offer_changed.connect(self._on_session_offer_changed)
        recent.changed.connect(self._on_recent_changed)
        self._on_recent_changed()

    def add(self, path: Path) -> None:
        """Add a file that was opened by another part of the window."""
        self._recent.add(path)

    def _on_recent_changed(self) -> None:
        self._library.show_recent(self._recent.paths)

    def _on_file_picked(self, path: Path) -> None:
        if path.is_file():
            self._run_control.open_path(path)
        else:
            self._recent.remove(path)
            text = self.tr("{0} no longer exists. It was removed from the recent files.")
            self._messages.say(text.format(str(path)), "warning")

    def _on_session_described(self, path: str, offers: tuple[Offer, ...], problem: str) -> None:
        if offers:
            self._recent.add(Path(path))

    def _on_session_offer_changed(self, offer: Offer | None) -> None:
        path = self._session.trace_path
        if offer is None and path is not None:
            self._recent.add(path)
        elif offer is not None and offer.subject.name == SCRIPT:
            # Nothing in it is offered, so that it is known only when it runs.
            self._recent.add(Path(offer.subject.path))
