"""A finding for each tensor that forward uses without getting it as an argument."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.autograd import Function

from tests.recorder.found_findings import found_in, leaf, line_of, one
from tests.recorder.recorded_run import record_run

SCALE, OFFSET = leaf(2), torch.ones(2, dtype=torch.float64)


class Captures(Function):
    apply: Any

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, how: str) -> Any:
        match how:
            case "global":
                return x * SCALE
            case "listed":
                return torch.stack([x, SCALE]).sum(0)
            case "detached":
                return x * SCALE.detach() + OFFSET
            case "shape":
                return x.expand(SCALE.shape) * SCALE.dim()
            case "view":
                return x.view(2)[:1] * x
            case "own":
                own = torch.ones(2, dtype=x.dtype, requires_grad=True)
                return x * own
        with torch.enable_grad():
            inner = x.detach().requires_grad_()
            return (inner * SCALE).detach()

    @staticmethod
    def backward(ctx: Any, grad_output: torch.Tensor) -> Any:
        return grad_output.clone(), None


@pytest.mark.parametrize(("how", "line"), [("global", "x * SCALE"), ("listed", "torch.stack")])
def test_a_tensor_that_is_no_argument(how: str, line: str, tmp_path: Path) -> None:
    _, finding = one(tmp_path, lambda: Captures.apply(leaf(2), how).sum().backward())
    assert (finding.code, finding.severity) == ("captured_tensor", "warning")
    assert " uses SCALE, " in finding.message or how == "listed"
    assert finding.location is not None
    assert finding.location.line == line_of(Captures, line)


class Checkpoint(Function):
    apply: Any

    @staticmethod
    def forward(ctx: Any, function: Callable[..., Any], x: torch.Tensor) -> Any:
        ctx.function = function
        ctx.save_for_backward(x)
        return function(x)

    @staticmethod
    def backward(ctx: Any, grad_output: torch.Tensor) -> Any:
        (x,) = ctx.saved_tensors
        with torch.enable_grad():
            inner = x.detach().requires_grad_()
            output = ctx.function(inner)
        torch.autograd.backward(output, grad_output)
        return None, inner.grad


def test_a_backward_that_differentiates_a_captured_tensor_itself(tmp_path: Path) -> None:
    scale = leaf(2)
    recording = record_run(
        tmp_path, lambda: Checkpoint.apply(lambda x: x * scale, leaf(2)).sum().backward()
    )
    assert scale.grad is not None
    assert "captured_tensor" not in [each.code for each in recording.trace.findings]


def test_a_captured_tensor_alone_gets_no_node(tmp_path: Path) -> None:
    x = torch.ones(2, dtype=torch.float64)
    _, finding = one(tmp_path, lambda: Captures.apply(x, "global"))
    assert finding.code == "captured_tensor"


@pytest.mark.parametrize("how", ["detached", "shape", "view", "own", "enabled"])
def test_a_tensor_that_forward_may_use(how: str, tmp_path: Path) -> None:
    recording = record_run(tmp_path, lambda: Captures.apply(leaf(2), how).sum().backward())
    assert found_in(recording) == []
