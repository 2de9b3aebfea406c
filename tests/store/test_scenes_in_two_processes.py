"""The trace of a scene is the same whether its run or the second process writes it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from gradviz.gallery.registry import SCENES, scene
from gradviz.store.writer_process import WriterProcess
from tests.recorder.scene_runs import run_scene
from tests.store.trace_facts import TraceFacts, recorded_facts
from tests.sweeps import paired

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="one process writes elsewhere")


def record(folder: Path, name: str, level: str) -> TraceFacts:
    return recorded_facts(folder, lambda: run_scene(scene(name)), level)


@pytest.fixture
def filled_memory() -> Iterator[None]:
    """What is not initialized is not random."""
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


@pytest.mark.usefixtures("filled_memory")
@pytest.mark.parametrize(
    ("name", "level"), paired([each.id for each in SCENES], ["nodes", "ops", "lines"])
)
def test_the_trace_of_a_scene_is_that_of_one_process(
    name: str, level: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = record(tmp_path / "one", name, level)
    monkeypatch.setattr("gradviz.store.writer._ROWS_BEFORE", 0)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    closed = []
    close = WriterProcess.close
    monkeypatch.setattr(WriterProcess, "close", lambda self: closed.append(close(self)))
    assert record(tmp_path / "two", name, level) == plain
    assert closed == [None], "the second process has written it"
