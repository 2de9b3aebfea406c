"""A started gradviz: how it ends, what it says, and what it leaves behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.drive.scenarios import Scenario

COMMAND = (sys.executable, "-m", "gradviz")
"""What is driven, without its arguments."""

_END_S = 20.0
"""Time for the window to end after SIGTERM, and then for its processes."""

_KEPT = (".config/gradviz", ".cache/fontconfig")
"""What a program may leave in a home: its settings, and the cache of the system's font library."""


class Program:
    """gradviz in a home, a working folder and one for temporary files, which are thrown away."""

    def __init__(self, scenario: Scenario, display: str, theme: str, folder: Path) -> None:
        self.home, self.temporary, self.folder = (
            folder / name for name in ("home", "temporary", "files")
        )
        for each in (folder, self.home, self.temporary, self.folder):
            each.mkdir(mode=0o700)
        settings = self.home / ".config" / "gradviz" / "gradviz.conf"
        settings.parent.mkdir(parents=True)
        settings.write_text(f"[window]\ntheme={theme}\n[run]\nask_to_save=false\n")
        for name, text in scenario.files.items():
            (self.folder / name).write_text(text)
        self._files = set(scenario.files)
        self._said = folder / "stderr"
        with self._said.open("wb") as said:
            self.process = subprocess.Popen(
                [*COMMAND, *scenario.arguments],
                cwd=self.folder,
                env=self._environment(display),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )

    def _environment(self, display: str) -> dict[str, str]:
        kept = {name: text for name, text in os.environ.items() if not name.startswith("XDG_")}
        return kept | {
            "DISPLAY": display,
            "QT_QPA_PLATFORM": "xcb",
            "LC_ALL": "C.UTF-8",
            "HOME": str(self.home),
            "TMPDIR": str(self.temporary),
            "XDG_RUNTIME_DIR": str(self.temporary),
        }

    def end(self) -> list[str]:
        """End it as a session manager does; returns what is wrong with that."""
        faults = []
        ended = self.process.poll()
        if ended is not None:
            faults.append(f"the window's process ended by itself with {ended}")
        else:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(_END_S)
            except subprocess.TimeoutExpired:
                faults.append(f"it runs {_END_S:g} s after SIGTERM")
        faults += [f"left running: {each}" for each in self._end_left()]
        faults += [f"left behind: {each}" for each in self._left_files()]
        said = self._said.read_text("utf-8", "replace").splitlines()
        return faults + [f"said: {line}" for line in said]

    def _end_left(self) -> list[str]:
        began = time.monotonic()
        while (left := self._processes()) and time.monotonic() - began < _END_S:
            time.sleep(0.1)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        self.process.wait()
        return list(left.values())

    def _processes(self) -> dict[int, str]:
        """Its processes: only they have its home in their environment."""
        mark, found = f"HOME={self.home}\0".encode(), {}
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (entry / "environ").read_bytes():
                    words = (entry / "cmdline").read_bytes().decode("utf-8", "replace")
                    found[int(entry.name)] = words.replace("\0", " ").strip()
            except OSError:
                continue
        return found

    def _left_files(self) -> Iterator[str]:
        for path in self.home.rglob("*"):
            name = str(path.relative_to(self.home))
            if path.is_file() and not name.startswith(_KEPT):
                yield f"~/{name}"
        for path in self.temporary.iterdir():
            # torch makes it where a program uses an optimizer.
            if not path.name.startswith("torchinductor_"):
                yield f"$TMPDIR/{path.name}"
        yield from (path.name for path in self.folder.iterdir() if path.name not in self._files)


_BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"


@contextmanager
def busy_loops(count: int) -> Iterator[None]:
    """Keep some cores busy meanwhile."""
    loops = [
        subprocess.Popen([sys.executable, "-c", _BUSY], stdin=subprocess.DEVNULL)
        for _ in range(count)
    ]
    try:
        yield
    finally:
        for each in loops:
            each.kill()
            each.wait()
