"""Records code and returns its findings."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from gradviz.model.finding import Finding
from tests.recorder.recorded_run import RecordedRun, record_run

SECOND_ORDER = "second_order_cut"


def found_in(recording: RecordedRun) -> list[Finding]:
    return [each for each in recording.trace.findings if not each.code.startswith(SECOND_ORDER)]


def one(tmp_path: Path, code: Callable[[], Any], **options: Any) -> tuple[RecordedRun, Finding]:
    recording = record_run(tmp_path, code, **options)
    (finding,) = found_in(recording)
    return recording, finding


def line_of(owner: Any, text: str) -> int:
    lines, first = inspect.getsourcelines(owner)
    return first + next(at for at, line in enumerate(lines) if text in line)


def leaf(*sizes: int) -> torch.Tensor:
    return torch.ones(*sizes, dtype=torch.float64, requires_grad=True)
