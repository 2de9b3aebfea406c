"""Views that torch forbids to use any more do not keep anything else from being recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from gradviz.model.step import AccumulateStep, DispatchStep, MissingStep
from gradviz.recorder.tensors.tensor_compat import readable_grad_fn
from tests.recorder.dispatch_programs import Held
from tests.recorder.programs import leaf
from tests.recorder.recorded_run import record_run


def forbidden_view(base: torch.Tensor) -> torch.Tensor:
    """One of several views of a tensor that is written to."""
    view = base.unbind()[0]
    base.mul_(2)
    return view


def test_a_view_that_outlives_the_recording(tmp_path: Path) -> None:
    kept = []

    def run() -> None:
        kept.append(forbidden_view(leaf(3) * 1))

    recording = record_run(tmp_path, run)
    with pytest.raises(RuntimeError, match="modified inplace"):
        _ = kept[0].grad_fn
    assert readable_grad_fn(kept[0]) is None
    assert recording.notes == []


def test_a_view_whose_gradient_is_retained(tmp_path: Path) -> None:
    x = leaf(3)

    def run() -> Any:
        base = x * 1
        view = base.unbind()[0]
        view.retain_grad()
        view.grad = torch.zeros((), dtype=x.dtype)
        base.mul_(2)
        base.sum().backward()
        return view

    recording = record_run(tmp_path, run)
    assert recording.notes == []
    assert recording.steps(MissingStep) == []
    assert recording.of(recording.steps(AccumulateStep)[0].total) == [2, 2, 2]


def test_a_view_as_an_argument_of_an_overridden_function(tmp_path: Path) -> None:
    def run() -> None:
        view = forbidden_view(leaf(3) * 1)
        with pytest.raises(RuntimeError, match="modified inplace"):
            torch.sub(Held(torch.ones((), dtype=torch.float64)), view)

    recording = record_run(tmp_path, run)
    assert recording.notes == []
    assert len(recording.steps(DispatchStep)) == 1
