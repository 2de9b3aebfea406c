"""The exception that ends a run is its last step, with its stage and the user's line."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import pytest
import torch

from gradviz.model.step import ErrorStep, ForwardStep, NodeStep
from tests.recorder.programs import Fails
from tests.recorder.recorded_run import RecordedRun, record_run


def fail(tmp_path: Path, where: str, level: str = "nodes") -> RecordedRun:
    def run() -> None:
        Fails.apply(torch.ones(3, requires_grad=True), where).sum().backward()

    return record_run(tmp_path, run, raises=True, level=level)


def last(recording: RecordedRun) -> Any:
    step = recording.trace.steps[-1]
    assert isinstance(step, ErrorStep)
    return step


def line_of(recording: RecordedRun, step: Any) -> str:
    assert step.location is not None
    assert step.location.source is not None
    return recording.index.source[step.location.source].text.splitlines()[step.location.line - 1]


@pytest.mark.parametrize(
    ("stage", "exception"), [("forward", "ValueError"), ("backward", "KeyError")]
)
def test_exceptions_of_the_user(tmp_path: Path, stage: str, exception: str) -> None:
    recording = fail(tmp_path, stage)
    step = last(recording)
    assert (step.stage, step.exception) == (stage, exception)
    assert f'"in {stage}"' in line_of(recording, step)
    assert recording.index.call[step.call].function == "Fails"
    assert recording.index.node[step.node].name == "FailsBackward"
    kind = ForwardStep if stage == "forward" else NodeStep
    assert (
        recording.named(kind, "Fails" if stage == "forward" else "FailsBackward").finished is False
    )
    assert step.pass_id == (None if stage == "forward" else 1)
    assert type(recording.error).__name__ == exception


REFUSED = {
    "shape": "return grad[:1], None",
    "count": "return grad",
    "more": "return (grad, None, grad) if",
    "list": "return (grad, None, grad) if",
}


@pytest.mark.parametrize("wrong", REFUSED)
def test_what_the_engine_refuses(tmp_path: Path, wrong: str) -> None:
    recording = fail(tmp_path, wrong, "all")
    step = last(recording)
    assert step.stage == "engine"
    assert recording.index.node[step.node].name == "FailsBackward"
    node = recording.named(NodeStep, "FailsBackward")
    assert node.finished is False
    assert node.returned != ()
    assert REFUSED[wrong] in line_of(recording, step)


class Marks(torch.autograd.Function):
    """Torch refuses what it saves, after an output was marked that nobody gets."""

    @staticmethod
    def forward(x: torch.Tensor) -> torch.Tensor:
        return x.sign()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[torch.Tensor], output: torch.Tensor) -> None:
        ctx.mark_non_differentiable(output)
        with torch.inference_mode():
            ctx.save_for_backward(torch.ones(3))


def test_a_refused_call_that_has_marked_its_output(tmp_path: Path) -> None:
    x = torch.ones(3, requires_grad=True)
    recording = record_run(tmp_path, lambda: Marks.apply(x), raises=True)
    assert "Inference tensors cannot be saved for backward" in last(recording).message
    (call,) = recording.trace.calls
    assert (call.outputs, call.non_differentiable) == ((), ())


def test_a_failing_node_of_torch(tmp_path: Path) -> None:
    def run() -> None:
        y = torch.ones(2, requires_grad=True).exp()
        y.add_(1)
        y.sum().backward()

    step = last(recording := record_run(tmp_path, run, raises=True))
    assert step.stage == "backward"
    assert recording.index.node[step.node].name == "ExpBackward0"
    assert "modified by an inplace operation" in step.message


def test_a_hook_of_the_user(tmp_path: Path) -> None:
    def hook(gradient: torch.Tensor) -> None:
        raise ArithmeticError("in hook")

    def run() -> None:
        y = torch.ones(2, requires_grad=True) * 2
        y.register_hook(hook)
        y.sum().backward()

    step = last(recording := record_run(tmp_path, run, raises=True))
    assert step.stage == "backward"
    assert "in hook" in line_of(recording, step)


def test_outside_of_autograd(tmp_path: Path) -> None:
    def run() -> None:
        try:
            Fails.apply(torch.ones(3), "forward")
        except ValueError:
            raise KeyError("mine") from None

    step = last(recording := record_run(tmp_path, run, raises=True))
    assert (step.stage, step.node, step.call) == ("outside", None, None)
    assert "mine" in line_of(recording, step)


def test_torch_refuses_to_start(tmp_path: Path) -> None:
    step = last(record_run(tmp_path, lambda: torch.ones(2).sum().backward(), raises=True))
    assert (step.stage, step.node, step.pass_id) == ("engine", None, None)


def test_caught_exceptions_are_not_the_end(tmp_path: Path) -> None:
    def run() -> None:
        for where in ("forward", "backward", "shape"):
            with contextlib.suppress(ValueError, KeyError, RuntimeError):
                Fails.apply(torch.ones(3, requires_grad=True), where).sum().backward()
        torch.ones(3, requires_grad=True).sum().backward()

    recording = record_run(tmp_path, run)
    assert recording.steps(ErrorStep) == []
    assert [step.finished for step in recording.steps(ForwardStep) if step.op == "Fails"] == [
        False,
        True,
        True,
    ]


def test_the_traceback_has_no_frame_of_the_recorder(tmp_path: Path) -> None:
    step = last(fail(tmp_path, "backward"))
    assert not any("gradviz/recorder" in place.path for place in step.traceback)
    assert step.traceback[-1].function == "Fails.backward"


def test_a_keyboard_interrupt_is_recorded_too(tmp_path: Path) -> None:
    def run() -> None:
        raise KeyboardInterrupt

    assert last(record_run(tmp_path, run, raises=True)).exception == "KeyboardInterrupt"
