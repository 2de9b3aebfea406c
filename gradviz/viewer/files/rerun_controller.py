"""Runs an open Python file again when it is saved."""

from __future__ import annotations

import ast
import os
from functools import partial
from pathlib import Path

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer, Signal
from PySide6.QtGui import QAction

from gradviz.analysis.source_statements import parse_source
from gradviz.model.inputs import Offer
from gradviz.viewer.background import Background
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.session.session import Session

SETTLE_MS = 150
"""Editors write in several steps; a file counts as saved after this long without a change."""

FileStamp = tuple[int, int, int]


class FileWatch(QObject):
    """Watches one file.

    Signals:
        saved: Path of the file; emitted when its content may have changed.
    """

    saved = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path: Path | None = None
        self._stamp: FileStamp | None = None
        self._watcher = QFileSystemWatcher(self)
        self._settle = QTimer(self, singleShot=True, interval=SETTLE_MS)
        self._watcher.fileChanged.connect(self._on_watcher_changed)
        self._watcher.directoryChanged.connect(self._on_watcher_changed)
        self._settle.timeout.connect(self._on_settle_timeout)

    @property
    def path(self) -> Path | None:
        """The watched file, or None."""
        return self._path

    def watch(self, path: Path | None) -> None:
        """Watch another file, or none."""
        if path == self._path:
            return
        self._settle.stop()
        old = [*self._watcher.files(), *self._watcher.directories()]
        if old:
            self._watcher.removePaths(old)
        self._path = path
        self._stamp = _stamp(path)
        self._watch_again()

    def _watch_again(self) -> None:
        """Watch the file and its folder; a replaced file is reported only by the folder."""
        if self._path is None:
            return
        for each in (self._path, self._path.parent):
            known = (*self._watcher.files(), *self._watcher.directories())
            if str(each) not in known and each.exists():
                self._watcher.addPath(str(each))

    def _on_watcher_changed(self, path: str) -> None:
        self._settle.start()

    def _on_settle_timeout(self) -> None:
        self._watch_again()
        stamp = _stamp(self._path)
        # While the file is being replaced it does not exist; the folder will report the new one.
        if stamp is not None and stamp != self._stamp:
            self._stamp = stamp
            self.saved.emit(self._path)


def _stamp(path: Path | None) -> FileStamp | None:
    try:
        found = os.stat(path) if path is not None else None
    except OSError:
        return None
    return None if found is None else (found.st_mtime_ns, found.st_size, found.st_ino)


MOST_CHARACTERS = 200_000
"""A longer file is not parsed, since that would block the window."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def source_outline(source: str) -> str | None:
    """Return a text that changes only if the inputs a file offers may have changed.

    Edits of how its Functions compute do not change it. It covers all code outside classes and
    functions, the functions that this code names, those that they name in turn, and the names of
    all others.

    Returns:
        The text; None if the file is too long or is not valid Python.
    """
    if len(source) > MOST_CHARACTERS:
        return None
    tree = parse_source(source)
    if tree is None:
        return None
    body = tree.body
    functions = {each.name: each for each in body if isinstance(each, _Function)}
    classes = [each for each in body if isinstance(each, ast.ClassDef)]
    outside = [each for each in body if not isinstance(each, _Function | ast.ClassDef)]
    # gradviz calls the function `examples` by its name.
    named = _reached({"examples", *_names(outside)}, functions)
    parts = [ast.dump(each) for each in outside]
    parts += [ast.dump(functions[name]) for name in sorted(named)]
    return "\n".join([*parts, *sorted(functions), *(each.name for each in classes)])


def _names(nodes: list[ast.stmt]) -> set[str]:
    walked = (each for node in nodes for each in ast.walk(node))
    return {each.id for each in walked if isinstance(each, ast.Name)}


def _reached(names: set[str], functions: dict[str, _Function]) -> set[str]:
    reached: set[str] = set()
    waiting = [name for name in names if name in functions]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            more = _names([functions[name]])
            waiting += [each for each in more if each in functions]
    return reached


class RerunController(QObject):
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
        run_control: RunController,
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
        session.offer_changed.connect(self._watch)
        session.described.connect(self._on_session_described)
        action.setChecked(preferences.watch_files)
        action.toggled.connect(partial(preferences.set, "watch_files"))

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

    def _on_watch_saved(self, path: Path) -> None:
        self._background.start(lambda _: _outline_of(path), self._run_again, lane="outline")

    def _on_preferences_changed(self, name: str) -> None:
        if name == "watch_files":
            self._action.setChecked(self._preferences.watch_files)
            self._watch(self._session.offer)

    def _on_session_described(self, path: str, offers: tuple[Offer, ...], problem: str) -> None:
        """Watch a file that cannot be run yet until it is fixed."""
        has_none = all(each.waits_for_choice for each in offers)
        if has_none and self._preferences.watch_files and self.watch.path != Path(path):
            self._awaited = Path(path)
            self.watch.watch(self._awaited)
            self.watching_changed.emit("")


def _outline_of(path: Path) -> str | None:
    try:
        return source_outline(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError):
        return None
