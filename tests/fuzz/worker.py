"""Looks at damaged traces in a process of its own: reads cases, and answers what went wrong."""

from __future__ import annotations

import faulthandler
import gc
import json
import re
import resource
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from tests.fuzz.case import FuzzCase
from tests.fuzz.outputs import show_all
from tests.fuzz.pool import HANGS_S, FuzzRequest

if TYPE_CHECKING:
    from tests.fuzz.window import FuzzWindow

MOST_S, MOST_BYTES = 5.0, 500 << 20
_ALL_BYTES = 3 << 30
_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


class CaseRunner:
    """Shows cases one after the other, each as a file in the same place."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "fuzz.gradviz"
        self._window: FuzzWindow | None = None

    def problem(self, request: FuzzRequest) -> str:
        """What went wrong, as the innermost frames or a sentence; empty if nothing."""
        case, window = request.case, request.window
        try:
            if window == "damaged":
                FuzzCase(trace=case.trace, changes=()).write(self._path)
            else:
                case.write(self._path)
        except Exception:  # noqa: BLE001 - SQLite may refuse a change
            return ""
        if window:
            # Otherwise the import would count as time and memory of the case.
            self._open_window()
        before, began = self._begin()
        try:
            if not window:
                show_all(self._path, draw=request.draw)
            else:
                self._show(case, damaged=window == "damaged")
        except BaseException as error:  # noqa: BLE001 - the subject of the whole program
            return _innermost(error)
        seconds, grown = time.process_time() - began, _peak_bytes() - before
        if seconds > MOST_S:
            return f"took {seconds:.1f} s"
        return f"took {grown >> 20} MiB" if grown > MOST_BYTES else ""

    def _begin(self) -> tuple[int, float]:
        # The window turns the collector off, and freezes what all cases since the last one left.
        gc.collect()
        if _CLEAR.exists():
            _CLEAR.write_text("5")  # Forgets the peak of the memory so far.
        return _peak_bytes(), time.process_time()

    def _open_window(self) -> FuzzWindow:
        if self._window is None:
            from tests.fuzz.window import FuzzWindow

            self._window = FuzzWindow()
        return self._window

    def _show(self, case: FuzzCase, *, damaged: bool) -> None:
        data = None
        if damaged:
            other = self._path.with_name("other")
            case.write(other)
            data = other.read_bytes()
        self._open_window().show(self._path, data)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()


def _peak_bytes() -> int:
    if not _STATUS.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    found = re.search(r"VmHWM:\s*(\d+) kB", _STATUS.read_text())
    return int(found[1]) << 10 if found else 0


def _innermost(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    ours = [each for each in frames if "/gradviz/" in each.filename][-3:]
    places = [f"{each.filename.rpartition('/gradviz/')[2]}:{each.name}" for each in ours]
    return f"{type(error).__name__}: {str(error)[:150]} in {' > '.join(places)}"


def main() -> None:
    """Answer each line of JSON on stdin with one on stdout."""
    resource.setrlimit(resource.RLIMIT_DATA, (_ALL_BYTES, _ALL_BYTES))
    faulthandler.enable()
    with tempfile.TemporaryDirectory(prefix="gradviz-fuzz-") as folder:
        runner = CaseRunner(Path(folder))
        for line in sys.stdin:
            request = FuzzRequest.from_message(line)
            faulthandler.dump_traceback_later(HANGS_S - 5)
            sys.stdout.write(json.dumps(runner.problem(request)) + "\n")
            sys.stdout.flush()
        runner.close()


if __name__ == "__main__":
    main()
