"""How a run ended is stored in its trace, and nowhere else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gradviz.model.trace import Outcome
from gradviz.store import run_ending
from gradviz.store.header import TraceHeader, read_header
from gradviz.store.reader import open_trace
from gradviz.store.run_ending import store_outcome
from gradviz.store.writer import TraceWriter
from tests.builders import ORIGIN

ENDED = Outcome(kind="stopped", message="Stopped.", duration_ns=0)


def test_only_the_first_outcome_is_kept(tmp_path: Path) -> None:
    # Names of files need not be UTF-8.
    path = tmp_path / os.fsdecode(b"run \xff?#.gradviz")
    TraceWriter(path, ORIGIN).close()
    store_outcome(path, ENDED)
    store_outcome(path, Outcome(kind="failed", message="Later.", duration_ns=0))
    with open_trace(path) as reader:
        assert reader.trace().outcome == ENDED


def test_a_trace_removed_meanwhile_is_not_created(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.gradviz"
    TraceWriter(path, ORIGIN).close()

    def read_and_remove(path: Path) -> TraceHeader:
        header = read_header(path)
        path.unlink()
        return header

    monkeypatch.setattr(run_ending, "read_header", read_and_remove)
    store_outcome(path, ENDED)
    assert not path.exists()
