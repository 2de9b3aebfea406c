"""A trace whose files are changed while it is written, as SQLite would not notice."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from gradviz.model.console import ConsoleText
from gradviz.model.trace import Outcome
from gradviz.store.errors import TraceError
from gradviz.store.finalize import finalize_trace
from gradviz.store.reader import open_trace
from gradviz.store.trace_file import TraceFile
from gradviz.store.writer import TraceWriter
from gradviz.store.written_files import open_descriptors
from tests.builders import ORIGIN, linear_trace, write_records

OUTCOME = Outcome(kind="finished", message="", duration_ns=1)
CHANGED = (
    "The recorded code or another process changed the trace file {} while it was being written."
)
Change = Callable[[Path], object]


def beside(ending: str, change: Change) -> Change:
    return lambda path: change(path.with_name(path.name + ending))


def empty(path: Path) -> None:
    os.truncate(path, 0)


def shorten(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 5000)


def replace(path: Path) -> None:
    path.unlink()
    path.write_text("something else")


CHANGES = {
    "empties_log": beside("-wal", empty),
    "shortens_log": beside("-wal", shorten),
    "removes_log": beside("-wal", Path.unlink),
    "replaces_log": beside("-wal", replace),
    "removes_index": beside("-shm", Path.unlink),
    "empties_trace": empty,
    "empties_both": lambda path: [each(path) for each in (empty, beside("-wal", empty))],
}


def begun(path: Path) -> TraceWriter:
    """A writer that has committed a trace."""
    writer = TraceWriter(path, ORIGIN)
    write_records(writer, linear_trace())
    writer.flush()
    return writer


def refuse(writer: TraceWriter, sentence: str) -> None:
    """Fail to write more, and then to close."""
    for write in (lambda: writer.put_outcome(OUTCOME), writer.close):
        with pytest.raises(TraceError) as caught:
            write()
        assert str(caught.value) == sentence
    writer.close()


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_is_still_readable_is_kept(tmp_path: Path, change: Change) -> None:
    path = tmp_path / "run.gradviz"
    writer = begun(path)
    change(path)
    refuse(writer, CHANGED.format(path))
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    with open_trace(path) as reader:
        assert reader.trace() == linear_trace()


def test_a_log_that_is_too_large_for_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    writer = begun(path)
    # More than SQLite keeps in memory, and too little to be moved into the file.
    for number in range(1, 31):
        text = "x" * 100_000
        writer.put(ConsoleText(id=number, step=8, stream="stdout", activity="run", text=text))
    writer.flush()
    beside("-wal", empty)(path)
    refuse(writer, CHANGED.format(path))
    assert [each.name for each in tmp_path.glob("*-new")] == []
    with open_trace(path) as reader:
        assert reader.trace().steps == ()


def test_an_index_that_would_end_the_process(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    child = os.fork()
    if child == 0:
        # In a process that ends, as SQLite shares the index with readers in the same process.
        status = 1
        try:
            writer = begun(path)
            empty(path.with_name(path.name + "-shm"))
            refuse(writer, CHANGED.format(path))
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    finalize_trace(path)
    with open_trace(path) as reader:
        assert reader.trace() == linear_trace()


def test_another_file_in_place_of_the_trace_stays(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    writer = begun(path)
    replace(path)
    refuse(writer, CHANGED.format(path))
    assert path.read_text() == "something else"


def test_a_fork_leaves_the_trace_to_the_process_that_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    writer = begun(path)
    text = ConsoleText(id=101, step=None, stream="stdout", activity="run", text="more")
    writer.put(text)
    child = os.fork()
    if child == 0:
        # A lock that another thread of the other process holds is never released in this one.
        writer.put(ConsoleText(id=102, step=None, stream="stdout", activity="run", text="fork"))
        writer.put_outcome(Outcome(kind="failed", message="fork", duration_ns=1))
        writer.close()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    with open_trace(path, live=True) as reader:
        assert reader.trace() == linear_trace()
    writer.close()
    with open_trace(path) as reader:
        trace = reader.trace()
    assert trace.console == (*linear_trace().console, text)
    assert trace.outcome == linear_trace().outcome


_READ = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("SELECT * FROM meta").fetchall()
connection.close()
"""


@pytest.mark.parametrize("live", [False, True])
def test_to_read_it_in_the_same_process_leaves_its_locks(tmp_path: Path, live: bool) -> None:
    path = tmp_path / "run.gradviz"
    writer = begun(path)
    with open_trace(path, live=live) as reader:
        assert reader.trace() == linear_trace()
    # Another process that leaves as the last one removes the log.
    subprocess.run([sys.executable, "-c", _READ, str(path)], stdin=subprocess.DEVNULL, check=True)
    assert path.with_name(path.name + "-wal").stat().st_size
    writer.put_outcome(OUTCOME)
    writer.close()
    with open_trace(path) as reader:
        assert reader.trace().outcome == OUTCOME


