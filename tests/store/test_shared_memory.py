"""Large tensors reach the second process through memory, and are described there."""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import psutil
import pytest

from gradviz.model.statistics import Statistics
from gradviz.model.tensor import TensorRecord
from gradviz.model.tensor_memory import statistics_of_memory
from gradviz.store import shared_memory
from gradviz.store.errors import TraceError
from gradviz.store.packed_rows import SharedCopy
from gradviz.store.reader import open_trace
from gradviz.store.trace_file import TraceFile
from gradviz.store.writer import TraceWriter
from gradviz.store.writer_process import WriterProcess
from tests.builders import ORIGIN
from tests.store.second_process import processes_with

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="one process writes elsewhere"),
    pytest.mark.usefixtures("second_process"),
]

SIDE, STEP = 100, 2
MEMORY_BYTES = 1 << 20

Array = npt.NDArray[np.float32]


@pytest.fixture(autouse=True)
def room_for_26_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_memory, "_BYTES", MEMORY_BYTES)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.gradviz"


def array_of(number: int) -> Array:
    return np.arange(SIDE * SIDE, dtype=np.float32).reshape(SIDE, SIDE) * number


def record_of(number: int, statistics: Statistics | None = None) -> TensorRecord:
    return TensorRecord(
        id=number,
        dtype="float32",
        shape=(SIDE, SIDE),
        strides=(SIDE, 1),
        device="cpu",
        layout="strided",
        requires_grad=False,
        storage=number,
        version=0,
        content="preview",
        kept_shape=(SIDE // STEP, SIDE // STEP),
        kept_steps=(STEP, STEP),
        note="",
        statistics=statistics,
    )


def sample_of(array: Array) -> bytes:
    return array[::STEP, ::STEP].tobytes()


def share(writer: TraceWriter, array: Array, earlier: SharedCopy | None = None) -> bool:
    """Put a tensor whose number is its second element; False if the run has to describe it."""
    number = int(array[0, 1])
    copy = writer.share(array.ctypes.data, array.nbytes, earlier)
    if copy is None:
        statistics = statistics_of_memory(array)
        writer.put_tensor(record_of(number, statistics), sample_of(array))
    else:
        writer.put_tensor(record_of(number), copy)
    return copy is not None


def sharing(path: Path) -> TraceWriter:
    """A writer whose second process uses shared memory, after two tensors."""
    writer = TraceWriter(path, ORIGIN)
    for number in (1, 2):
        assert not share(writer, array_of(number))
        writer.flush()
        # After the first one, it has the trace; after the second one, it can use the memory.
        writer.wait()
    return writer


def assert_right(path: Path, numbers: list[int]) -> None:
    """All tensors are as if the run had described them."""
    with open_trace(path) as reader:
        found = list(reader.trace().tensors)
        assert [each.id for each in found] == numbers
        for record in found:
            array = array_of(record.id)
            assert record == record_of(record.id, statistics_of_memory(array))
            value = reader.value(record.id)
            assert value is not None
            assert value.data == sample_of(array)


def test_the_second_process_describes_what_the_run_had_then(path: Path) -> None:
    writer = sharing(path)
    array = array_of(3)
    assert share(writer, array)
    array[:] = -1
    writer.flush()
    array[:] = array_of(4)
    assert share(writer, array)
    writer.close()
    assert_right(path, [1, 2, 3, 4])


def test_memory_is_offered_while_the_process_starts(path: Path) -> None:
    writer = TraceWriter(path, ORIGIN)
    assert not share(writer, array_of(1))
    writer.flush()
    assert not share(writer, array_of(2))
    writer.wait()
    assert share(writer, array_of(3))
    writer.close()
    assert_right(path, [1, 2, 3])


def test_rows_of_one_message_may_refer_to_the_same_copy(path: Path) -> None:
    writer = sharing(path)
    array = array_of(3)
    address, size = array.ctypes.data, array.nbytes
    copy = writer.share(address, size, None)
    assert copy is not None
    assert writer.share(address, size, copy) is copy
    writer.put_tensor(record_of(3), copy)
    writer.flush()
    # It may be overwritten from now on.
    assert writer.share(address, size, copy) != copy
    writer.close()
    assert_right(path, [1, 2, 3])


def test_the_run_waits_for_room(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = sharing(path)
    (process,) = processes_with(path)
    waited: list[None] = []
    receive = WriterProcess._receive  # noqa: SLF001 - where the run waits

    def receive_when_awake(self: WriterProcess, *, waits: bool) -> bool:
        if not waits:
            return receive(self, waits=False)
        waited.append(None)
        process.resume()
        try:
            return receive(self, waits=True)
        finally:
            process.suspend()

    process.suspend()
    with monkeypatch.context() as patch:
        patch.setattr(WriterProcess, "_receive", receive_when_awake)
        for number in range(3, 300):
            assert share(writer, array_of(number))
            if number % 7 == 0:
                writer.flush()
    process.resume()
    assert len(waited) > 10
    writer.close()
    assert_right(path, list(range(1, 300)))


def test_the_run_describes_what_has_no_room(path: Path) -> None:
    writer = sharing(path)
    shared = [share(writer, array_of(number)) for number in range(3, 100)]
    assert sum(shared) == MEMORY_BYTES // (-(-array_of(1).nbytes // 64) * 64)
    assert not any(shared[sum(shared) :])
    large = np.zeros(1 << 23, np.float32)
    assert writer.share(large.ctypes.data, large.nbytes, None) is None
    writer.close()
    assert_right(path, list(range(1, 100)))


def test_what_was_handed_over_survives_the_run(path: Path) -> None:
    child = os.fork()
    if not child:
        try:
            writer = sharing(path)
            for number in range(3, 100):
                share(writer, array_of(number))
                if number % 10 == 0:
                    writer.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert_right(path, list(range(1, 91)))


@pytest.mark.parametrize("fork", [os.fork, ctypes.PyDLL(None).fork], ids=["python", "library"])
def test_a_fork_shares_nothing(fork: Callable[[], int], path: Path) -> None:
    writer = sharing(path)
    assert share(writer, array_of(3))
    child = fork()
    if not child:
        os._exit(int(share(writer, array_of(4))))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    writer.close()
    assert_right(path, [1, 2, 3])


def test_no_descriptor_stays(path: Path) -> None:
    writer = sharing(path)
    assert share(writer, array_of(3))
    files = [os.readlink(each) for each in Path("/dev/fd").iterdir() if each.is_symlink()]
    assert not [each for each in files if "memfd" in each]
    assert "memfd:gradviz" in Path("/proc/self/maps").read_text()
    writer.close()
    assert "memfd:gradviz" not in Path("/proc/self/maps").read_text()
    assert_right(path, [1, 2, 3])


def test_the_second_process_is_killed(path: Path) -> None:
    writer = sharing(path)
    assert share(writer, array_of(3))
    (process,) = processes_with(path)
    process.kill()
    psutil.wait_procs([process])
    for write in (writer.flush, writer.close):
        with pytest.raises(TraceError):
            write()
        assert not share(writer, array_of(4))


def test_the_second_process_is_killed_while_the_run_waits(path: Path) -> None:
    writer = sharing(path)
    (process,) = processes_with(path)
    process.suspend()
    number = 3
    while share(writer, array_of(number)):
        number += 1
    writer.flush()
    process.kill()
    psutil.wait_procs([process])
    assert not share(writer, array_of(number))
    with pytest.raises(TraceError):
        writer.close()


def refuse(*_: object) -> int:
    raise OSError(errno.ENOSYS, "")


def forbid(*_: object) -> int:
    raise RuntimeError("an audit hook")


def fail(*_: object) -> object:
    return vars(shared_memory)["_NOT_MAPPED"]


@pytest.mark.parametrize(
    ("name", "answer"),
    [("memfd_create", refuse), ("ftruncate", refuse), ("ftruncate", forbid), ("_map", fail)],
)
def test_memory_that_is_refused(
    name: str, answer: Callable[..., object], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared_memory, name, answer)
    writer = sharing(path)
    assert not share(writer, array_of(3))
    writer.close()
    assert_right(path, [1, 2, 3])


def test_memory_that_does_not_arrive(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    monkeypatch.setattr(shared_memory, "ftruncate", lambda *_: None)
    # What the second process gets is no memory.
    monkeypatch.setattr(shared_memory, "memfd_create", lambda _: os.dup(reading))
    monkeypatch.setattr(shared_memory, "_map", lambda *_: 1)
    monkeypatch.setattr(shared_memory, "_unmap", lambda *_: 0)
    writer = sharing(path)
    os.close(reading)
    os.close(writing)
    assert not share(writer, array_of(3))
    writer.close()
    assert_right(path, [1, 2, 3])


@pytest.mark.parametrize(
    ("text", "is_shared"), [("900000000\n", False), ("9000000000\n", True), ("max\n", True)]
)
def test_the_memory_of_a_container(
    text: str, is_shared: bool, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = path.with_name("memory.max")
    limit.write_text(text)
    monkeypatch.setattr(shared_memory, "_LIMITS", (path.with_name("no"), limit))
    monkeypatch.setattr(shared_memory, "_MINIMUM_LIMIT", 1 << 30)
    writer = sharing(path)
    assert share(writer, array_of(3)) == is_shared
    writer.close()


@pytest.mark.parametrize("limit", ["FSIZE, (10_000_000, 10_000_000)", "AS, (1 << 30, 1 << 30)"])
def test_a_limit_of_the_run(limit: str, path: Path) -> None:
    """The system would send a signal for a larger file, and the run may need what it may map."""
    code = """
import os, resource, signal, sys
from pathlib import Path
from gradviz.store import writer
from tests.store.test_shared_memory import array_of, share, sharing
writer._ROWS_BEFORE = 0
os.sched_getaffinity = lambda _: {0, 1}
signal.signal(signal.SIGXFSZ, lambda *_: print("signal"))
resource.setrlimit(resource.RLIMIT_WHICH)
writer = sharing(Path(sys.argv[1]))
print(share(writer, array_of(3)))
writer.close()
"""
    done = subprocess.run(
        [sys.executable, "-c", code.replace("WHICH", limit), str(path)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "False\n"
    assert_right(path, [1, 2, 3])


@pytest.mark.parametrize("name", ["write", "note_copies"])
def test_a_flush_that_is_interrupted(
    name: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows that are handed over again refer to what was not overwritten meanwhile."""
    writer = sharing(path)
    complete = getattr(WriterProcess, name)

    def interrupt(*arguments: object) -> None:
        complete(*arguments)
        raise KeyboardInterrupt

    assert share(writer, array_of(3))
    with monkeypatch.context() as patch:
        patch.setattr(WriterProcess, name, interrupt)
        with pytest.raises(KeyboardInterrupt):
            writer.flush()
    writer.wait()
    assert share(writer, array_of(4))
    writer.close()
    assert_right(path, [1, 2, 3, 4])


def test_leaving_the_file_is_interrupted(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writer = TraceWriter(path, ORIGIN)
    share(writer, array_of(1))
    writer.flush()
    complete = TraceFile.leave

    def interrupt(self: TraceFile) -> None:
        complete(self)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(TraceFile, "leave", interrupt)
        with pytest.raises(KeyboardInterrupt):
            writer.wait()
    share(writer, array_of(2))
    writer.close()
    assert_right(path, [1, 2])


@pytest.mark.parametrize("is_begun", [False, True])
def test_interrupts(is_begun: bool, path: Path) -> None:
    """Ctrl+C may come anywhere; what is in the trace is right."""
    writer = sharing(path) if is_begun else TraceWriter(path, ORIGIN)
    is_over = threading.Event()
    may_raise = False

    def interrupt() -> None:
        while not is_over.wait(0.001):
            os.kill(os.getpid(), signal.SIGUSR1)

    def raise_interrupt(_number: int, _frame: object) -> None:
        nonlocal may_raise
        if may_raise:
            may_raise = False
            raise KeyboardInterrupt

    number, interrupts, shared = 2, 0, 0
    thread = threading.Thread(target=interrupt)
    before = signal.signal(signal.SIGUSR1, raise_interrupt)
    try:
        thread.start()
        while interrupts < 300:
            try:
                may_raise = True
                number += 1
                shared += share(writer, array_of(number))
                if number % 5 == 0:
                    writer.flush()
                if number % 50 == 0:
                    writer.highest("console")
                may_raise = False
            except KeyboardInterrupt:
                interrupts += 1
    finally:
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        is_over.set()
        thread.join()
        signal.signal(signal.SIGUSR1, before)
    writer.close()
    with open_trace(path) as reader:
        found = [each.id for each in reader.trace().tensors]
    assert shared or not is_begun
    assert number - len(found) <= interrupts
    assert_right(path, found)
