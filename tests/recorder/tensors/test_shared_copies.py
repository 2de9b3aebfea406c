"""What the second process makes of copies of large tensors is what the run would have stored."""

from __future__ import annotations

import math
import os
import random
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks.workloads import WORKLOADS
from gradviz.recorder.compat import disabled_torch_modes
from gradviz.recorder.log import RecordLog
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.recording import Recording
from gradviz.recorder.tensors.tensor_recorder import TensorRecorder
from gradviz.store.packed_rows import SharedCopy
from gradviz.store.writer import TraceWriter
from tests.builders import ORIGIN

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="one process writes elsewhere")

Row = tuple[int, str, bytes]
Run = Callable[[TraceWriter], None]

DTYPES = (
    *(torch.float64, torch.float32, torch.float16, torch.bfloat16),
    *(torch.complex128, torch.complex64, torch.bool),
    *(torch.int64, torch.int32, torch.int16, torch.int8),
    *(torch.uint64, torch.uint32, torch.uint16, torch.uint8),
)
SHAPES = ((5_000,), (64, 65), (70, 9, 11), (1, 4_097), (3, 70_000), (17, 16, 4, 4), (2,) * 13)
SPECIAL = (math.nan, math.inf, -math.inf, 0.0, -0.0, 1e308, 1e-308)


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> list[SharedCopy]:
    """The copies that rows refer to, each as often as they do; the first tensor waits for it."""
    found: list[SharedCopy] = []
    share = TraceWriter.share

    def share_when_ready(self: TraceWriter, *arguments: Any) -> SharedCopy | None:
        copy = share(self, *arguments)
        if copy is None and self._successor is not None:
            self.wait()
            copy = share(self, *arguments)
        if copy is not None:
            found.append(copy)
        return copy

    monkeypatch.setattr(TraceWriter, "share", share_when_ready)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    return found


def rows_of(path: Path, run: Run, rows_before: int, monkeypatch: pytest.MonkeyPatch) -> list[Row]:
    """The tensors in the trace of a run, whose first rows are written by its own process."""
    monkeypatch.setattr("gradviz.store.writer._ROWS_BEFORE", rows_before)
    writer = TraceWriter(path, ORIGIN)
    run(writer)
    writer.close()
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT id, json, data FROM tensor ORDER BY id").fetchall()
    connection.close()
    return rows


def elements(choose: random.Random, shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    generator = torch.Generator().manual_seed(choose.randrange(1 << 30))
    values = torch.randn(shape, generator=generator, dtype=torch.float64)
    values *= choose.choice((0.0, 1.0, 100.0, 1e30, 1e200))
    if choose.random() < 0.3:
        values.view(-1)[choose.randrange(values.numel())] = choose.choice(SPECIAL)
    if dtype.is_complex:
        return torch.complex(values, values.flip(0)).to(dtype)
    if not dtype.is_floating_point:
        values = values.nan_to_num(0, 0, 0).clamp(0, 100)
    return values.to(dtype)


def view(choose: random.Random, tensor: torch.Tensor) -> torch.Tensor:
    match choose.randrange(7):
        case 0:
            return tensor.transpose(0, -1)
        case 1:
            return tensor.permute(*reversed(range(tensor.dim())))
        case 2:
            return tensor.reshape(-1)
        case 3:
            return tensor[: tensor.shape[0] // 2 + 1]
        case 4:
            return tensor.reshape(-1)[::2]
        case 5:
            return tensor.reshape(-1).view(torch.uint8)
        case _:
            return tensor.detach()


def random_tensors(seed: int) -> Run:
    """Tensors of many kinds, which change or are freed as soon as they are recorded."""

    def run(writer: TraceWriter) -> None:
        choose = random.Random(seed)
        log = RecordLog(writer, strict=True)
        recorder = TensorRecorder(log, RecordingOptions(budget_bytes=4_000_000))
        kept: list[torch.Tensor] = []
        for _ in range(2):
            with disabled_torch_modes():
                recorder.record(torch.zeros(10_000))
            log.flush()
        for _ in range(100):
            if not kept or choose.random() < 0.3:
                kept.append(elements(choose, choose.choice(SHAPES), choose.choice(DTYPES)))
            tensor = choose.choice(kept)
            seen = view(choose, tensor) if choose.random() < 0.6 else tensor
            with disabled_torch_modes():
                recorder.record(seen)
            match choose.randrange(6):
                case 0:
                    tensor.copy_(elements(choose, tuple(tensor.shape), tensor.dtype))
                case 1:
                    tensor.zero_()
                case 2:
                    log.flush()
                case 3:
                    kept = [each for each in kept if each is not tensor]
                    del tensor, seen
        log.flush()

    return run


def workload(name: str) -> Run:
    def run(writer: TraceWriter) -> None:
        torch.manual_seed(0)
        step = WORKLOADS[name]()
        with Recording(writer, RecordingOptions(strict=True)) as recording:
            for _ in range(2):
                step()
                recording.flush()

    return run


@pytest.mark.parametrize("seed", range(10))
def test_random_tensors(
    seed: int, tmp_path: Path, shared: list[SharedCopy], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = random_tensors(seed)
    alone = rows_of(tmp_path / "alone.gradviz", run, 1 << 30, monkeypatch)
    assert not shared
    assert rows_of(tmp_path / "two.gradviz", run, 0, monkeypatch) == alone
    assert len(set(shared)) > 10


@pytest.mark.parametrize("name", ["W3", "W4"])
def test_workloads(
    name: str, tmp_path: Path, shared: list[SharedCopy], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = workload(name)
    alone = rows_of(tmp_path / "alone.gradviz", run, 1 << 30, monkeypatch)
    assert rows_of(tmp_path / "two.gradviz", run, 0, monkeypatch) == alone
    # Views refer to the same ones.
    assert 100 < len(set(shared)) < len(shared)
