"""A trace on a full disk: the error says so, and what was recorded becomes a single file."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from pathlib import Path

import pytest
from msgspec.structs import replace

from gradviz.store import finalize
from gradviz.store.errors import TraceError
from gradviz.store.finalize import finalize_trace
from gradviz.store.reader import open_trace
from gradviz.store.writer import TraceWriter
from tests.builders import LINEAR_TENSORS, linear_trace, write_records, write_trace


@pytest.fixture
def unfinished(tmp_path: Path) -> Path:
    """A trace whose writer has died: most of it is only in its log."""
    path = tmp_path / "run.gradviz"
    writer = TraceWriter(path, linear_trace().origin)
    write_records(writer, replace(linear_trace(), outcome=None))
    writer.flush()
    copy = tmp_path / "copy.gradviz"
    for ending in ("", "-wal"):
        copy.with_name(copy.name + ending).write_bytes(Path(f"{path}{ending}").read_bytes())
    writer.close()
    return copy


class FullDisk:
    """A connection to a database on a disk that has no room to move its log."""

    def execute(self, _sql: str) -> None:
        error = sqlite3.OperationalError("database or disk is full")
        error.sqlite_errorcode = sqlite3.SQLITE_FULL
        raise error

    def close(self) -> None:
        """Does nothing."""


@pytest.fixture
def full_disk(unfinished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the next connection after `unfinished` find a full disk."""
    connect = sqlite3.connect

    def first_full(path: Path, **options: object) -> object:
        monkeypatch.setattr(finalize, "connect", connect)
        return FullDisk()

    monkeypatch.setattr(finalize, "connect", first_full)


@pytest.mark.usefixtures("full_disk")
def test_a_trace_becomes_a_single_file(unfinished: Path) -> None:
    finalize_trace(unfinished)
    names = sorted(each.name for each in unfinished.parent.glob("copy*"))
    assert names == ["copy.gradviz"]
    with open_trace(unfinished) as reader:
        assert reader.trace().steps == linear_trace().steps


@pytest.mark.usefixtures("full_disk")
def test_a_trace_without_room_stays_in_the_folder_for_temporary_files(
    unfinished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(source: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", str(target))

    monkeypatch.setattr(finalize.shutil, "copyfile", refuse)
    with pytest.raises(TraceError) as caught:
        finalize_trace(unfinished)
    start = f"{unfinished} cannot be written: No space left on device. The trace is now in "
    assert str(caught.value).startswith(start)
    copy = Path(str(caught.value).removeprefix(start).removesuffix("."))
    with open_trace(copy) as reader:
        assert reader.trace().steps == linear_trace().steps
    shutil.rmtree(copy.parent)


@pytest.mark.usefixtures("full_disk")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs forks and links")
def test_a_trace_that_is_written_again_survives_a_kill(
    unfinished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finalize.tempfile, "mkdtemp", lambda **_: str(unfinished.parent / "tmp"))
    (unfinished.parent / "tmp").mkdir()
    child = os.fork()
    if child == 0:
        monkeypatch.setattr(finalize.shutil, "copyfile", lambda *_: os._exit(3))
        finalize_trace(unfinished)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
    with open_trace(unfinished) as reader:
        assert reader.trace().steps == linear_trace().steps


@pytest.mark.usefixtures("full_disk")
def test_an_older_trace_is_replaced_although_its_log_does_not_fit(
    unfinished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finalize, "_write_again", lambda path: pytest.fail(f"{path} is replaced"))
    new = write_trace(unfinished.with_name("new.gradviz"), linear_trace())
    finalize.replace_trace(new, unfinished)
    assert [each.name for each in unfinished.parent.glob("*.gradviz*") if "copy" in each.name] == [
        "copy.gradviz"
    ]
    with open_trace(unfinished) as reader:
        assert reader.trace() == linear_trace()


def test_the_error_names_the_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connections: list[sqlite3.Connection] = []

    def limited(path: Path) -> sqlite3.Connection:
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute(
            f"PRAGMA max_page_count = {connection.execute('PRAGMA page_count').fetchone()[0]}"
        )
        connections.append(connection)
        return connection

    monkeypatch.setattr("gradviz.store.writer._connect", limited)
    writer = TraceWriter(tmp_path / "run.gradviz", linear_trace().origin)
    with pytest.raises(TraceError, match="disk is full"):
        write_much(writer)
    connections[0].execute("PRAGMA max_page_count = 1000000")
    writer.close()


def write_much(writer: TraceWriter) -> None:
    """Writes a tensor two thousand times."""
    tensor, value = LINEAR_TENSORS[0]
    for number in range(1, 2000):
        writer.put_tensor(replace(tensor, id=number), value.data)
        writer.flush()
