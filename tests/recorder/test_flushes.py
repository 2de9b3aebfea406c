"""How often a recording commits: before user code that has not run yet, and otherwise seldom."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from gradviz.model.inside import RecordingLevel
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.recording import Recording
from gradviz.store.writer import TraceWriter
from tests.builders import ORIGIN


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad * 2


class Halve(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        return x / 2

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
        return grad / 2


@pytest.mark.parametrize("level", ["nodes", "all"])
def test_calls_that_have_run_before_commit_nothing_once_the_share_is_used_up(
    level: RecordingLevel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gradviz.recorder.log._SOON_FREE_S", -1e9)
    monkeypatch.setattr("gradviz.recorder.log._MOST_SECONDS", 1e9)
    commits = 0

    class CountingWriter(TraceWriter):
        def flush(self) -> None:
            nonlocal commits
            commits += 1
            super().flush()

    writer = CountingWriter(tmp_path / "t.gradviz", ORIGIN)
    with Recording(writer, RecordingOptions(level=level)):
        began = commits
        for _ in range(5):
            Double.apply(torch.ones(3, requires_grad=True)).sum().backward()
        # Before the first run of `forward` and of `backward`.
        assert commits == began + 2
        Halve.apply(torch.ones(3, requires_grad=True)).sum().backward()
        assert commits == began + 4
        monkeypatch.setattr("gradviz.recorder.log._MOST_SECONDS", -1)
        Double.apply(torch.ones(3, requires_grad=True))
        assert commits > began + 4
    writer.close()
