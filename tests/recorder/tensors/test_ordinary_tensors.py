"""Tensors in ordinary CPU memory are recorded as the plain way records them, bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from gradviz.model.tensor import TensorRecord
from gradviz.recorder.tensors.tensor_form import TensorForms
from tests.recorder.programs import Program
from tests.recorder.recorded_run import record_run
from tests.recorder.unusual_programs import ALL_PROGRAMS

# Threads record in another order each time, and the reserve of an RNN is partly uninitialized.
REPEATABLE = sorted(set(ALL_PROGRAMS) - {"python_threads", "rnn_and_transformer"})


def large_views() -> None:
    x = torch.randn(70, 50).requires_grad_()
    y = x.t() * 2 + x[:1].t()
    y.data.mul_(3)
    (y[::2].relu() / y.detach()[::2]).sum().backward()


def tensors_of(folder: Path, program: Program) -> list[tuple[TensorRecord, Any]]:
    folder.mkdir()
    torch.manual_seed(0)
    run = record_run(folder, program)
    values = {number: each.tobytes() for number, each in run.values.items()}
    return [(each, values.get(each.id)) for each in run.trace.tensors]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("program", [*(ALL_PROGRAMS[each] for each in REPEATABLE), large_views])
def test_both_ways_record_the_same(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast = tensors_of(tmp_path / "fast", program)
    monkeypatch.setattr(TensorForms, "ordinary", lambda *_: None)
    assert fast == tensors_of(tmp_path / "plain", program)
    assert fast
