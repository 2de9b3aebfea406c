"""Fixtures of tests that use the process that writes a trace."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.second_process import processes_with


@pytest.fixture
def second_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """It starts with the first flush, also on a machine with one core, and does not stay."""
    monkeypatch.setattr("gradviz.store.writer._ROWS_BEFORE", 0)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    yield
    assert [each for path in tmp_path.glob("*.gradviz") for each in processes_with(path)] == []
