"""The samples of a function are what the function and its backward return, and change nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.checks.run.jacobian_check import check
from gradviz.checks.run.progress import DiscardingSink
from gradviz.checks.stages import function_curves
from gradviz.model.check_settings import CheckSettings
from gradviz.model.function_curve import FunctionCurve
from gradviz.model.jacobian_report import JacobianReport


def reported(function: Callable[..., Any], *arguments: Tensor, **options: Any) -> JacobianReport:
    options = {"curves": True} | options
    return check(function, arguments, sink=DiscardingSink(), **options)


def leaf(*values: float, shape: Sequence[int] = ()) -> Tensor:
    return torch.tensor(values, dtype=torch.float64).reshape(shape).requires_grad_()


class Cube(Function):
    """x ** 3 whose backward lacks a factor."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return grad * 2 * x**2


class Root(Function):
    """A function that refuses negative numbers, and 3.0 in backward."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        if bool((x < 0).any()):
            raise ValueError("negative")
        y = x.sqrt()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (y,) = ctx.saved_tensors
        if float(y.max()) ** 2 > 2.9:
            raise RuntimeError("too large")
        return grad / (2 * y)


def only(report: JacobianReport) -> FunctionCurve:
    (curve,) = report.function_curves
    return curve


def test_samples_are_the_function_its_differences_and_its_own_backward() -> None:
    report = reported(Cube, leaf(2.0))
    curve, points = only(report), np.linspace(-2, 6, 81)
    assert report.verdict == "mismatch"
    assert curve.points[curve.at] == 2.0
    np.testing.assert_allclose(curve.points, points, atol=1e-12)
    cubes = [float(torch.tensor(each, dtype=torch.float64) ** 3) for each in curve.points]
    assert list(curve.values) == cubes
    np.testing.assert_allclose(curve.analytical, 2 * points**2, atol=1e-12)
    np.testing.assert_allclose(curve.numerical, 3 * points**2, atol=1e-6)
    worst = report.blocks[0].worst
    assert worst is not None
    assert curve.analytical[curve.at] == worst.analytical
    assert curve.numerical[curve.at] == worst.numerical


def test_a_kink_is_seen_from_both_sides() -> None:
    report = reported(torch.relu, leaf(0.5))
    curve = only(report)
    points = np.array(curve.points)
    np.testing.assert_allclose(curve.values, np.maximum(points, 0), atol=1e-12)
    np.testing.assert_allclose(curve.analytical, points > 1e-9)


def test_both_sides_of_a_jump_are_sampled_out_of_reach_of_eps() -> None:
    # Neither the grid nor a bisection of its intervals comes upon it by chance.
    place = 0.3217
    report = reported(lambda x: (x > place).to(x) + 0 * x, leaf(0.5))
    curve = only(report)
    assert curve.points == tuple(sorted(curve.points))
    assert curve.points[curve.at] == 0.5
    below = max(k for k, point in enumerate(curve.points) if point <= place)
    low, high = curve.points[below : below + 2]
    assert low == pytest.approx(place - 2e-6, abs=1e-8)
    assert high == pytest.approx(place + 2e-6, abs=1e-8)
    assert curve.values[below : below + 2] == (0.0, 1.0)
    assert set(curve.numerical) == {0.0}
    assert len(curve.points) == 83


def test_only_one_element_moves_the_worst_of_the_worst_pair() -> None:
    def some(x: Tensor, y: Tensor) -> Tensor:
        return torch.cat((x**2, Cube.apply(y)))

    report = reported(some, leaf(0.5, shape=(1,)), leaf(1.0, 3.0, shape=(2,)))
    first = report.function_curves[0]
    worst = report.block_at(first.place)
    assert worst is not None
    assert worst.worst is not None
    assert worst.wrong
    assert (first.row, first.column) == (worst.worst.row, worst.worst.column) == (1, 2)
    assert len({each.place for each in report.function_curves[:2]}) == 2, (
        "the worst ones come first"
    )


@pytest.fixture
def without_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """All curves are made, on a busy machine too."""
    monkeypatch.setattr(function_curves, "MOST_SECONDS", 600.0)
    monkeypatch.setattr(function_curves, "MORE_SECONDS", 600.0)


def test_each_element_of_a_small_function_has_its_curve(without_limit: None) -> None:
    report = reported(torch.mul, leaf(1.0, 2.0, shape=(2,)), leaf(3.0, 4.0, shape=(2,)))
    found = {(each.input, each.row, each.column): each for each in report.function_curves}
    assert found.keys() == {(k, row, column) for k in (0, 1) for row in (0, 1) for column in (0, 1)}
    assert len(report.function_curves) == len(found)
    assert list(found[0, 1, 1].values) == [4 * each for each in found[0, 1, 1].points]
    assert set(found[0, 1, 0].values) == {3.0}, "the other element does not move"
    assert set(found[1, 0, 0].analytical) == {1.0}


def test_a_larger_function_has_a_curve_for_its_worst_element_only() -> None:
    report = reported(torch.exp, leaf(*[0.5] * 9, shape=(9,)))
    assert len(report.function_curves) == 1


def test_all_other_elements_keep_their_values() -> None:
    report = reported(torch.mul, leaf(0.5), leaf(3.0))
    for curve, factor in zip(report.function_curves, (3.0, 0.5), strict=True):
        assert list(curve.values) == [factor * each for each in curve.points]


def test_where_a_function_raises_there_is_a_gap_and_the_verdict_is_the_same() -> None:
    without = reported(Root, leaf(1.0), curves=False)
    report = reported(Root, leaf(1.0))
    curve = only(report)
    points = np.array(curve.points)
    assert (report.verdict, report.passed) == ("match", True) == (without.verdict, without.passed)
    np.testing.assert_array_equal(np.isnan(curve.values), points < 0)
    np.testing.assert_array_equal(np.isnan(curve.numerical), points < 1e-6)
    np.testing.assert_array_equal(np.isnan(curve.analytical), (points < 0) | (points > 2.9))


def test_a_function_that_is_not_the_same_again_has_no_curve() -> None:
    calls = 0

    def counted(x: Tensor) -> Tensor:
        nonlocal calls
        calls += 1
        return x * (1 + 1e-9 * calls)

    def dropped(x: Tensor) -> Tensor:
        return torch.nn.functional.dropout(x * 2, 0.5)

    def drifting(x: Tensor) -> Tensor:
        nonlocal calls
        calls += 1
        return x + 1e-13 * calls

    assert reported(drifting, leaf(1.0)).verdict == "match", "only the samples show it"
    for function in (counted, dropped, drifting):
        assert not reported(function, leaf(1.0)).function_curves


@pytest.mark.parametrize(
    ("value", "options"),
    [
        (torch.zeros(1, dtype=torch.complex128), {}),
        (torch.zeros(1, dtype=torch.float64), {"order": 2}),
        (torch.zeros(1, dtype=torch.float64), {"curves": False}),
    ],
)
def test_complex_numbers_second_orders_and_other_checks_have_no_curve(
    value: Tensor, options: dict[str, Any]
) -> None:
    report = reported(torch.exp, value.requires_grad_(), **options)
    assert report.blocks
    assert not report.function_curves


def test_a_function_of_many_elements_has_no_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(function_curves, "MOST_ELEMENTS", 8)
    assert reported(torch.exp, torch.zeros(4).double().requires_grad_()).function_curves
    assert not reported(torch.exp, torch.zeros(5).double().requires_grad_()).function_curves


def test_a_slow_function_has_no_curve(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(function_curves, "MOST_SECONDS", 0.0)
    assert not reported(Cube, leaf(2.0)).function_curves


def test_sampling_changes_no_argument_no_random_number_and_no_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def noted() -> tuple[JacobianReport, Tensor, Tensor]:
        torch.manual_seed(3)
        x = leaf(2.0, 3.0, shape=(2,))
        report = reported(lambda x: torch.rand(()) * 0 + Cube.apply(x), x)
        return report, x.detach(), torch.rand(2)

    report, x, after = noted()
    assert report.function_curves
    monkeypatch.setattr(function_curves, "_MOST_CURVES", 0)
    plain, y, other = noted()
    assert not plain.function_curves
    assert report.evaluations == plain.evaluations
    assert torch.equal(x, y)
    assert torch.equal(after, other)


def test_what_samples_print_is_not_heard(capsys: pytest.CaptureFixture[str]) -> None:
    def loud(x: Tensor) -> Tensor:
        sys.stdout.write("forward\n")
        return Cube.apply(x)

    printed = []
    for curves in (True, False):
        assert bool(reported(loud, leaf(2.0), curves=curves).function_curves) == curves
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] != ""


def test_an_element_of_a_large_function_is_sampled_on_demand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(function_curves, "MOST_ELEMENTS", 8)
    x = leaf(*[0.5] * 9, shape=(9,))
    settings = CheckSettings(curve=(0, 0, 7, 7))
    curves = reported(torch.exp, x, settings=settings).function_curves
    wanted = [each for each in curves if (each.row, each.column) == (7, 7)]
    assert len(wanted) == 1
    assert list(wanted[0].values) == [
        float(torch.tensor(each, dtype=x.dtype).exp()) for each in wanted[0].points
    ]
