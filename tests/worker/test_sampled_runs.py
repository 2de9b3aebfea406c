"""Runs of training scripts as the window makes them: a sample of their passes is recorded."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent

import pytest

from gradviz.analysis.index.trace_index import TraceIndex, index_reader
from gradviz.analysis.training.training_curves import training_of
from gradviz.model.inputs import SCRIPT, BackwardStart, InputSpec, Offer, RunSubject
from gradviz.model.settings.recording_scope import SAMPLED_PASSES, PassRange, parse_pass_range
from gradviz.model.step import ErrorStep
from gradviz.model.validation.trace_rules import validate
from gradviz.model.what_if import SavedTarget, WhatIfChange
from gradviz.protocol.messages import RunRequest, WorkProgress
from gradviz.store.reader import open_trace
from gradviz.worker import run as runs

SCRIPT_TEXT = """
import torch
from torch.autograd import Function

class Scale(Function):
    @staticmethod
    def forward(ctx, x):
        print("in", number)
        ctx.save_for_backward(x)
        return 2 * x
    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return 2 * gradient

w = torch.ones(2, requires_grad=True)
for number in range(1, {passes} + 1):
    print("before", number)
    loss = (Scale.apply(w) * w).sum() * {factor}
    loss.backward()
    print("after", number)
    with torch.no_grad():
        w -= 0.01 * w.grad
        w.grad = None
    {end}
print("done", round(loss.item(), 6))
"""


@pytest.fixture(autouse=True)
def own_main(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("path", "argv"):
        monkeypatch.setattr(sys, name, list(getattr(sys, name)))
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])


def ran(
    folder: Path,
    passes: PassRange = SAMPLED_PASSES,
    *,
    count: int = 60,
    factor: str = "1",
    end: str = "",
    changes: tuple[WhatIfChange, ...] = (),
) -> tuple[TraceIndex, runs.CallResult]:
    script = folder / "train.py"
    script.write_text(dedent(SCRIPT_TEXT).format(passes=count, factor=factor, end=end))
    offer = Offer(
        subject=RunSubject(path=str(script), name=SCRIPT),
        title="train",
        inputs=(InputSpec(name="arguments", kind="words"),),
        start=BackwardStart(gradient="nothing"),
    )
    trace = folder / f"{len(list(folder.glob('*.gradviz')))}.gradviz"
    result = runs.run(
        RunRequest(offer=offer, trace=str(trace), level="all", passes=passes, changes=changes)
    )
    with open_trace(trace) as reader:
        index = index_reader(reader)
        assert validate(index.trace) == []
        return index, result


def printed(index: TraceIndex) -> list[str]:
    return "".join(each.text for each in index.trace.console).splitlines()


@pytest.mark.parametrize("latest", [False, True])
@pytest.mark.parametrize("passes", ["sample", "3:5", "55:", "last:2"])
def test_all_that_is_printed_is_kept(
    passes: str, latest: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    share = 1000.0 if latest else -1.0
    for name in ("_EARLY_SHARE", "_ROW_SHARE"):
        monkeypatch.setattr(f"gradviz.recorder.training.pass_sample.{name}", share)
    index, result = ran(
        tmp_path, SAMPLED_PASSES if passes == "sample" else parse_pass_range(passes)
    )
    assert result.problem == ""
    lines = [f"{word} {number}" for number in range(1, 61) for word in ("before", "in", "after")]
    *shown, end = printed(index)
    assert (shown, end[:4]) == (lines, "done")
    ends = [span.pass_id for span in index.passes]
    # What a step has printed belongs to it.
    inside = [each.text for each in index.trace.console if each.step is not None]
    assert [each for each in inside if each.startswith("in")] == [f"in {each}\n" for each in ends]
