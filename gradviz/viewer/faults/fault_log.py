"""What is left of a window whose process died: Python's own report, told of at the next start."""

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
    """Lets the stacks of all threads be written when the process dies of a signal.

    Args:
        folder: The process's own, which is found by the next one if this one dies.
    """

    def __init__(self, folder: Path) -> None:
        self._file = (folder / FILE).open("w", encoding="utf-8")
        python = ".".join(map(str, sys.version_info[:3]))
        self._file.write(f"gradviz {__version__}, Python {python}, Qt {qVersion()}, ")
        self._file.write(f"{sys.platform}, {time.strftime('%Y-%m-%d %H:%M:%S')}\n\n")
        self._file.flush()
        faulthandler.enable(self._file)

    def close(self) -> None:
        """The process ends as it should."""
        faulthandler.disable()
        self._file.close()


def salvage(folder: Path) -> Path | None:
    """Keeps the report in the folder of a dead process; None if it did not die of a fault."""
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
    """Where reports are kept."""
    place = QStandardPaths.StandardLocation.StateLocation
    return Path(QStandardPaths.writableLocation(place)) / "reports"
