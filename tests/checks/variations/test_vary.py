"""The table of variations: which pass, which fail, and their sentences."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.gallery.scenes import linear_squeeze
from gradviz.model.check_settings import CheckSettings
from gradviz.model.diagnosis import Trial
from gradviz.model.jacobian_report import JacobianReport
from tests.checks.broken.incoming_gradients import numbers_at
from tests.checks.sample_functions import Noisy, checked, randn

VARIED = CheckSettings(variations=True, battery=False)


def varied(function: Any, *arguments: Any) -> JacobianReport:
    return checked(function, arguments, settings=VARIED)[0]


def rows(report: JacobianReport) -> dict[str, Trial]:
    return {row.name: row for row in report.trials if row.kind == "variation"}


def linear() -> tuple[Tensor, Tensor, Tensor]:
    return randn(2, 3), randn(4, 3, seed=1), randn(4, seed=2)


class Linear(Function):
    """Right; its subclasses are not."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        ctx.save_for_backward(x, weight, bias)
        output = x @ weight.t()
        return output if bias is None else output + bias

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, weight, bias = ctx.saved_tensors
        (g,) = gradients
        return g @ weight, g.t() @ x, None if bias is None else g.sum(0)


class Squeezed(Linear):
    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, weight, _ = ctx.saved_tensors
        return gradients[0] @ weight, gradients[0].t() @ x, gradients[0].sum(0).squeeze(0)


class NeedsBias(Linear):
    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, weight, bias = ctx.saved_tensors
        return gradients[0] @ weight, gradients[0].t() @ x, gradients[0].sum(0).view(bias.shape)


class NeedsX(Linear):
    """Does not compute the weight's gradient if x needs none."""

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, weight, _ = ctx.saved_tensors
        if ctx.needs_input_grad[0]:
            grad_x, grad_weight = gradients[0] @ weight, gradients[0].t() @ x
        return grad_x, grad_weight, gradients[0].sum(0)


class DoubleOnly(Linear):
    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, weight, _ = ctx.saved_tensors
        ones = torch.ones(len(x), dtype=torch.float64)
        return gradients[0] @ weight, gradients[0].t() @ x, ones @ gradients[0]


