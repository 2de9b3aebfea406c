"""A second process writes the trace of a long run, and nothing that was handed over is lost."""

from __future__ import annotations

import os
import select
import signal
import socket
import sqlite3
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest

from gradviz.linter.training.training_run import LearningProblem, MissedGradient
from gradviz.model.source import Location
from gradviz.recorder.training.trace_problems import TrainingFacts, find_training_problems
from gradviz.store.errors import TraceError
from gradviz.store.reader import open_trace
from gradviz.store.trace_file import _connect
from gradviz.store.writer import TraceWriter
from gradviz.store.writer_process import WriterProcess
from gradviz.store.writer_program import _Service
from tests.builders import ORIGIN, linear_trace, write_records
from tests.programs import run_program
from tests.store.second_process import (
    OUTCOME,
    handed_over,
    in_fork,
    kill_itself,
    numbers_in,
    processes_with,
    text,
    writing_process,
)

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="one process writes elsewhere"),
    pytest.mark.usefixtures("second_process"),
]

LOST = "The process that wrote {} has ended, without the rest of the run."


def test_the_trace_is_that_of_one_process(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    writer = handed_over(path)
    write_records(writer, linear_trace())
    assert writer.highest("node") == linear_trace().nodes[-1].id
    process = writing_process(path)
    assert process.parent() != psutil.Process()
    assert os.getsid(process.pid) != os.getsid(0)
    writer.put_outcome(OUTCOME)
    writer.close()
    assert not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    with open_trace(path) as reader:
        trace = reader.trace()
    assert trace.nodes == linear_trace().nodes
    assert trace.steps == linear_trace().steps
    assert list(trace.tensors) == list(linear_trace().tensors)
    assert trace.outcome == OUTCOME


@pytest.mark.parametrize(
    ("ending", "code"),
    [
        (kill_itself, -signal.SIGKILL),
        (lambda: os._exit(3), 3),
        (lambda: os.execv("/bin/true", ["true"]), 0),
    ],
    ids=["kill", "exit", "exec"],
)
@pytest.mark.parametrize("waits", [True, False])
def test_what_was_flushed_survives_the_run(
    ending: Callable[[], object], code: int, waits: bool, tmp_path: Path
) -> None:
    path = tmp_path / "run.gradviz"

    def run() -> None:
        writer = handed_over(path) if waits else TraceWriter(path, ORIGIN)
        for number in range(1, 500):
            writer.put(text(number))
            writer.flush()
        writer.put(text(500))
        ending()

    assert in_fork(run) == code
    assert numbers_in(path) == list(range(1, 500))
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_a_run_that_is_killed_at_any_moment(tmp_path: Path) -> None:
    for moment in range(10):
        path = tmp_path / f"{moment}.gradviz"
        reading, writing = os.pipe()

        def run(path: Path = path, writing: int = writing) -> None:
            writer = handed_over(path)
            for number in range(3, 100_000):
                writer.put(text(number))
                writer.flush()
                os.write(writing, number.to_bytes(4, "big"))

        child = os.fork()
        if not child:
            try:
                run()
            finally:
                os._exit(1)
        os.close(writing)
        for _ in range(1 + 40 * moment):
            os.read(reading, 4)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        with open(reading, "rb") as rest:
            last = int.from_bytes(rest.read()[-4:], "big")
        found = numbers_in(path)
        assert found == list(range(1, len(found) + 1))
        assert len(found) >= last


def test_a_run_that_is_killed_before_it_has_read_a_reply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.gradviz"

    def run() -> None:
        writer = handed_over(path)
        monkeypatch.setattr(WriterProcess, "_receive_all", lambda _: None)
        writer.put(text(3))
        writer.flush()
        process = vars(writer)["_successor"]
        select.select([vars(process)["_channel"]], [], [])
        writing_process(path).suspend()
        writer.put(text(4))
        writer.flush()
        kill_itself()

    assert in_fork(run) == -signal.SIGKILL
    writing_process(path).resume()
    assert numbers_in(path) == [1, 2, 3, 4]


def test_the_run_goes_on_when_the_second_process_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    writer = handed_over(path)
    process = writing_process(path)
    process.kill()
    psutil.wait_procs([process])
    writer.put(text(3))
    for write in (writer.flush, lambda: writer.put_outcome(OUTCOME), writer.close):
        with pytest.raises(TraceError) as caught:
            write()
        assert str(caught.value) == LOST.format(path)
    assert numbers_in(path)[:1] == [1]


def test_a_process_that_stops_answering_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gradviz.store.writer_process._MOST_SILENT_S", 1)
    path = tmp_path / "run.gradviz"
    writer = handed_over(path)
    process = writing_process(path)
    process.suspend()
    writer.put(text(3))
    writer.flush()
    sentence = f"The process that writes {path} has not answered for 1 s; the rest may be missing."
    for write in (writer.wait, writer.close):
        with pytest.raises(TraceError) as caught:
            write()
        assert str(caught.value) == sentence
    process.resume()
    psutil.wait_procs([process])
    assert numbers_in(path) == [1, 2, 3]


def is_run_by(program: Path, process: psutil.Process) -> bool:
    return str(program) in (process.info["cmdline"] or ())


def test_a_program_that_hangs_at_its_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run writes itself what it had handed over, and what comes too late writes nothing."""
    monkeypatch.setattr("gradviz.store.writer_process._MOST_SILENT_S", 1)
    program = tmp_path / "python"
    program.write_text(f'#!/bin/sh\nkill -STOP $$\nexec {sys.executable} "$@"\n')
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    path = tmp_path / "run.gradviz"
    writer = TraceWriter(path, ORIGIN)
    for number in (1, 2, 3):
        writer.put(text(number))
        writer.flush()
    writer.put(text(3, "new"))
    writer.flush()
    writer.wait()
    (late,) = (each for each in psutil.process_iter(["cmdline"]) if is_run_by(program, each))
    late.resume()
    psutil.wait_procs([late])
    writer.close()
    with open_trace(path) as reader:
        assert [each.text for each in reader.trace().console] == ["1", "2", "new"]


def test_the_end_of_the_run_says_how_far_the_rest_is(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    writer = handed_over(path)
    said: list[str] = []
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")

        def on_wait(text: str) -> None:
            said.append(text)
            if other.in_transaction:
                other.execute("ROLLBACK")

        writer.on_wait = on_wait
        writer.put(text(3))
        writer.put_outcome(OUTCOME)
    writer.close()
    assert said[0] == f"The rest of the run is being written to {path}: 0%."
    assert numbers_in(path) == [1, 2, 3]


@pytest.mark.parametrize(
    ("holder", "name", "value"),
    [
        (os, "sched_getaffinity", lambda _: {0}),
        # The first process of a container.
        (os, "getpid", lambda: 1),
        (sys, "executable", ""),
        (sys, "platform", "darwin"),
    ],
    ids=["core", "container", "embedded", "macos"],
)
def test_where_one_process_writes(
    holder: object, name: str, value: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.gradviz"
    writer = TraceWriter(path, ORIGIN)
    with monkeypatch.context() as there:
        there.setattr(holder, name, value)
        for number in (1, 2, 3):
            writer.put(text(number))
            writer.flush()
    assert processes_with(path) == []
    writer.close()
    assert numbers_in(path) == [1, 2, 3]


_ON_ANOTHER_SYSTEM = """
import os, sys
from pathlib import Path
sys.platform, path = sys.argv[1:]
if sys.platform == "win32":
    sys.modules.update(fcntl=None, resource=None)
    del os.fork, os.register_at_fork
del os.memfd_create, os.posix_spawn, os.sched_getaffinity
from gradviz.model.console import ConsoleText
from gradviz.store import writer
from tests.builders import ORIGIN
writer._ROWS_BEFORE = 0
there = writer.TraceWriter(Path(path), ORIGIN)
for number in (1, 2, 3):
    there.put(ConsoleText(id=number, step=None, stream="stdout", activity="run", text=""))
    there.flush()
    print(there.share(0, 10, None), there.highest("console"))
there.close()
"""


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_what_another_system_lacks_is_not_needed(system: str, tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    done = run_program([sys.executable, "-c", _ON_ANOTHER_SYSTEM, system, str(path)])
    assert (done.stdout, done.stderr) == ("None 1\nNone 2\nNone 3\n", "")
    assert numbers_in(path) == [1, 2, 3]


def in_a_thread(channel: int, lock: int) -> None:
    """Run the program of the second process in this one."""
    far_end, lock = socket.socket(fileno=os.dup(channel)), os.dup(lock)

    def serve() -> None:
        with far_end:
            _Service(far_end).run()
            far_end.shutdown(socket.SHUT_RDWR)
        os.close(lock)

    threading.Thread(target=serve).start()


def test_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradviz.store.writer_process.start_program", in_a_thread)
    path = tmp_path / "run.gradviz"
    writer = TraceWriter(path, ORIGIN)
    connections: list[sqlite3.Connection] = []

    def limited(path: Path, *, connect: Callable[[Path], sqlite3.Connection] = _connect) -> Any:
        connections.append(connect(path))
        connections[-1].execute("PRAGMA max_page_count = 40")
        return connections[-1]

    monkeypatch.setattr("gradviz.store.trace_file._connect", limited)

    def write_much() -> None:
        for number in range(1, 100_000):
            writer.put(text(number, "x" * 1_000))
            writer.flush()

    sentence = f"{path} cannot be written: database or disk is full."
    with pytest.raises(TraceError) as caught:
        write_much()
    assert str(caught.value) == sentence
    # Then there is room again: nothing that was handed over is lost.
    connections[-1].execute("PRAGMA max_page_count = 1000000")
    writer.put(text(100_000))
    writer.close()
    found = numbers_in(path)
    assert found[-1] == 100_000
    assert found[:-1] == list(range(1, len(found)))


def test_the_trace_is_read_where_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    writer = handed_over(path)
    write_records(writer, linear_trace())
    here = vars(sys.modules[find_training_problems.__module__])
    problem = LearningProblem(
        code="x", severity="info", message="here", step=1, location=None, node=None
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(here, "training_problems", lambda *_: [problem])
        for name, code in (("a", "gradient_not_kept"), ("\ud800", "x")):
            missed = [
                MissedGradient(1, name, Location(source=None, path="a.py", line=1, function=""))
            ]
            facts = TrainingFacts([], missed)
            (found,) = writer.compute(find_training_problems, facts, list[LearningProblem])
            assert found.code == code
    writer.close()


def test_a_reader_follows_it(tmp_path: Path) -> None:
    writer = handed_over(tmp_path / "run.gradviz")
    with open_trace(writer.path, live=True) as reader:
        for number in (3, 4):
            writer.put(text(number))
            writer.flush()
            writer.wait()
            trace = reader.trace()
            assert [each.id for each in trace.console] == list(range(1, number + 1))
            assert trace.outcome is None
        writer.put_outcome(OUTCOME)
        assert reader.trace().outcome == OUTCOME
    writer.close()


def test_the_run_itself_may_read_it_and_does_not_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.gradviz"
    writer = handed_over(path)
    with monkeypatch.context() as patch:
        patch.setattr("gradviz.store.writer_lock._is_alive", lambda _: pytest.fail("looks again"))
        patch.setattr("gradviz.store.writer_lock.time.sleep", lambda _: pytest.fail("waits"))
        assert numbers_in(path) == [1, 2]
    writer.put(text(3))
    writer.flush()
    # It is over then, and the rest is waited for.
    del writer
    assert numbers_in(path) == [1, 2, 3]


def test_a_function_that_fails_there(tmp_path: Path) -> None:
    writer = handed_over(tmp_path / "run.gradviz")

    def fails(_path: Path, _facts: int) -> int:
        return 1

    fails.__module__ = "gradviz.nowhere"
    with pytest.raises(TraceError, match=r"No module named 'gradviz\.nowhere'"):
        writer.compute(fails, 2, int)
    writer.put(text(3))
    writer.close()
    assert numbers_in(writer.path) == [1, 2, 3]
