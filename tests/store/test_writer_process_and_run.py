"""The run and the process that writes its trace leave each other alone."""

from __future__ import annotations

import errno
import inspect
import os
import signal
import subprocess
import sys
import threading
import weakref
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from torch.utils.data._utils import signal_handling

from gradviz.store.errors import TraceError
from gradviz.store.output import choose_output, finish_output
from gradviz.store.reader import open_trace
from gradviz.store.writer import TraceWriter
from tests.builders import ORIGIN, linear_trace, write_records
from tests.store.second_process import (
    OUTCOME,
    handed_over,
    in_fork,
    kill_itself,
    numbers_in,
    text,
    writing_process,
)

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="one process writes elsewhere"),
    pytest.mark.usefixtures("second_process"),
]


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
        os.closerange(3, 1_000)
        if reused:
            for _ in range(500):
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


@pytest.mark.parametrize("loads_data", [False, True])
def test_the_run_has_no_child_and_gets_no_signal_of_one(
    loads_data: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.gradviz"
    monkeypatch.setattr(signal_handling, "_SIGCHLD_handler_set", False)

    def run() -> None:
        writer = handed_over(path)
        with pytest.raises(ChildProcessError):
            os.wait()
        writer.close()
        calls: list[int] = []
        signal.signal(signal.SIGCHLD, lambda number, _: calls.append(number))
        if loads_data:
            # The handler of a DataLoader calls the one before it.
            vars(signal_handling)["_set_SIGCHLD_handler"]()
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


def _refuse(*_: object) -> None:
    raise OSError(errno.EAGAIN, "")


_LEAVE_WAL_MODE = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], timeout=0)
try:
    print(connection.execute("PRAGMA journal_mode = delete").fetchone())
except sqlite3.OperationalError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("gradviz.store.writer_process.start_program", _refuse),
        ("sys.executable", "/bin/false"),
        ("sys.executable", None),
    ],
)
def test_a_process_that_does_not_start(
    place: str, value: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = sys.executable
    monkeypatch.setattr(place, value)
    path = tmp_path / "run.gradviz"
    writer = TraceWriter(path, ORIGIN)
    for number in (1, 2, 3):
        writer.put(text(number))
        writer.flush()
        # SQLite's locks are those of the run; without them, what comes next would be lost.
        command = [python, "-c", _LEAVE_WAL_MODE, str(path)]
        assert (
            subprocess.check_output(command, text=True, stdin=subprocess.DEVNULL)
            == "database is locked\n"
        )
    writer.close()
    assert numbers_in(path) == [1, 2, 3]


def test_a_run_that_has_closed_the_standard_streams(tmp_path: Path) -> None:
    def run() -> None:
        os.closerange(0, 3)
        writer = handed_over(tmp_path / "run.gradviz")
        writer.put_outcome(OUTCOME)
        writer.close()
        os._exit(0)

    assert in_fork(run) == 0
    assert numbers_in(tmp_path / "run.gradviz") == [1, 2]


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
from tests.store.second_process import text
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


class RaisedByThreadError(TimeoutError):
    """What another thread raises in the one that records."""


@pytest.mark.parametrize(
    "place",
    [
        "gradviz.store.trace_file.lock_trace",
        "gradviz.store.shared_memory.Path.read_text",
    ],
)
def test_what_another_thread_raises_is_kept(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, starting: bool = False) -> None:
        if not starting:
            raise RaisedByThreadError

    def write() -> None:
        writer.flush()
        writer.share(0, 1, None)
        writer.wait()

    writer = TraceWriter(tmp_path / "run.gradviz", ORIGIN)
    writer.put(text(1))
    with monkeypatch.context() as patch:
        patch.setattr(place, interrupt)
        if place.endswith("lock_trace"):
            patch.setattr(sys, "executable", "/bin/false")
        with pytest.raises(RaisedByThreadError):
            write()
    writer.close()
    assert numbers_in(writer.path) == [1]


@pytest.mark.parametrize(
    "place",
    [
        "gradviz.store.writer_process._identity",
        "gradviz.store.trace_file.lock_trace",
        "gradviz.store.writer_process.start_program",
        "gradviz.store.writer_process.WriterProcess._post",
    ],
)
def test_an_interrupted_start_leaves_nothing_to_the_collector(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In what it calls, Python drops what another interrupt raises."""
    made: list[Any] = []

    def note(*arguments: Any) -> Any:
        made.append(weakref.finalize(*arguments))
        return made[-1]

    def interrupt(*_: object, **__: object) -> None:
        restore()
        raise KeyboardInterrupt

    writer = TraceWriter(tmp_path / "run.gradviz", ORIGIN)
    writer.put(text(1))
    monkeypatch.setattr("gradviz.store.writer_process.finalize", note)
    with monkeypatch.context() as patch:
        restore = patch.undo
        patch.setattr(place, interrupt)
        with pytest.raises(KeyboardInterrupt):
            writer.flush()
    assert [each.alive for each in made] == [False]
    writer.close()
    assert numbers_in(writer.path) == [1]
