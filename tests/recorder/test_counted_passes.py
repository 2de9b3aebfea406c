"""The passes of a run are counted whether they are recorded or not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.autograd import graph as autograd_graph

from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.partial_recording import PartialRecording
from gradviz.recorder.recording import Recording
from gradviz.store.writer import TraceWriter
from tests.builders import ORIGIN
from tests.recorder.test_sampled_passes import Training, recorded


def test_a_pass_that_begins_while_the_recording_pauses_or_goes_on_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one of another thread may, which calls what it has found there at that moment."""
    found: list[Callable[..., Any]] = []
    others: list[Callable[..., Any]] = []

    def note(owner: type, name: str) -> None:
        original = vars(owner)[name]

        def noting(*args: Any, **kwargs: Any) -> Any:
            found.append(vars(autograd_graph)["_engine_run_backward"])
            result = original(*args, **kwargs)
            found.append(vars(autograd_graph)["_engine_run_backward"])
            return result

        monkeypatch.setattr(owner, name, noting)

    def run() -> None:
        note(Recording, "remove")
        note(Recording, "resume")
        note(TraceWriter, "flush")
        Training(55)()
        others.extend(found)
        assert len(others) > 8
        for engine in others:
            x = torch.ones((), requires_grad=True)
            y = x.exp()
            engine((y,), (torch.ones(()),), False, False, (), True, accumulate_grad=True)
            assert x.grad == y

    index = recorded(tmp_path / "sample", run)
    assert index.trace.scope.run_passes == 55 + len(others)


def test_a_recording_that_gives_way_leaves_nothing_behind(tmp_path: Path) -> None:
    """As that of a test, which ends where the test begins to record."""
    engine = vars(autograd_graph)["_engine_run_backward"]
    outer, inner = (TraceWriter(tmp_path / name, ORIGIN) for name in ("outer", "inner"))
    with PartialRecording(outer, RecordingOptions(gives_way=True)):
        with PartialRecording(inner, RecordingOptions()):
            torch.ones((), requires_grad=True).exp().backward()
        torch.ones((), requires_grad=True).exp().backward()
    assert vars(autograd_graph)["_engine_run_backward"] is engine
    outer.close()
    inner.close()
