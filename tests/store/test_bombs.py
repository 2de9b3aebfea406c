"""A small file whose pages lead to the same ones again and again is read in bounded time."""

from __future__ import annotations

import sqlite3
import struct
from contextlib import closing
from pathlib import Path

import pytest

from gradviz.analysis.index.trace_index import index_reader
from gradviz.export.steps.text import steps_text
from gradviz.store import bounded_rows
from gradviz.store.errors import TraceError
from gradviz.store.finalize import finalize_trace
from gradviz.store.reader import open_trace
from tests.builders import LINEAR_TENSORS, linear_trace, write_trace

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
    monkeypatch.setattr(bounded_rows, "file_bytes", lambda connection: 100)
    with open_trace(path) as reader, pytest.raises(TraceError, match="more content than the file"):
        reader.trace()
