"""Temporary folders are deleted with their process, and not before."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gradviz.viewer.faults.crash_report import FILE, read_last_crash, reports_folder
from gradviz.viewer.session.temporary_traces import ProcessFolder, remove_stale

MAKE = """
import os, sys
from gradviz.viewer.session.temporary_traces import ProcessFolder
from gradviz.viewer.faults.crash_report import CrashReport
folder = ProcessFolder()
(folder.make_window_folder() / "run-1.gradviz").write_text("x" * 1000)
faults = CrashReport(folder.path)
print(folder.path, flush=True)
sys.stdin.readline()
if sys.argv[1] == "kill":
    os.kill(os.getpid(), 9)
if sys.argv[1] == "crash":
    import ctypes
    ctypes.string_at(0)
faults.close()
if sys.argv[1] != "forget":
    folder.remove()
"""


@pytest.fixture(autouse=True)
def own_tmp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)


class Other:
    """Another window's process."""

    def __init__(self, fate: str) -> None:
        command = [sys.executable, "-c", MAKE, fate]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True
        )
        assert self.process.stdout is not None
        self.folder = Path(self.process.stdout.readline().strip())

    def meet_its_fate(self) -> None:
        self.process.communicate("\n")


def test_a_living_process_keeps_its_folder(qtbot: QtBot) -> None:
    other = Other("live")
    try:
        assert remove_stale() == 0
        assert (other.folder / "window-1" / "run-1.gradviz").exists()
    finally:
        other.meet_its_fate()
    assert not other.folder.exists()


def test_our_own_folder_stays(qtbot: QtBot) -> None:
    own = ProcessFolder()
    assert remove_stale() == 0
    assert own.path.exists()
    own.remove()
    assert not own.path.exists()


def test_what_a_killed_process_left_is_removed_without_a_word(qtbot: QtBot) -> None:
    other = Other("kill")
    other.meet_its_fate()
    kept: list[Path | None] = []
    assert remove_stale(lambda folder: kept.append(read_last_crash(folder))) == 1
    assert not other.folder.exists()
    assert kept == [None]


def test_the_report_of_a_crash_is_kept(qtbot: QtBot) -> None:
    other = Other("crash")
    other.meet_its_fate()
    kept: list[Path | None] = []
    assert remove_stale(lambda folder: kept.append(read_last_crash(folder))) == 1
    (report,) = kept
    assert report is not None
    assert report.parent == reports_folder()
    text = report.read_text()
    assert text.startswith("gradviz 0")
    assert "Segmentation fault" in text
    assert "string_at" in text
    report.unlink()


def test_a_process_that_ends_without_closing_leaves_nothing(qtbot: QtBot) -> None:
    other = Other("forget")
    other.meet_its_fate()
    assert not other.folder.exists()


def test_a_folder_without_a_lock_goes_when_it_is_old(qtbot: QtBot, tmp_path: Path) -> None:
    old = tmp_path / "gradviz-window-old"
    old.mkdir()
    (old / "run-1.gradviz").write_text("x")
    os.utime(old, times=(time.time() - 90_000,) * 2)
    assert remove_stale() == 1
    assert not old.exists()


def test_strange_folders_are_left_alone(qtbot: QtBot, tmp_path: Path) -> None:
    unlocked = tmp_path / "gradviz-window-new"
    unlocked.mkdir()
    (unlocked / "run-1.gradviz").write_text("mine")
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "lock").write_text("")
    (tmp_path / "gradviz-window-link").symlink_to(precious)
    (tmp_path / "gradviz-window-file").write_text("")
    assert remove_stale() == 0
    assert (unlocked / "run-1.gradviz").exists()
    assert precious.exists()


def test_only_the_newest_reports_are_kept(qtbot: QtBot, tmp_path: Path) -> None:
    reports = reports_folder()
    reports.mkdir(parents=True)
    for day in range(1, 15):
        (reports / f"gradviz-crash-200001{day:02}-000000.txt").write_text("old")
    (tmp_path / FILE).write_text("gradviz 0\n\nFatal Python error: Aborted\n")
    kept = read_last_crash(tmp_path)
    assert kept is not None
    names = sorted(path.name for path in reports.iterdir())
    assert len(names) == 10
    assert names[-1] == kept.name
    assert names[0] == "gradviz-crash-20000106-000000.txt"
