"""Runs an open Python file again when it is saved."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction

from gradviz.model.inputs import Offer
from gradviz.viewer.background import Background
from gradviz.viewer.files.outline import outline
from gradviz.viewer.files.watch import FileWatch
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.running.run_control import RunControl
from gradviz.viewer.running.session import Session


class RerunControl(QObject):
    """Watches the file of the current run, or the last opened file that could not be run.

    Signals:
        watching_changed: Name of the file that runs again when saved; empty for none.
    """

    watching_changed = Signal(str)

    def __init__(
        self,
        preferences: Preferences,
        session: Session,
        background: Background,
        run_control: RunControl,
        action: QAction,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._preferences = preferences
        self._session = session
        self._background = background
        self._run_control = run_control
        self._action = action
        self._outline: str | None = None
        self._awaited: Path | None = None
        self.watch = FileWatch(self)
        self.watch.saved.connect(self._on_watch_saved)
        preferences.changed.connect(self._on_preferences_changed)
        session.offer_changed.connect(self._on_session_offer_changed)
        session.described.connect(self._on_session_described)
        action.setChecked(preferences.watch_files)
        action.toggled.connect(preferences.set_watch_files)

    def _watch(self, offer: Offer | None) -> None:
        path = Path(offer.subject.path) if offer is not None and offer.subject.path else None
        wanted = path if self._preferences.watch_files else None
        if wanted == self.watch.path and self._awaited is None:
            return
        self._awaited = None
        self.watch.watch(wanted)
        self._outline = None
        self.watching_changed.emit("" if wanted is None else wanted.name)
        if wanted is not None:
            self._background.start(lambda _: _outline_of(wanted), self._keep, lane="outline")

    def _keep(self, found: str | None) -> None:
        self._outline = found

    def _run_again(self, found: str | None) -> None:
        """Run again, asking for the inputs only if they may have changed: it costs a process."""
        same = found is not None and found == self._outline
        self._outline = found
        if self.watch.path == self._awaited is not None:
            self._run_control.open_path(self._awaited)
        elif self.watch.path is not None:
            self._run_control.run_file_again(self.watch.path, ask=not same)

    @Slot(object)
    def _on_watch_saved(self, path: Path) -> None:
        self._background.start(lambda _: _outline_of(path), self._run_again, lane="outline")

    @Slot(str)
    def _on_preferences_changed(self, name: str) -> None:
        if name == "watch_files":
            self._action.setChecked(self._preferences.watch_files)
            self._watch(self._session.offer)

    @Slot(object)
    def _on_session_offer_changed(self, offer: Offer | None) -> None:
        self._watch(offer)

    @Slot(str, object, str)
    def _on_session_described(self, path: str, offers: tuple[Offer, ...], problem: str) -> None:
        """Watch a file that cannot be run yet until it is fixed."""
        if not offers and self._preferences.watch_files and self.watch.path != Path(path):
            self._awaited = Path(path)
            self.watch.watch(self._awaited)
            self.watching_changed.emit("")


def _outline_of(path: Path) -> str | None:
    try:
        return outline(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None
