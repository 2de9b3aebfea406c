"""The search for leftovers finds each kind of leftover."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tests import leftovers
from tests.leftovers import LogWatch, remove_abandoned, wait_for_leftovers, what_runs

SLEEP = "import time; time.sleep(60)"


@pytest.fixture(autouse=True)
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leftovers, "GRACE_S", 0.05)


def test_nothing_is_found_when_nothing_is_left() -> None:
    before = what_runs()
    subprocess.run([sys.executable, "-c", ""], stdin=subprocess.DEVNULL, check=True)
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    assert wait_for_leftovers(before) == []


def test_a_thread_is_found() -> None:
    before = what_runs()
    done = threading.Event()
    thread = threading.Thread(target=done.wait, name="forgotten")
    thread.start()
    try:
        assert wait_for_leftovers(before) == ["thread 'forgotten'"]
    finally:
        done.set()
        thread.join()


def test_a_child_is_found_and_killed() -> None:
    before = what_runs()
    child = subprocess.Popen([sys.executable, "-c", SLEEP], stdin=subprocess.DEVNULL)
    (left,) = wait_for_leftovers(before)
    assert left.startswith(f"process {child.pid} ")
    assert child.wait(timeout=10) != 0


@pytest.mark.parametrize("derived", [False, True])
def test_a_timer_is_found(derived: bool, qtbot: QtBot) -> None:
    from PySide6.QtCore import QTimer

    before = what_runs()
    timer = type("Derived", (QTimer,), {})() if derived else QTimer()
    timer.start(1000)
    assert wait_for_leftovers(before) == ["QTimer of None"]
    timer.stop()
    assert wait_for_leftovers(before) == []


def test_a_qthread_is_found(qtbot: QtBot) -> None:
    from PySide6.QtCore import QThread

    before = what_runs()
    thread = QThread(objectName="busy")
    thread.start()
    try:
        assert wait_for_leftovers(before) == ["QThread 'busy'"]
    finally:
        thread.quit()
        thread.wait()


def test_a_log_warning_is_found() -> None:
    with LogWatch("watched") as watch:
        logging.getLogger("watched.part").warning("told %d", 1)
        logging.getLogger("watched.part").info("not told")
    logging.getLogger("watched").warning("too late")
    assert watch.messages == ["WARNING watched.part: told 1"]


def test_settings_are_empty_and_can_be_written(qapp: object) -> None:
    _write_once()


def test_settings_are_empty_again(qapp: object) -> None:
    _write_once()


def _write_once() -> None:
    from PySide6.QtCore import QSettings

    settings = QSettings("gradviz", "test")
    assert settings.allKeys() == []
    settings.setValue("seen", 1)
    settings.sync()
    assert settings.allKeys() == ["seen"]


def test_folders_of_killed_test_runs_are_removed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""], stdin=subprocess.DEVNULL) as ended:
        ended.wait()
    names = (f"kept-{os.getpid()}-a", f"kept-{ended.pid}-b", f"other-{ended.pid}-c", "kept-d")
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").touch()
    remove_abandoned(tmp_path, "kept-")
    assert {each.name for each in tmp_path.iterdir()} == {names[0], *names[2:]}