def test_an_interrupt_while_its_descriptor_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.gradviz"
    begun(path).close()
    file = TraceFile(path, path, is_new=False)

    def interrupt(_: int) -> NoReturn:
        raise TimeoutError

    with monkeypatch.context() as patch:
        patch.setattr("gradviz.store.written_files.fstat", interrupt)
        with pytest.raises(TimeoutError):
            file.lock(os.getpid())
    file.close()


def checkpoint(path: Path, *, vacuums: bool = False) -> None:
    """Move the log into the trace, as a tool that copies databases does."""
    code = """
import sqlite3, sys
with sqlite3.connect(sys.argv[1], isolation_level=None) as other:
    if "vacuum" in sys.argv:
        other.execute("VACUUM")
    assert other.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
"""
    words = ["vacuum"] if vacuums else []
    subprocess.run(
        [sys.executable, "-c", code, str(path), *words], stdin=subprocess.DEVNULL, check=True
    )


@pytest.mark.skipif(not open_descriptors(), reason="needs the descriptor of SQLite's index")
@pytest.mark.parametrize("vacuums", [False, True])
def test_a_log_that_another_process_has_moved_into_the_trace(tmp_path: Path, vacuums: bool) -> None:
    path = tmp_path / "run.gradviz"
    writer = begun(path)
    for number in range(1, 31):
        text = "x" * 100_000
        writer.put(ConsoleText(id=number, step=None, stream="stdout", activity="run", text=text))
    writer.flush()
    if vacuums:
        # Otherwise a vacuumed trace is not smaller.
        writer.remove_before(first_step=1, first_console=25)
    for number in (101, 102):
        size = path.stat().st_size
        checkpoint(path, vacuums=vacuums)
        assert not path.with_name(path.name + "-wal").stat().st_size
        assert path.stat().st_size < size or not (vacuums and number == 101)
        text = str(number)
        writer.put(ConsoleText(id=number, step=None, stream="stdout", activity="run", text=text))
        writer.flush()
    writer.put_outcome(OUTCOME)
    writer.close()
    assert [each.name for each in tmp_path.iterdir()] == [path.name]
    with open_trace(path) as reader:
        trace = reader.trace()
    assert trace.outcome == OUTCOME
    assert trace.steps == linear_trace().steps
    assert [each.text for each in trace.console][-2:] == ["101", "102"]


def test_a_log_that_is_emptied_after_another_process_has_moved_it(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    writer = begun(path)
    checkpoint(path)
    writer.put(ConsoleText(id=1, step=None, stream="stdout", activity="run", text="more"))
    writer.flush()
    beside("-wal", empty)(path)
    refuse(writer, CHANGED.format(path))
    with open_trace(path) as reader:
        assert reader.trace().console[0].text == "more"


def test_a_removed_trace_stays_away(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    writer = begun(path)
    path.unlink()
    refuse(writer, f"The trace file {path} was removed or renamed while it was being written.")
    assert not path.exists()


@pytest.mark.parametrize("ending", ["", "-wal", "-shm"])
def test_a_single_closed_descriptor(tmp_path: Path, ending: str) -> None:
    """SQLite would wait ten seconds for a lock at each write."""
    path = tmp_path / "run.gradviz"
    child = os.fork()
    if child == 0:
        status = 1
        try:
            writer = begun(path)
            wanted = os.stat(path.with_name(path.name + ending)).st_ino
            (number,) = (n for n, (_, found) in open_descriptors().items() if found == wanted)
            os.close(number)
            refuse(writer, f"{path} cannot be written: the code closed its file descriptor.")
            status = 0
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
    finalize_trace(path)
    with open_trace(path) as reader:
        assert reader.trace() == linear_trace()


def test_a_touched_trace_and_another_folder_do_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    writer = begun(Path("run.gradviz"))
    for name in os.listdir():
        os.utime(name, (0, 0))
    monkeypatch.chdir("/")
    writer.put_outcome(OUTCOME)
    writer.close()
    with open_trace(tmp_path / "run.gradviz") as reader:
        assert reader.trace().outcome == OUTCOME


def test_a_lack_of_descriptors_at_the_end_is_no_change(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    writer = begun(tmp_path / "run.gradviz")
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, limits[1]))
        writer.close()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    with open_trace(tmp_path / "run.gradviz") as reader:
        assert reader.trace().steps == linear_trace().steps
