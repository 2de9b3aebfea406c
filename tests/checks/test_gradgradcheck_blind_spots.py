"""Mistakes that gradgradcheck misses and a check of order 2 reports."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from gradviz.cli.check import settings_of
from gradviz.cli.parser import make_parser
from gradviz.export.check.verdict import verdict_words
from gradviz.gallery.scenes import cube, cube_once, functional_linear_double, linear_wrong
from gradviz.model.jacobian_report import CheckProblem, JacobianReport
from tests.checks.broken.corpus import made
from tests.checks.broken.double_backward import Once
from tests.checks.gradgradcheck_verdict import checked_twice, verdict_twice
from tests.checks.sample_functions import checked, codes, randn


def linear_arguments() -> tuple[Tensor, Tensor, Tensor]:
    return randn(4, 3), randn(2, 3, seed=1), randn(2, seed=2)


def problem(report: JacobianReport, code: str) -> CheckProblem:
    (found,) = (each for each in report.problems if each.code == code)
    return found


def test_a_gradient_without_history_is_named_although_the_check_passes() -> None:
    function = functional_linear_double.FunctionalLinear
    report, _ = checked_twice(function, linear_arguments())
    assert report.verdict == verdict_twice(function.apply, linear_arguments()) == "match"
    said = problem(report, "gradient_without_history")
    assert not said.decides
    assert "The gradient of bias has no autograd history" in said.message
    assert "changes with grad_output:" in said.message
    (cut,) = report.diagnoses
    assert (cut.code, cut.output, cut.input) == ("double_backward_cut", 2, None)
    assert cut.message.startswith("The gradient of bias has lost its autograd history")
    assert not report.passed
    assert {block.output_name for block in report.blocks} == {"grad_x", "grad_weight"}


ROUNDED = made(lambda x, y: x.round() * y, lambda g, x, y: (torch.zeros_like(y), g[0] * 2))
"""Its gradient has no grad_fn and needs none: it is always zero."""


def test_a_constant_gradient_is_no_loss() -> None:
    report, _ = checked_twice(ROUNDED, (randn(3), randn(3, seed=1)))
    assert codes(report) == []
    assert {block.output_name for block in report.blocks} == {"grad_y"}


def test_once_differentiable_is_reported_instead_of_a_mismatch() -> None:
    arguments = (torch.tensor(2.0, dtype=torch.float64, requires_grad=True),)
    report, _ = checked_twice(cube_once.MyCube, arguments)
    assert report.verdict == verdict_twice(cube_once.MyCube.apply, arguments) == "mismatch"
    assert (codes(report), report.blocks) == (["once_differentiable"], ())
    assert "backward of MyCube" in report.problems[0].message
    (said,) = report.diagnoses
    assert (said.code, said.confidence) == ("double_backward_cut", "certain")
    assert "MyCube is marked once_differentiable" in said.message
    assert "only if second derivatives are needed" in said.message


def test_a_declared_backward_for_once_does_not_fail_a_check_of_both_orders() -> None:
    both = settings_of(make_parser().parse_args(["check", "--order", "both", "x"]))
    report, _ = checked_twice(Once, (randn(3),), settings=both)
    assert (report.verdict, report.passed, report.blocks) == ("match", True, ())
    (said,) = report.problems
    assert (said.code, said.decides) == ("once_differentiable", False)
    assert "backward of Once is declared once_differentiable" in said.message
    assert verdict_words(report).startswith("its backward is declared once_differentiable")


class FlatOnce(Function):
    """All its second derivatives are zero, so torch's zeros are correct."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.sign()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * 0


@pytest.mark.parametrize(("function", "shape"), [(FlatOnce, (3,)), (Once, (0, 2))])
def test_for_once_passes_where_gradgradcheck_passes(function: Any, shape: tuple[int, ...]) -> None:
    arguments = (randn(*shape),)
    report, sink = checked_twice(function, arguments)
    assert report.verdict == verdict_twice(function.apply, arguments) == "match"
    assert (codes(report), report.blocks) == (["once_differentiable"], ())
    assert not report.problems[0].decides
    assert "happens to be correct" in report.problems[0].message
    assert sink.values == []


def deep(x: Tensor) -> Tensor:
    exponential: Tensor = Once.apply(x.sin())
    return (exponential * x).sum()


def test_it_is_found_deep_in_a_function() -> None:
    report, _ = checked_twice(deep, (randn(3),))
    assert codes(report) == ["once_differentiable"]
    assert "backward of Once" in report.problems[0].message


def test_it_is_no_matter_where_no_gradient_passes_through_it() -> None:
    constant = randn(3, seed=5)
    report, _ = checked_twice(lambda x: x * x + Once.apply(constant), (randn(3),))
    assert (report.verdict, codes(report)) == ("match", [])


def test_a_wrong_backward_that_is_consistent_passes() -> None:
    arguments = (randn(2, 2), randn(2, 3, seed=1), None)
    assert checked(linear_wrong.LinearFunction, arguments)[0].verdict == "mismatch"
    report, _ = checked_twice(linear_wrong.LinearFunction, arguments)
    assert report.verdict == verdict_twice(linear_wrong.LinearFunction.apply, arguments) == "match"


def test_gradients_are_called_as_their_author_calls_them() -> None:
    arguments = (torch.tensor(2.0, dtype=torch.float64, requires_grad=True),)
    report, _ = checked_twice(cube.MyCube, arguments)
    assert [(block.output_name, block.input_name) for block in report.blocks] == [
        ("grad_x", "x"),
        ("grad_x", "grad_output"),
        ("grad_x", "grad_dx"),
    ]
    assert [(block.output, block.input) for block in report.blocks] == [(0, 0), (0, 1), (0, 2)]


def test_without_a_gradient_there_is_no_backward() -> None:
    report, _ = checked_twice(lambda x: x.detach(), (randn(3),))
    assert (report.verdict, codes(report)) == ("error", ["nothing_to_differentiate"])


def test_a_cancelled_check_says_so() -> None:
    asked: list[None] = []

    def cancelled() -> bool:
        asked.append(None)
        return len(asked) > 5

    report, _ = checked_twice(cube.MyCube, (randn(2),), cancelled=cancelled)
    assert (report.verdict, report.order) == ("incomplete", 2)
