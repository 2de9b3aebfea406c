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


@pytest.mark.parametrize(
    ("passes", "latest"),
    [("sample", False), ("sample", True), ("3:5", False), ("55:", False), ("last:2", False)],
)
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


def test_a_short_script_is_recorded_whole(tmp_path: Path) -> None:
    (whole, _), (sample, _) = (
        ran(tmp_path, each, count=20) for each in (PassRange(), SAMPLED_PASSES)
    )
    for name in ("edges", "saved", "calls", "console", "findings", "scope", "numbers"):
        assert getattr(sample.trace, name) == getattr(whole.trace, name)
    assert [type(each) for each in sample.trace.steps] == [type(each) for each in whole.trace.steps]


def test_an_error_in_a_pass_that_is_not_recorded(tmp_path: Path) -> None:
    index, result = ran(tmp_path, count=90, end="torch.ones(2, 3) @ w if number == 77 else None")
    assert "train.py" in result.problem
    ended = index.trace.steps[-1]
    assert isinstance(ended, ErrorStep)
    assert ended.location is not None
    assert index.trace.scope.run_passes == 77
    assert printed(index)[-1] == "after 77"
    training = training_of(index)
    assert training is not None
    assert len(training.loss.points) == 77


def test_a_range_comes_with_the_numbers_of_all_passes(tmp_path: Path) -> None:
    index, _ = ran(tmp_path, parse_pass_range("30:32").with_numbers_of_all)
    assert index.trace.scope.kept == ((1, 1), (30, 32))
    training = training_of(index)
    assert training is not None
    assert len(training.loss.points) == 60
    index, _ = ran(tmp_path, parse_pass_range("58:").with_numbers_of_all)
    assert index.trace.scope.kept == ((1, 1), (58, 60))


def test_passes_after_a_nan_are_kept(tmp_path: Path) -> None:
    index, _ = ran(tmp_path, count=90, factor='(float("nan") if number == 37 else 1)')
    assert (38, 57) in index.trace.scope.kept


def test_a_changed_run_has_the_same_passes_and_finds_the_same_graph(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The recorder has time for passes that it removes again.
    monkeypatch.setattr("gradviz.recorder.training.pass_sample._EARLY_SHARE", 1000.0)
    monkeypatch.setattr("gradviz.recorder.training.pass_sample._EARLY_S", 1000.0)
    index, _ = ran(tmp_path, count=70)
    kept = index.trace.scope.kept
    assert len(kept) == 3
    saved = next(each for each in reversed(index.trace.saved) if each.item.name == "x")
    node = index.node[saved.node]
    assert saved.item.tensor is not None
    record = index.tensor.bare(saved.item.tensor)
    change = WhatIfChange(
        target=SavedTarget(
            saved=saved.id, node=node.id, node_name=node.name, slot=0, name=saved.item.name
        ),
        dtype=record.dtype,
        shape=record.shape,
        way="scale",
        factor=3.0,
    )
    for name in ("_EARLY_SHARE", "_ROW_SHARE"):
        monkeypatch.setattr(f"gradviz.recorder.training.pass_sample.{name}", -1.0)
    changed, _ = ran(tmp_path, index.trace.scope.same_passes, count=70, changes=(change,))
    assert changed.trace.scope.kept == kept
    assert changed.trace.changes[0].applied, changed.trace.changes[0].problem
    assert len(changed.trace.steps) == len(index.trace.steps)


def test_the_number_of_passes_is_told_during_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "_EVERY_S", 0.001)
    told: list[WorkProgress] = []
    run = runs.run
    monkeypatch.setattr(runs, "run", lambda request: run(request, send=told.append))
    ran(tmp_path, count=40)
    assert 1 <= max(each.done for each in told) <= 40
