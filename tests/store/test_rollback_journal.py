"""A trace on a file system without shared memory, whose writer was killed inside a transaction."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from gradviz.store.errors import TraceError
from gradviz.store.finalize import finalize_trace, save_copy
from gradviz.store.header import journal_path, wal_path
from gradviz.store.reader import open_trace
from tests.builders import linear_trace, write_trace


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