class MeanOverRows(Function):
    """Assumes more than one row and is wrong for a single row."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.rows = len(x)
        return x.mean(0)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0].expand(ctx.rows, -1) / max(ctx.rows, 2)


class ReadsByPointer(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return numbers_at(x) ** 2 if x.numel() and x.dtype is torch.float64 else x**2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * 2 * ctx.saved_tensors[0]


def test_a_right_function_passes_all() -> None:
    report = varied(Linear, *linear())
    found = rows(report)
    assert [each.code for each in report.diagnoses] == ["none"]
    assert {row.outcome for row in found.values()} == {"passes", "skipped"}
    assert [name for name, row in found.items() if row.outcome == "skipped"] == ["complex128"]
    for part in (
        "size 1: weight (1, 3), bias (1)",
        "size 1: x (2, 1), weight (4, 1)",
        "bias None",
        "only bias requires a gradient",
        "all but x require a gradient",
        "empty: x (0, 3)",
        "float32",
        "weight transposed",
        "bias expanded (stride 0)",
        "size 3: x (3, 3)",
    ):
        assert part in found
    assert report.passed


def test_a_bias_that_is_squeezed_is_caught() -> None:
    report = varied(Squeezed, *linear())
    assert (report.verdict, report.passed) == ("match", False)
    row = rows(report)["size 1: weight (1, 3), bias (1)"]
    assert row.outcome == "raises"
    assert "invalid gradient at index 2 - got []" in row.message
    assert [diagnosis.code for diagnosis in report.diagnoses] == [
        "wrong_gradient_shape",
        "fails_for_variation",
    ]
    assert report.diagnoses[0].message.startswith(
        "The given inputs pass, but others do not. size 1: weight (1, 3)"
    )


def test_the_scene_with_a_squeeze_is_caught() -> None:
    arguments = randn(2, 2), randn(2, 3, seed=1), randn(3, seed=2)
    assert checked(linear_squeeze.LinearFunction, arguments)[0].passed
    report = varied(linear_squeeze.LinearFunction, *arguments)
    assert rows(report)["size 1: weight (2, 1), bias (1)"].outcome == "raises"
    assert not report.passed


@pytest.mark.parametrize(
    ("function", "name", "outcome"),
    [
        (NeedsBias, "bias None", "raises"),
        (NeedsX, "only weight requires a gradient", "raises"),
        (DoubleOnly, "float32", "raises"),
    ],
)
def test_what_else_is_caught(function: Any, name: str, outcome: str) -> None:
    report = varied(function, *linear())
    assert (rows(report)[name].outcome, rows(report)[name].code) == (outcome, "fails_for_variation")
    assert (report.verdict, report.passed) == ("match", False)
    assert any(name in each for each in report.diagnoses[0].evidence)


def test_numbers_that_are_wrong_for_one_row() -> None:
    report = varied(MeanOverRows, randn(3, 2))
    row = rows(report)["size 1: x (1, 2)"]
    assert row.outcome == "fails"
    assert row.code not in ("", "unknown")
    assert report.diagnoses[0].code == row.code


def test_a_forward_that_misreads_strides() -> None:
    report = varied(ReadsByPointer, randn(2, 3))
    assert rows(report)["x transposed"].code == "stride_blind"
    assert report.diagnoses[0].code == "stride_blind"


def test_what_forward_refuses_is_no_fault() -> None:
    report = varied(lambda x: x.view(6) * 2, randn(2, 3))
    row = rows(report)["x transposed"]
    assert (row.outcome, row.code) == ("skipped", "")
    assert row.message.startswith("Forward does not accept these inputs: RuntimeError")
    assert report.passed


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (lambda x: x.std(0), (randn(3, 2),)),
        (lambda x: x / x.shape[0], (randn(3),)),
        (lambda x: x.detach().exp().log() + x.max(-1).values.sum(), (randn(3, 4),)),
        (lambda x, k: x.gather(0, k), (randn(4), torch.tensor([3, 0]))),
        (lambda x: torch.dropout(x, 0.5, True), (randn(8),)),
        (lambda x, n: x * n, (randn(2), 3)),
        (lambda x: x.sin(), (randn(),)),
    ],
)
def test_no_false_alarm(function: Any, arguments: tuple[Any, ...]) -> None:
    report = varied(function, *arguments)
    alarms = [row for row in rows(report).values() if row.code]
    if report.verdict == "match":
        assert alarms == []


def test_a_function_that_fails_already_gets_rows_and_no_more_diagnoses() -> None:
    report = varied(Noisy, randn(3))
    assert not any("The given inputs pass" in each.message for each in report.diagnoses)


def test_arguments_are_as_they_were() -> None:
    arguments = linear()
    before = [each.detach().clone() for each in arguments]
    state = torch.get_rng_state()
    varied(Linear, *arguments)
    assert all(torch.equal(a.detach(), b) for a, b in zip(arguments, before, strict=True))
    assert torch.equal(torch.get_rng_state(), state)


def test_it_can_be_cancelled() -> None:
    whole = varied(Linear, *linear())
    for limit in (150, 400, whole.evaluations - 1):
        asked: list[int] = []

        def cancelled(limit: int = limit, asked: list[int] = asked) -> bool:
            asked.append(1)
            return len(asked) > limit

        report, _ = checked(Linear, linear(), settings=VARIED, cancelled=cancelled)
        assert report.verdict == "incomplete"
        assert len(report.trials) < len(whole.trials)


def test_off_by_default() -> None:
    report, _ = checked(Squeezed, linear())
    assert rows(report) == {}
    assert report.passed
