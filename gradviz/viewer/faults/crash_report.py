"""Crash reports, which Python writes when the process dies and the next start finds."""

from __future__ import annotations

import faulthandler
import sys
import time
from collections import deque
from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QObject, QStandardPaths, qVersion
from PySide6.QtGui import QAction

from gradviz.version import __version__
from gradviz.viewer.actions import without_mnemonic

MOST = 20


class ActionLog(QObject):
    """Records which actions were triggered, and when."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: deque[tuple[float, str]] = deque(maxlen=MOST)

    def listen(self, actions: Iterable[QAction]) -> None:
        """Start to record actions; their texts must not contain user data."""
        for action in actions:
            action.triggered.connect(self._on_action_triggered)

    def text(self) -> str:
        """One line per action, the latest one last: how long ago, and which action."""
        now = time.monotonic()
        lines = [f"{now - when:8.1f} s ago  {what}" for when, what in self._entries]
        return "\n".join(lines)

    def _on_action_triggered(self) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            what = without_mnemonic(action.text()).rstrip("…")
            self._entries.append((time.monotonic(), what))


FILE = "fault.txt"
_SIGN = "Fatal Python error"
_MOST_REPORTS = 10
_MOST_CHARACTERS = 100_000


class CrashReport:
    """Makes Python write the stacks of all threads if a signal kills the process.

    Args:
        folder: The folder of this process, which the next start of gradviz examines.
    """

    def __init__(self, folder: Path) -> None:
        self._file = (folder / FILE).open("w", encoding="utf-8")
        python = ".".join(map(str, sys.version_info[:3]))
        self._file.write(f"gradviz {__version__}, Python {python}, Qt {qVersion()}, ")
        self._file.write(f"{sys.platform}, {time.strftime('%Y-%m-%d %H:%M:%S')}\n\n")
        self._file.flush()
        faulthandler.enable(self._file)

    def close(self) -> None:
        """Stop, because the process ends normally."""
        faulthandler.disable()
        self._file.close()


def read_last_crash(folder: Path) -> Path | None:
    """Save the crash report of a dead process's folder; None if it did not crash."""
    try:
        text = (folder / FILE).read_text(encoding="utf-8", errors="replace")[:_MOST_CHARACTERS]
        if _SIGN not in text:
            return None
        reports = reports_folder()
        reports.mkdir(parents=True, exist_ok=True)
        kept = reports / time.strftime("gradviz-crash-%Y%m%d-%H%M%S.txt")
        kept.write_text(text, encoding="utf-8")
        for old in sorted(reports.glob("gradviz-crash-*.txt"))[:-_MOST_REPORTS]:
            old.unlink(missing_ok=True)
    except OSError:
        return None
    return kept


def reports_folder() -> Path:
    """The folder in which crash reports are kept."""
    place = QStandardPaths.StandardLocation.StateLocation
    return Path(QStandardPaths.writableLocation(place)) / "reports"
