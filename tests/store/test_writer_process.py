"""A second process writes the trace of a long run, and nothing that was handed over is lost."""

from __future__ import annotations

import errno
import inspect
import os
import select
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import psutil
import pytest

from gradviz.model.console import ConsoleText
from gradviz.model.trace import Outcome
from gradviz.store.errors import TraceError
from gradviz.store.output import choose_output, finish_output
from gradviz.store.reader import open_trace
from gradviz.store.trace_file import _connect
from gradviz.store.writer import TraceWriter
from gradviz.store.writer_process import WriterProcess
from gradviz.store.writer_program import _Service
from tests.builders import ORIGIN, linear_trace, write_records

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="one process writes elsewhere")

OUTCOME = Outcome(kind="finished", message="", duration_ns=1)
LOST = "The process that wrote the trace file {} has ended, so the rest of the run is not in it."


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second process starts with the first flush, also on a machine with one core."""
    monkeypatch.setattr("gradviz.store.writer._ROWS_BEFORE", 0)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})


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


@pytest.fixture(autouse=True)
def no_process_stays(tmp_path: Path) -> Iterator[None]:
    yield
    assert [each for path in tmp_path.glob("*.gradviz") for each in processes_with(path)] == []


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


def kill_itself() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


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
    sentence = (
        f"The process that writes the trace file {path} has not answered for 1 seconds, so the"
        " rest of the run may not be in it."
    )
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
    assert said[0] == f"The rest of the run is being written to {path}: 0 %."
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
    monkeypatch.setattr("gradviz.store.writer_process._start", in_a_thread)
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


def test_signals_for_the_group_of_the_run_do_not_reach_it(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    writer = handed_over(path)
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        writing_process(path).send_signal(each)
    writer.put(text(3))
    writer.close()
    assert numbers_in(path) == [1, 2, 3]


def test_a_run_that_is_interrupted_from_its_terminal(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"

    def run() -> None:
        os.setsid()
        writer = handed_over(path)
        number = 2
        try:
            os.killpg(0, signal.SIGINT)
            while True:
                number += 1
                writer.put(text(number))
                writer.flush()
        except KeyboardInterrupt:
            writer.close()
        assert numbers_in(path)[-1] >= number - 1
        os._exit(5)

    assert in_fork(run) == 5


def test_a_kernel_that_is_restarted(tmp_path: Path) -> None:
    """What is left of the run before is no hindrance, even if it is still being written."""
    path = tmp_path / "run.gradviz"

    def run(numbers: range) -> None:
        _, aside = choose_output(path, "run")
        writer = TraceWriter(aside, ORIGIN)
        for number in numbers:
            writer.put(text(number))
            writer.flush()
        if numbers.start == 1:
            kill_itself()
        writer.close()
        finish_output(aside, path)
        os._exit(6)

    assert in_fork(lambda: run(range(1, 2_000))) == -signal.SIGKILL
    assert in_fork(lambda: run(range(3_000, 3_003))) == 6
    assert numbers_in(path) == [3_000, 3_001, 3_002]
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_a_fork_does_not_keep_it_alive(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    reading, writing = os.pipe()

    def run() -> None:
        handed_over(path)
        if not os.fork():
            # Until the test is over.
            os.read(reading, 1)
            os._exit(0)
        kill_itself()

    assert in_fork(run) == -signal.SIGKILL
    assert numbers_in(path) == [1, 2]
    os.write(writing, b"x")
    os.close(reading)
    os.close(writing)


@pytest.mark.parametrize("reused", [False, True])
def test_a_run_that_closes_all_descriptors(reused: bool, tmp_path: Path) -> None:
    path, other = tmp_path / "run.gradviz", tmp_path / "other"

    def run() -> None:
        writer = handed_over(path)
        os.closerange(3, 100)
        if reused:
            for _ in range(50):
                os.open(other, os.O_RDWR | os.O_CREAT)
        writer.put(text(3))
        for write in (writer.flush, writer.close):
            with pytest.raises(TraceError) as caught:
                write()
            sentence = f"{path} cannot be written: the code closed its file descriptor."
            assert str(caught.value) == sentence
        del writer
        assert numbers_in(path) == [1, 2]
        os._exit(7)

    assert in_fork(run) == 7
    assert not reused or other.read_bytes() == b""


def test_the_run_has_no_child_and_gets_no_signal_of_one(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"

    def run() -> None:
        writer = handed_over(path)
        with pytest.raises(ChildProcessError):
            os.wait()
        writer.close()
        calls: list[int] = []
        signal.signal(signal.SIGCHLD, lambda number, _: calls.append(number))
        other = TraceWriter(tmp_path / "other.gradviz", ORIGIN)
        for number in (1, 2, 3):
            other.put(text(number))
            other.flush()
        other.close()
        os._exit(len(calls))

    assert in_fork(run) == 0
    assert numbers_in(tmp_path / "other.gradviz") == [1, 2, 3]


def test_it_inherits_no_descriptors(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.set_inheritable(writing, True)
    writer = handed_over(tmp_path / "run.gradviz")
    os.close(writing)
    assert os.read(reading, 1) == b""
    os.close(reading)
    writer.close()


def test_it_has_to_be_possible_to_start_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise OSError(errno.EAGAIN, "")

    monkeypatch.setattr(os, "posix_spawn", refuse)
    path = tmp_path / "run.gradviz"
    writer = TraceWriter(path, ORIGIN)
    for number in (1, 2, 3):
        writer.put(text(number))
        writer.flush()
    writer.close()
    assert numbers_in(path) == [1, 2, 3]


def test_a_program_that_does_not_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    path = tmp_path / "run.gradviz"
    writer = TraceWriter(path, ORIGIN)
    for number in (1, 2, 3):
        writer.put(text(number))
        writer.flush()
    writer.close()
    assert numbers_in(path) == [1, 2, 3]


def test_a_removed_trace(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    writer = handed_over(path)
    path.unlink()
    writer.put(text(3))
    sentence = f"The trace file {path} was removed or renamed while it was being written."
    with pytest.raises(TraceError) as caught:
        writer.put_outcome(OUTCOME)
    assert str(caught.value) == sentence
    with pytest.raises(TraceError) as caught:
        writer.close()
    assert str(caught.value) == sentence


def test_an_error_is_seen_by_a_later_flush(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    writer = handed_over(path)
    path.unlink()

    def write_on() -> None:
        for number in range(3, 100_000):
            writer.put(text(number))
            writer.flush()

    for write in (write_on, writer.close):
        with pytest.raises(TraceError, match="was removed"):
            write()


def test_interrupts_lose_nothing(tmp_path: Path) -> None:
    """Ctrl+C may come anywhere, also while a message is sent or an answer is awaited."""
    path = tmp_path / "run.gradviz"
    writer = handed_over(path)
    is_over = threading.Event()
    store = str(Path(inspect.getfile(TraceWriter)).parent)
    number = interrupts = 0

    def send() -> None:
        while not is_over.wait(0.001):
            os.kill(os.getpid(), signal.SIGUSR1)

    def interrupt(_number: int, frame: FrameType | None) -> None:
        nonlocal interrupts
        if frame is not None and frame.f_code.co_filename.startswith(store):
            interrupts += 1
            raise KeyboardInterrupt

    thread = threading.Thread(target=send)
    before = signal.signal(signal.SIGUSR1, interrupt)
    try:
        thread.start()
        while interrupts < 1_000:
            with suppress(KeyboardInterrupt):
                number += 1
                writer.put(text(number))
                writer.flush()
                writer.highest("console")
    finally:
        is_over.set()
        thread.join()
        signal.signal(signal.SIGUSR1, before)
    writer.close()
    found = numbers_in(path)
    assert found[-1] >= number - 1
    # At most the record is missing before whose `put` the interrupt came.
    assert number - len(found) <= interrupts


def test_threads_and_large_messages(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    writer = handed_over(path)

    def put(first: int) -> None:
        for number in range(first, first + 20):
            writer.put(text(number, "x" * 300_000))
            writer.flush()

    threads = [threading.Thread(target=put, args=(1_000 * each,)) for each in range(1, 5)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert writer.size > 80 * 300_000
    writer.close()
    assert len(numbers_in(path)) == 82


def test_first_steps_are_removed_there(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    writer = handed_over(path)
    trace = linear_trace()
    write_records(writer, trace)
    kept = writer.remove_before(first_step=4, first_console=1)
    assert kept.nodes
    writer.shrink()
    writer.close()
    with open_trace(path) as reader:
        assert reader.step_counts().total() == len(trace.steps) - 3


def test_a_limit_on_the_size_of_files_is_named(tmp_path: Path) -> None:
    code = """
import resource, sys
from pathlib import Path
from gradviz.store.errors import TraceError
from gradviz.store import writer as module
from tests.builders import ORIGIN
from tests.store.test_writer_process import text
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
module._ROWS_BEFORE = 100
writer = module.TraceWriter(Path(sys.argv[1]), ORIGIN)
try:
    for number in range(1, 1_000_000):
        writer.put(text(number))
        writer.flush()
except TraceError as error:
    print(error)
"""
    path = tmp_path / "run.gradviz"
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    reason = "this process may write files of at most 200000 bytes (RLIMIT_FSIZE)"
    assert done.stdout == f"{path} cannot be written: {reason}.\n"
    assert numbers_in(path)
