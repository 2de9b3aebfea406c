"""What a program says, leaves behind and leaves running is told when it ends."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tools.drive import judge
from tools.drive.judge import Program
from tools.drive.scenarios import Scenario

_WAITS = "import pathlib, time; pathlib.Path('begun').touch(); time.sleep(60)"
_MESSY = """
import os, pathlib, signal, subprocess, sys, tempfile, time
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
print("Warning: something", file=sys.stderr)
for path in (pathlib.Path.home() / "note", pathlib.Path(tempfile.gettempdir(), "scratch")):
    path.touch()
(pathlib.Path.home() / ".config/gradviz/more.conf").touch()
stays = [sys.executable, "-c", "import time; time.sleep(60)  # stays"]
subprocess.Popen(stays, stdin=subprocess.DEVNULL)
pathlib.Path("begun").touch()
time.sleep(60)
"""


@pytest.fixture
def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Program]:
    monkeypatch.setattr(judge, "_END_S", 2.0)

    def begin(code: str) -> Program:
        monkeypatch.setattr(judge, "COMMAND", (sys.executable, "-c", code))
        program = Program(Scenario("x", [], files={"mine.py": ""}), ":0", "light", tmp_path / "x")
        until = time.monotonic() + 30
        while not (program.folder / "begun").exists() and time.monotonic() < until:
            if program.process.poll() is not None:
                break
            time.sleep(0.02)
        (program.folder / "begun").unlink(missing_ok=True)
        return program

    return begin


def test_a_clean_program_has_no_faults(begin: Callable[[str], Program]) -> None:
    assert begin(_WAITS).end() == []


def test_what_is_left_is_told_and_ended(begin: Callable[[str], Program]) -> None:
    faults = begin(_MESSY).end()
    (running,) = (each for each in faults if each.startswith("left running: "))
    assert running.endswith("# stays")
    assert sorted(set(faults) - {running}) == [
        "left behind: $TMPDIR/scratch",
        "left behind: ~/note",
        "said: Warning: something",
    ]


def test_an_end_of_its_own_is_a_fault(begin: Callable[[str], Program]) -> None:
    assert begin("raise SystemExit(3)").end() == ["the window's process ended by itself with 3"]


def test_a_program_that_ignores_its_end_is_a_fault(begin: Callable[[str], Program]) -> None:
    faults = begin(f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {_WAITS}").end()
    assert faults[0] == "it runs 2 s after SIGTERM"
    assert faults[1].startswith("left running: ")
