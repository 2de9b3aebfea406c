"""A writer that is killed leaves a readable trace."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from gradviz.store.errors import TraceError
from gradviz.store.finalize import finalize_trace, save_copy
from gradviz.store.header import journal_path, wal_path
from gradviz.store.output import choose_output, finish_output
from gradviz.store.reader import open_trace
from gradviz.store.writer import TraceWriter
from tests.builders import linear_trace, write_records, write_trace

# A writer that dies before any of its statements or file operations leaves a readable trace.


_FILE_EVENTS = {"os.remove", "os.rename", "sqlite3.connect", "shutil.copyfile"}
Report = Callable[[int], None]
each_stride = pytest.mark.parametrize("stride", [3, pytest.param(1, marks=pytest.mark.sweep)])
"""A death before every third write; in the sweep, before every one."""


def run_killed(work: Callable[[Report], None], at: int) -> tuple[int, list[int]]:
    """Run in a fork that dies before write number ``at``; its exit code and what it reported."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        code = 2
        try:
            _die_before(at)
            work(lambda number: os.write(writing, bytes([number])) and None)
            code = 0
        finally:
            # Not closed: what the work left open stays as a killed process leaves it.
            os._exit(code)
    os.close(writing)
    with open(reading, "rb") as file:
        reported = list(file.read())
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), reported


def _die_before(at: int) -> None:
    numbers = count(1)

    def on_write(*_: object) -> None:
        if next(numbers) == at:
            os._exit(1)

    def on_event(event: str, _: object) -> None:
        if event in _FILE_EVENTS:
            on_write()

    def traced(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **options)
        connection.set_trace_callback(on_write)
        return connection

    connect, patch = sqlite3.connect, pytest.MonkeyPatch()
    patch.setattr("gradviz.store.writer.connect", traced)
    patch.setattr("gradviz.store.trace_file.connect", traced)
    patch.setattr("gradviz.store.finalize.connect", traced)
    sys.addaudithook(on_event)


def record(path: Path, report: Report, title: str = "new", *, finish: bool = True) -> None:
    """Write a trace step by step, and report how many steps are committed."""
    trace = linear_trace()
    # As commands do: an empty file only reserves its name.
    output, aside = choose_output(path, "") if path.stat().st_size else (path, path)
    writer = TraceWriter(aside, replace(trace.origin, title=title))
    write_records(writer, replace(trace, steps=(), console=(), outcome=None))
    writer.flush()
    report(0)
    for step in trace.steps:
        writer.put(step)
        writer.flush()
        report(step.number)
    if finish:
        assert trace.outcome is not None
        writer.put_outcome(trace.outcome)
        writer.close()
        finish_output(aside, output)


def contents(path: Path) -> tuple[str, int]:
    """Title and number of steps."""
    with open_trace(path) as reader:
        trace = reader.trace()
    return trace.origin.title, len(trace.steps)


@each_stride
def test_committed_steps_survive(stride: int, tmp_path: Path) -> None:
    """A trace has every committed step; a file without a trace is refused in one sentence."""
    for at in count(1, stride):
        path = tmp_path / f"{at}.gradviz"
        path.touch()
        code, reported = run_killed(lambda report, path=path: record(path, report), at)
        if path.stat().st_size:
            assert contents(path) == ("new", reported[-1] if reported else 0), at
        else:
            assert not reported
            with pytest.raises(TraceError) as caught:
                open_trace(path)
            assert str(caught.value) == f"{path} is not a gradviz trace."
        if not code:
            break
        assert code == 1
    assert at > 50


@each_stride
@pytest.mark.parametrize("by", ["recording", "copy"])
def test_a_replaced_trace_is_the_old_or_the_new_one(by: str, stride: int, tmp_path: Path) -> None:
    old, new = tmp_path / "old.gradviz", tmp_path / "new.gradviz"
    old.touch()
    # Its writer was killed, so that its steps are only in its log.
    assert run_killed(lambda report: record(old, report, "old", finish=False), 0)[0] == 0
    trace = linear_trace()
    write_trace(new, replace(trace, origin=replace(trace.origin, title="new")))
    for at in count(1, stride):
        path = tmp_path / f"{at}.gradviz"
        for ending in ("", "-wal"):
            shutil.copyfile(f"{old}{ending}", f"{path}{ending}")
        work = {
            "recording": lambda report, path=path: record(path, report),
            "copy": lambda _, path=path: save_copy(new, path),
        }[by]
        code, _ = run_killed(work, at)
        assert contents(path) in {("old", 8), ("new", 8)}, at
        if not code:
            break
        assert code == 1
    assert contents(path) == ("new", 8)


# A trace on a file system without shared memory, whose writer was killed inside a transaction.


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The files as they are in the middle of a transaction that has overwritten pages."""
    whole = write_trace(tmp_path / "whole.gradviz", linear_trace())
    finalize_trace(whole)
    path = tmp_path / "run.gradviz"
    with closing(sqlite3.connect(whole, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = delete")
        # Pages go to the file before the end of the transaction.
        connection.execute("PRAGMA cache_size = 1")
        connection.execute("PRAGMA cache_spill = 1")
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("DELETE FROM node")
        for number in range(50):
            row = (number + 1_000, "x" * 5_000)
            connection.execute("INSERT INTO console (id, json) VALUES (?, ?)", row)
        shutil.copyfile(whole, path)
        shutil.copyfile(journal_path(whole), journal_path(path))
        connection.execute("ROLLBACK")
    whole.unlink()
    assert path.stat().st_size > 200_000
    return path


@pytest.mark.parametrize("repair", [False, True])
def test_it_is_read_as_it_was_before_the_transaction(path: Path, repair: bool) -> None:
    before = [each.read_bytes() for each in (path, journal_path(path))]
    with open_trace(path, repair=repair) as reader:
        assert reader.trace() == linear_trace()
    assert [each.read_bytes() for each in (path, journal_path(path))] == before


def test_it_becomes_one_file(path: Path, tmp_path: Path) -> None:
    copied = tmp_path / "copied.gradviz"
    save_copy(path, copied)
    finalize_trace(path)
    assert sorted(tmp_path.iterdir()) == [copied, path]
    for each in (copied, path):
        with open_trace(each) as reader:
            assert reader.trace() == linear_trace()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_beside_a_trace_is_not_waited_for(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "run.gradviz", linear_trace())
    finalize_trace(path)
    for beside in (journal_path(path), wal_path(path)):
        os.mkfifo(beside)
        for use in (open_trace, finalize_trace, lambda it: save_copy(it, tmp_path / "c.gradviz")):
            with pytest.raises(TraceError, match=f"{beside.name} cannot be read: it is a pipe"):
                use(path)
        beside.unlink()
