"""Steps of numerical differences, and derivatives below the tolerance."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import strategies as st
from torch import Tensor
from torch.autograd import Function

from gradviz.checks.reliability.measurement import steps
from gradviz.model.check_settings import CheckSettings
from gradviz.model.diagnosis import ErrorCurve
from gradviz.model.jacobian_report import JacobianReport
from tests.checks.broken.unreliable_numerics import (
    DoubledInSingle,
    Exponential,
    Rectifier,
    SinglePrecisionInside,
    Wave,
    at,
    single,
)
from tests.checks.sample_functions import checked, randn, verdict_of_torch
from tests.sweeps import generated

# Derivatives below atol are compared with the outputs scaled, and nothing is certain without.


class Small(Function):
    """``size sin(x)``, with its gradient multiplied by a number."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, size: float, factor: float) -> Tensor:
        ctx.save_for_backward(x)
        ctx.factors = size, factor
        return size * x.sin()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        size, factor = ctx.factors
        return gradients[0] * size * factor * x.cos(), None, None


@generated(
    size=st.floats(-12, 0).map(lambda power: 10**power),
    factor=st.sampled_from([1.0, 1.0, 5.0, -1.0, 0.0, 3.0]),
    seed=st.integers(0, 9),
    fast=st.booleans(),
    few=12,
    many=60,
    derandomize=True,
)
def test_a_factor_is_found_at_every_size(size: float, factor: float, seed: int, fast: bool) -> None:
    arguments, mode = (randn(3, seed=seed), size, factor), CheckSettings(fast=fast)
    report, _ = checked(Small, arguments, settings=mode)
    assert report.verdict == verdict_of_torch(Small.apply, arguments, mode)
    assert report.passed == (factor == 1)
    assert (
        report.diagnoses[0].code
        == {
            5.0: "factor_constant",
            3.0: "factor_constant",
            -1.0: "factor_sign",
            0.0: "dropped_zero",
            1.0: "none",
        }[factor]
    )


def test_five_times_too_large_but_below_atol() -> None:
    report, _ = checked(Small, (randn(3), 1e-6, 5.0))
    (found,) = report.diagnoses
    assert (report.verdict, report.passed, found.code) == ("match", False, "factor_constant")
    assert found.evidence[0].startswith(
        "At this tolerance nothing could be compared: the derivatives of output with respect to x"
    )
    assert found.evidence[0].endswith("So output was multiplied by 1e+06.")
    assert found.repair is None  # Of which the matrix would be the scaled function's.


def test_it_says_how_small_derivatives_were_compared() -> None:
    (found,) = checked(Small, (randn(3), 1e-8, 1.0))[0].diagnoses
    assert (found.code, found.confidence) == ("none", "certain")
    assert "they were compared with the output multiplied by 1e+" in found.message


@pytest.mark.parametrize("order", [1, 2])
def test_nothing_is_certain_if_nothing_was_compared(order: int) -> None:
    settings = CheckSettings(battery=False)
    for factor in (1.0, 5.0):
        given = (randn(3), 1e-8, factor)
        report, _ = checked(Small, given, settings=settings, order=order)
        (found,) = report.diagnoses
        assert (found.code, found.confidence) == ("none", "likely")
        assert "nothing could be compared at this tolerance" in found.message


