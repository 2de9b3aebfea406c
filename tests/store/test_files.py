"""Files of traces: kinds, ranks, sizes, and a disk that is full."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import index_reader
from gradviz.export.steps.text import steps_text
from gradviz.model.item import Item
from gradviz.model.settings.rank import Rank
from gradviz.model.settings.recording_scope import RecordingScope
from gradviz.model.step_values import items_in
from gradviz.store import finalize, lazy_rows
from gradviz.store.errors import TraceError
from gradviz.store.file_kind import kind_of
from gradviz.store.finalize import finalize_trace
from gradviz.store.output import choose_output
from gradviz.store.rank_files import one_of_each_program, rank_paths
from gradviz.store.reader import open_trace
from gradviz.store.writer import TraceWriter
from tests.builders import LINEAR_TENSORS, ORIGIN, linear_trace, write_records, write_trace
from tests.fuzz.case import FuzzCase

# The kind of a file, by its content and its name.


KINDS = {
    "train.py": "python",
    "work.ipynb": "notebook",
    "run.gradviz": "trace",
    "talk.gradviz-lesson": "lesson",
    **dict.fromkeys(
        ("train", "notes.txt", "data.json", "talk.toml", "a.PY", "a.py.bak", ".py"), ""
    ),
}
CONTENTS = (
    *(b"", b"import torch\n", b'{"cells": [], "nbformat": 4}', b"\xff\x00"),
    b'title = "x"\n[[stop]]\nscene = "exp"\n',
)


@pytest.mark.parametrize("content", CONTENTS)
def test_the_name_decides_whatever_the_content(content: bytes, tmp_path: Path) -> None:
    for name in KINDS:
        (tmp_path / name).write_bytes(content)
    assert {name: kind_of(tmp_path / name) for name in KINDS} == KINDS


def test_a_trace_is_one_under_any_name(tmp_path: Path) -> None:
    path = write_trace(tmp_path / "run.gradviz", linear_trace())
    for name in ("run.bin", "run.py", "run"):
        assert kind_of(path.rename(tmp_path / name)) == "trace"
        path = tmp_path / name
    assert kind_of(tmp_path) == ""
    assert kind_of(tmp_path / "missing.py") == "python"
    assert kind_of(tmp_path / "missing") == ""
    assert kind_of(tmp_path / "null\0.gradviz") == "trace"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_has_none_and_is_not_waited_for(tmp_path: Path) -> None:
    for name in ("pipe.py", "pipe.gradviz", "pipe"):
        os.mkfifo(tmp_path / name)
        assert kind_of(tmp_path / name) == ""


# Traces of the ranks of one program are found by their names.


def test_ranks_in_the_same_folder_are_found(tmp_path: Path) -> None:
    for name in ("run-rank0", "run-rank1", "run-rank3", "other-rank2", "run"):
        (tmp_path / f"{name}.gradviz").touch()
    rank = Rank(number=1, count=4)
    path = tmp_path / "run-rank1.gradviz"
    expected = {number: tmp_path / f"run-rank{number}.gradviz" for number in (0, 1, 3)}
    assert rank_paths(rank, path) == expected
    # A trace under another name may have nothing to do with those beside it.
    assert rank_paths(rank, tmp_path / "copy.gradviz") == {}
    assert rank_paths(None, path) == {}


def test_one_trace_of_each_program_is_kept(tmp_path: Path) -> None:
    names = ("a-rank1", "a-rank0", "b-rank0", "a", "rank0", "sub/a-rank0")
    paths = [tmp_path / f"{name}.gradviz" for name in names]
    kept = one_of_each_program(paths)
    assert [paths.index(each) for each in kept] == [0, 2, 3, 4, 5]
    assert list(one_of_each_program([paths[3], paths[3]])) == [paths[3], paths[3]]


def test_ranks_of_another_launch_keep_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for number in range(2):
        writer = TraceWriter(Path(f"run-rank{number}.gradviz"), ORIGIN)
        writer.put_scope(RecordingScope(rank=Rank(number=number, count=2)))
        writer.close()
    # Only the first two find a file with their own number.
    names = [choose_output(None, "run", Rank(number=each, count=4))[0].name for each in range(4)]
    assert names == [f"run-2-rank{number}.gradviz" for number in range(4)]
    again = choose_output(None, "run", Rank(number=1, count=2))[0]
    assert again.name == "run-3-rank1.gradviz"


# A small file whose pages lead to the same ones again and again is read in bounded time.


PAGE = 4096
# From https://www.sqlite.org/fileformat.html, section 1.6.
INTERIOR, LEAF = 5, 13


def interior(child: int, count: int = 480) -> bytes:
    """A page of a table whose cells all lead to one page."""
    # A page, and a key of two bytes.
    cells = b"".join(struct.pack(">IBB", child, 0x80 | at >> 7, at & 0x7F) for at in range(count))
    start = PAGE - len(cells)
    pointers = struct.pack(f">{count}H", *range(start, PAGE, 6))
    head = struct.pack(">BHHHBI", INTERIOR, 0, count, start, 0, child)
    return (head + pointers).ljust(start, b"\0") + cells


def plant_bomb(path: Path, table: str) -> None:
    """Let all pages of a table lead to its first leaf, of which SQLite then finds 481**5."""
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT rootpage FROM sqlite_master WHERE name = ?"
        (root,) = connection.execute(query, (table,)).fetchone()
        assert connection.execute("PRAGMA page_size").fetchone() == (PAGE,)
    data = path.read_bytes()
    pages = [data[at : at + PAGE] for at in range(0, len(data), PAGE)]
    assert pages[root - 1][0] == LEAF
    pages.append(pages[root - 1])
    for _ in range(4):
        pages.append(interior(len(pages)))
    pages[root - 1] = interior(len(pages))
    pages[0] = pages[0][:28] + struct.pack(">I", len(pages)) + pages[0][32:]
    path.write_bytes(b"".join(pages))


@pytest.mark.parametrize("table", ["tensor", "node", "step", "source", "console", "finding"])
def test_rows_are_found_once(table: str, tmp_path: Path) -> None:
    path = write_trace(tmp_path / "run.gradviz", linear_trace(), LINEAR_TENSORS)
    finalize_trace(path)
    with closing(sqlite3.connect(path)) as connection:
        if not connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]:
            connection.execute(f"INSERT INTO {table} VALUES (1, '[]')")
            connection.commit()
    plant_bomb(path, table)
    assert path.stat().st_size < 150_000
    with open_trace(path) as reader, pytest.raises(TraceError, match="are found twice"):
        reader.trace()
    with open_trace(path, repair=True) as reader:
        trace = reader.trace()
        assert trace.findings[-1].code == "trace_damaged"
        if table == "tensor":
            with pytest.raises(TraceError, match="are found twice"):
                list(reader.blobs([1, 10**9]))
        assert steps_text(index_reader(reader), "node")


def test_texts_that_share_their_pages_are_no_more_than_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_trace(tmp_path / "run.gradviz", linear_trace())
    monkeypatch.setattr(lazy_rows, "file_bytes", lambda connection: 100)
    with open_trace(path) as reader, pytest.raises(TraceError, match="more content than the file"):
        reader.trace()


# A trace on a full disk: the error says so, and what was recorded becomes a single file.


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

    monkeypatch.setattr("gradviz.store.trace_file._connect", limited)
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


# Items are found wherever a record can hold them.


def items_of_all_fields(value: Any) -> Iterator[Item]:
    """Items in every field, whatever its type."""
    if isinstance(value, Item):
        yield value
    elif isinstance(value, Struct):
        for name in value.__struct_fields__:
            yield from items_of_all_fields(getattr(value, name))
    elif not isinstance(value, str | bytes) and hasattr(value, "__iter__"):
        for member in value:
            yield from items_of_all_fields(member)


@pytest.mark.parametrize("name", ["check", "lines", "training"])
def test_fields_that_are_skipped_hold_no_items(name: str, tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    FuzzCase(trace=name, changes=()).write(path)
    with open_trace(path) as reader:
        trace = reader.trace()
        found = list(items_in(trace))
        assert found == list(items_of_all_fields(trace)) != []
