"""Finds what a test left running: threads, child processes, Qt timers and jobs."""

from __future__ import annotations

import functools
import logging
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

GRACE_S = 2.0
_TASKS = "/proc/self/task"


@dataclass(frozen=True)
class Running:
    """Threads, direct children, and the identities of Qt objects if those were looked at."""

    threads: frozenset[threading.Thread]
    children: frozenset[int]
    qt: frozenset[int] | None


def remove_abandoned(parent: Path, prefix: str) -> None:
    """Remove the folders of test runs that were killed; prefix and process id begin their names."""
    for folder in parent.glob(f"{prefix}*"):
        pid = folder.name.removeprefix(prefix).partition("-")[0]
        if pid.isdecimal() and not psutil.pid_exists(int(pid)):
            shutil.rmtree(folder, ignore_errors=True)


def qt_is_running() -> bool:
    core = sys.modules.get("PySide6.QtCore")
    return core is not None and core.QCoreApplication.instance() is not None


def what_runs(*, qt: bool = True) -> Running:
    """What runs now; `qt` says whether to look at Qt's objects, of which there are thousands."""
    objects = frozenset(identity for identity, _ in _active_qt_objects()) if qt else None
    return Running(threads=_threads(), children=_children(), qt=objects)


def wait_for_leftovers(before: Running) -> list[str]:
    """What runs now and did not run before, after a grace period; leftover children are killed."""
    until = time.monotonic() + GRACE_S
    left = _leftovers(before)
    while left and time.monotonic() < until:
        _let_qt_work()
        time.sleep(0.01)
        left = _leftovers(before)
    for pid in _new_children(before):
        _kill(pid)
    return left


def _leftovers(before: Running) -> list[str]:
    if before.qt is not None:
        _let_qt_work()
    left = [f"thread {thread.name!r}" for thread in _threads() - before.threads]
    left += [f"process {_describe(pid)}" for pid in _new_children(before)]
    if before.qt is not None:
        left += [text for identity, text in _active_qt_objects() if identity not in before.qt]
    return left


def _threads() -> frozenset[threading.Thread]:
    # A thread that torch made itself shows up as a dummy once Python code has run in it.
    return frozenset(
        thread
        for thread in threading.enumerate()
        if not isinstance(thread, threading._DummyThread)  # noqa: SLF001 - no public name
    )


def _new_children(before: Running) -> list[int]:
    """The living direct children that were none before."""
    return [pid for pid in _children() - before.children if _is_alive(pid)]


def _children() -> frozenset[int]:
    """All direct children, dead ones too; the kernel's list where there is one, as it is quick."""
    if not os.path.exists(f"{_TASKS}/{threading.get_native_id()}/children"):
        return frozenset(child.pid for child in psutil.Process().children())
    lists = (_read(f"{_TASKS}/{thread}/children") for thread in os.listdir(_TASKS))
    return frozenset(int(pid) for each in lists for pid in each.split())


def _read(path: str) -> str:
    try:
        with open(path) as file:
            return file.read()
    except OSError:  # the thread ended meanwhile
        return ""


def _is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _describe(pid: int) -> str:
    try:
        return f"{pid} ({' '.join(psutil.Process(pid).cmdline())[:120]})"
    except psutil.Error:
        return str(pid)


def _kill(pid: int) -> None:
    try:
        psutil.Process(pid).kill()
    except psutil.NoSuchProcess:
        return


def _let_qt_work() -> None:
    if not qt_is_running():
        return
    from PySide6.QtCore import QCoreApplication, QEvent, QThreadPool

    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QCoreApplication.processEvents()
    QThreadPool.globalInstance().waitForDone(10)


def _active_qt_objects() -> list[tuple[int, str]]:
    """Every running QTimer, QThread and QProcess that Python knows, and the global pool's jobs."""
    if not qt_is_running():
        return []
    import shiboken6
    from PySide6.QtCore import QThreadPool

    # There are thousands of wrappers and few types, so most are skipped by their type.
    found = [
        (id(thing), text)
        for thing in shiboken6.getAllValidWrappers()
        if (describe := _describer_of(type(thing))) is not None
        and (text := describe(thing)) is not None
    ]
    jobs = QThreadPool.globalInstance().activeThreadCount()
    if jobs:
        found.append((-jobs, f"{jobs} jobs in the global QThreadPool"))
    return found


@functools.cache
def _describer_of(kind: type) -> Callable[[Any], str | None] | None:
    """A function that describes an object of this type if it runs; None if the type never does."""
    from PySide6.QtCore import QProcess, QThread, QTimer

    kinds = {QTimer: _active_timer, QProcess: _running_process, QThread: _running_thread}
    return next((describe for base, describe in kinds.items() if issubclass(kind, base)), None)


def _active_timer(timer: Any) -> str | None:
    return f"QTimer of {timer.parent()!r}" if timer.isActive() else None


def _running_process(process: Any) -> str | None:
    running = process.state() != process.ProcessState.NotRunning
    return f"QProcess {process.program()!r}" if running else None


def _running_thread(thread: Any) -> str | None:
    from PySide6.QtCore import QCoreApplication

    app = QCoreApplication.instance()
    running = thread.isRunning() and app is not None and thread is not app.thread()
    return f"QThread {thread.objectName()!r}" if running else None


class LogWatch(logging.Handler):
    """Collects what a logger says at WARNING or above."""

    def __init__(self, name: str) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []
        self._logger = logging.getLogger(name)

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(f"{record.levelname} {record.name}: {record.getMessage()}")

    def __enter__(self) -> LogWatch:
        self._logger.addHandler(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._logger.removeHandler(self)