RIGHT: dict[str, tuple[Callable[[Tensor], Any], list[float]]] = {
    "rounding in forward": (lambda x: torch.log(1 + torch.exp(x)), [-20.0, -25.0, -18.0]),
    "cancellation": (lambda x: 1 - x.cos(), [1e-7, 2e-7, 1e-6]),
    "a difference that vanishes": (
        lambda x: (x + 1e3) ** 2 - x**2 - 2e3 * x - 1e6,
        [1.0, 2.0, 3.0],
    ),
    "saturated": (torch.sigmoid, [-30.0, 40.0, -20.0]),
    "curved at zero": (lambda x: x**3, [1e-4, 1e-5, 0.0]),
    "a kink": (lambda x: 1e-7 * x.abs(), [0.0, 1.0, -1.0]),
    "two sizes": (lambda x: (1e-7 * x, x.sin()), [1.0, 2.0, 3.0]),
    "one size for two inputs": (lambda x: x.sin() * 1e-9 * x, [1.0, 2.0, 3.0]),
    "constant": (lambda x: x * 0 + 1, [1.0, 2.0, 3.0]),
    "complex": (lambda x: torch.complex(x, x * x) * 1e-8, [1.0, 2.0, 3.0]),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_function_is_not_accused(name: str) -> None:
    function, values = RIGHT[name]
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    report, _ = checked(function, (x,))
    assert report.passed, report.diagnoses


# Error against eps: equal to NumPy's numbers, with the slopes that theory predicts.


def curve_of(function: Any, arguments: tuple[Any, ...], **settings: Any) -> ErrorCurve:
    report, _ = checked(function, arguments, settings=CheckSettings(**settings))
    return report.curves[0]


def slope(curve: ErrorCurve, values: tuple[float, ...], low: float, high: float) -> float:
    """Slope of log(value) over log(eps) between two values of eps."""
    chosen = [k for k, step in enumerate(curve.steps) if low <= step <= high]
    across = np.log10([curve.steps[k] for k in chosen])
    return float(np.polyfit(across, np.log10([values[k] for k in chosen]), 1)[0])


def test_a_curve_is_what_numpy_computes() -> None:
    curve = curve_of(Wave, (at(0.3), 50.0), eps=0.05)
    x, h = 0.3, np.array(curve.steps)
    right = (np.sin(50 * (x + h)) - np.sin(50 * x)) / h
    left = (np.sin(50 * x) - np.sin(50 * (x - h))) / h
    errors = np.abs(50 * np.cos(50 * x) - (right + left) / 2)
    far = h > 1e-5  # Below, both are rounding errors, of which each has its own.
    assert np.array(curve.errors)[far] == pytest.approx(errors[far], rel=1e-3)
    assert np.array(curve.one_sided)[far] == pytest.approx(np.abs(right - left)[far], rel=1e-3)
    assert (curve.row, curve.column) == (0, 0)
    assert 0.05 in curve.steps


def test_truncation_grows_with_the_square_and_rounding_falls_with_the_step() -> None:
    curve = curve_of(Exponential, (at(1.0),), eps=0.5)
    assert slope(curve, curve.errors, 1e-3, 1e-1) == pytest.approx(2, abs=0.1)
    assert slope(curve, curve.floors, 1e-12, 1e-8) == pytest.approx(-1, abs=0.1)
    best = curve.steps[int(np.argmin(curve.errors))]
    assert 1e-7 < best < 1e-4
    noise = [k for k, step in enumerate(curve.steps) if step < 1e-8]
    assert all(curve.errors[k] < 10 * curve.floors[k] for k in noise)


def test_a_kink_keeps_its_distance() -> None:
    curve = curve_of(Rectifier, (at(0.0),))
    assert curve.one_sided == pytest.approx([1] * len(curve.steps), rel=1e-3)
    assert curve.errors == pytest.approx([0.5] * len(curve.steps), rel=1e-3)


def test_a_wrong_gradient_is_wrong_at_every_step() -> None:
    report, _ = checked(lambda x: x * x.detach(), (at(2.0),))
    assert report.curves[0].errors == pytest.approx([2] * len(report.curves[0].steps), rel=0.06)
    assert not {likely_cause.code for likely_cause in report.diagnoses} & {"kink", "eps_sensitive"}
    assert any("eps is not the cause" in each for each in report.diagnoses[0].evidence)


def test_no_curve_is_measured_of_what_agrees() -> None:
    report, _ = checked(Exponential, (randn(3),))
    assert report.curves == ()


@pytest.mark.parametrize(("value", "largest"), [(0.0, 1e-1), (5.0, 1e-1), (2e3, 1e2), (1e12, 1e5)])
def test_large_inputs_take_large_steps(value: float, largest: float) -> None:
    found = steps("float64", value, 1e-6)
    assert found[-1] == pytest.approx(largest)
    assert list(found) == sorted(found)
    assert 1e-6 in found
    assert len(found) <= 24


def likely_cause(report: JacobianReport) -> tuple[str, str]:
    found = report.diagnoses[0]
    return found.code, " ".join((found.message, *found.evidence))


def test_noise_says_what_helps() -> None:
    report, _ = checked(Exponential, (single(2, 3),))
    code, text = likely_cause(report)
    assert code == "float32_noise"
    assert "cast to float64, at eps 1e-06, all elements agree" in text
    assert report.passed is False
    assert report.diagnoses[0].is_harmless


def test_precision_inside_is_found_although_inputs_and_outputs_are_float64() -> None:
    report, _ = checked(SinglePrecisionInside, (randn(3, 2),))
    code, text = likely_cause(report)
    assert code == "float32_noise"
    assert "forward computes in float32" in text
    best = min(report.curves[0].errors)
    assert best < 1e-4 < max(report.curves[0].errors)


def test_noise_does_not_hide_a_wrong_gradient() -> None:
    report, _ = checked(DoubledInSingle, (single(3, 4), single(2, 4, seed=1)))
    codes = [each.code for each in report.diagnoses]
    assert codes[0] == "factor_constant"
    assert codes[1:] == ["float32_noise"]


def test_a_short_step_and_a_long_one_are_distinguished() -> None:
    long, _ = checked(Wave, (randn(3), 1e3), settings=CheckSettings(eps=0.1))
    short, _ = checked(Exponential, (randn(3),), settings=CheckSettings(eps=1e-14))
    assert "not nearly linear" in likely_cause(long)[1]
    assert "lost in rounding" in likely_cause(short)[1]


def test_the_step_that_is_recommended_makes_the_check_pass() -> None:
    report, _ = checked(Wave, (randn(4), 1e5))
    text = likely_cause(report)[1]
    eps = float(text.split("Use eps ")[1].split(". ")[0])
    again, _ = checked(Wave, (randn(4), 1e5), settings=CheckSettings(eps=eps))
    assert (report.verdict, again.verdict) == ("mismatch", "match")


def test_moving_the_point_makes_a_check_at_a_kink_pass() -> None:
    report, _ = checked(Rectifier, (at(0, 1, 0),))
    assert "With every input moved by 0.001 to 0.002, all elements agree" in likely_cause(report)[1]
    again, _ = checked(Rectifier, (at(0, 1, 0),), settings=CheckSettings(nudge=1e-3))
    assert [each.code for each in again.diagnoses] == ["none"]


def test_nan_beside_the_domain_is_no_error() -> None:
    curve = curve_of(torch.log, (at(1e-7, 1.0),))
    assert any(math.isnan(each) for each in curve.errors)
    assert not all(math.isnan(each) for each in curve.errors)


def test_a_complex_input_is_left_to_the_other_rules() -> None:
    def half(z: Tensor) -> Tensor:
        return (z * z.conj().detach()).real

    report, _ = checked(half, (randn(2, dtype=torch.complex128),))
    assert report.verdict == "mismatch"
    assert report.curves == ()
