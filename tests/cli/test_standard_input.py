"""A trace from standard input is copied no further than its header says."""

from __future__ import annotations

import io
from pathlib import Path
from types import SimpleNamespace

import pytest

from gradviz.cli.main import main
from gradviz.store.finalize import finalize_trace
from tests.builders import linear_trace, write_trace


class Endless(io.RawIOBase):
    """Bytes, followed by zeros without end; fails if more than a few are read."""

    def __init__(self, begin: bytes, most: int) -> None:
        self._begin, self._left = io.BytesIO(begin), most

    def read(self, size: int = -1) -> bytes:
        self._left -= size
        assert size >= 0 <= self._left
        return self._begin.read(size).ljust(size, b"\0")


@pytest.fixture
def trace(tmp_path: Path) -> bytes:
    path = write_trace(tmp_path / "run.gradviz", linear_trace())
    finalize_trace(path)
    return path.read_bytes()


def give(monkeypatch: pytest.MonkeyPatch, begin: bytes, most: int) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=Endless(begin, most)))


@pytest.mark.parametrize("begin", [b"", b"SQLite format 3\0", b"SQLite format 3\0" * 9])
def test_what_is_no_trace_is_refused_by_its_first_bytes(
    begin: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    give(monkeypatch, begin, 100)
    assert main(["steps", "-"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_what_follows_a_trace_is_not_read(
    trace: bytes, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    give(monkeypatch, trace, len(trace))
    assert main(["steps", "-"]) == 0
    assert "8  backward  The backward pass is complete." in capsys.readouterr().out
