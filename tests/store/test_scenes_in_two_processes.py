"""The trace of a scene is the same whether its run or the second process writes it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
import torch
from msgspec import Struct

from gradviz.gallery.registry import SCENES, scene
from gradviz.store.reader import open_trace
from gradviz.store.writer_process import WriterProcess
from tests.recorder.recorded_run import record_run
from tests.recorder.scene_runs import run_scene
from tests.sweeps import paired

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="one process writes elsewhere")


def facts(value: Any) -> Any:
    """A record as plain data, without times, and with addresses in texts left out."""
    if isinstance(value, Struct):
        kept = [each for each in value.__struct_fields__ if not each.endswith("_ns")]
        return {each: facts(getattr(value, each)) for each in kept}
    if isinstance(value, str):
        return re.sub("0x[0-9a-f]+", "0x", value)
    return [facts(each) for each in value] if isinstance(value, Sequence) else value


def facts_of(path: Path) -> tuple[Any, list[tuple[int, bytes]]]:
    """Everything in a trace."""
    with open_trace(path) as reader:
        trace = reader.trace()
        return facts(trace), list(reader.blobs([each.id for each in trace.tensors]))


def record(folder: Path, name: str, level: str) -> tuple[Any, list[tuple[int, bytes]]]:
    folder.mkdir()
    torch.manual_seed(0)
    run = partial(record_run, folder, lambda: run_scene(scene(name)), level=level)
    # The nodes of a thread are numbered from 0.
    thread = Thread(target=run, name="run")
    thread.start()
    thread.join()
    return facts_of(folder / "run.gradviz")


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
