"""What tests of the process that writes a trace have in common."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import psutil

from gradviz.model.console import ConsoleText
from gradviz.model.trace import Outcome
from gradviz.store.reader import open_trace
from gradviz.store.writer import TraceWriter
from tests.builders import ORIGIN

OUTCOME = Outcome(kind="finished", message="", duration_ns=1)


def text(number: int, words: str = "") -> ConsoleText:
    words = words or f"{number}"
    return ConsoleText(id=number, step=None, stream="stdout", activity="run", text=words)


def handed_over(path: Path) -> TraceWriter:
    """A writer whose second process has the file, with two texts in it."""
    writer = TraceWriter(path, ORIGIN)
    for number in (1, 2):
        writer.put(text(number))
        writer.flush()
    # It has the trace now.
    writer.wait()
    assert vars(writer)["_own_file"] is None
    return writer


def processes_with(path: Path) -> list[psutil.Process]:
    """The processes other than this one that have a trace open."""
    found = []
    for each in psutil.process_iter():
        try:
            if each.pid != os.getpid() and str(path) in {file.path for file in each.open_files()}:
                found.append(each)
        except psutil.Error:
            continue
    return found


def writing_process(path: Path) -> psutil.Process:
    (found,) = processes_with(path)
    return found


def numbers_in(path: Path) -> list[int]:
    with open_trace(path) as reader:
        return [each.id for each in reader.trace().console]


def in_fork(work: Callable[[], object]) -> int:
    """The exit code, or the negative number of the signal, of a fork that does some work."""
    child = os.fork()
    if not child:
        try:
            work()
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def kill_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)
