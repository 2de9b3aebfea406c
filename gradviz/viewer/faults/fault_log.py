"""Crash reports, which Python writes when the process dies and the next start finds."""

from __future__ import annotations

import faulthandler
import sys
import time
from pathlib import Path

from PySide6.QtCore import QStandardPaths, qVersion

from gradviz import __version__

FILE = "fault.txt"
_SIGN = "Fatal Python error"
_MOST_REPORTS = 10
_MOST_CHARACTERS = 100_000


class FaultLog:
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


def salvage(folder: Path) -> Path | None:
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
