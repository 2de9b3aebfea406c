"""Second-order matrices equal to gradgradcheck's bit for bit, and the same verdict."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.autograd import Function

from gradviz.gallery.registry import SCENES, scene
from gradviz.model.check_settings import CheckSettings
from gradviz.model.inputs import InputSpec
from gradviz.protocol.messages import Device
from gradviz.worker.inputs import make_input
from tests.checks import sample_functions
from tests.checks.gradgradcheck_verdict import (
    assert_equal_to_torch_twice,
    checked_twice,
    verdict_twice,
)
from tests.checks.sample_functions import as_gradcheck, codes, randn
from tests.checks.test_generated_functions import Generated, cases
from tests.checks.test_gradcheck_agreement import JUDGED, WORKS

LARGE = {"linear-split", "linear-split-merged"}
CHECKED = [each.id for each in SCENES if each.can_be_checked and each.id not in LARGE]


def what_is_checked(scene_id: str) -> tuple[Any, tuple[Any, ...]]:
    found = scene(scene_id)
    module = importlib.import_module(found.module)
    torch.manual_seed(0)
    arguments = tuple(argument(spec) for spec in found.inputs)
    return getattr(module, found.checked or found.callable_name), arguments


def argument(spec: InputSpec) -> Any:
    return make_input(spec, Device(name="cpu", title="cpu", has_float64=True), None).value


def callable_of(function: Any) -> Callable[..., Any]:
    is_class = isinstance(function, type) and issubclass(function, Function)
    applied: Callable[..., Any] = function.apply if is_class else function
    return applied


@pytest.mark.parametrize("scene_id", CHECKED)
def test_scenes(scene_id: str) -> None:
    function, arguments = what_is_checked(scene_id)
    report, sink = checked_twice(function, arguments)
    assert report.order == 2
    assert report.verdict == verdict_twice(callable_of(function), arguments)
    if report.blocks:
        assert_equal_to_torch_twice(callable_of(function), arguments, report, sink)
    else:
        assert report.problems


@pytest.mark.parametrize("name", WORKS)
def test_functions_of_every_form(name: str) -> None:
    function, arguments = WORKS[name][0], WORKS[name][1]()
    report, sink = checked_twice(function, arguments)
    assert as_gradcheck(report.verdict) == verdict_twice(function, arguments)
    assert_equal_to_torch_twice(function, arguments, report, sink)


@pytest.mark.parametrize("name", JUDGED)
def test_the_verdict_is_gradgradchecks(name: str) -> None:
    function, arguments = JUDGED[name]
    report, _ = checked_twice(function, arguments())
    assert report.verdict == verdict_twice(function, arguments())


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.complex64])
def test_other_types_get_gradgradchecks_verdict(dtype: torch.dtype) -> None:
    arguments = (randn(3).detach().to(dtype).requires_grad_(),)
    for chosen in (CheckSettings(), CheckSettings(eps=1e-1, atol=1e-1, rtol=1e-1)):
        report, sink = checked_twice(torch.sin, arguments, settings=chosen)
        assert as_gradcheck(report.verdict) == verdict_twice(torch.sin, arguments, chosen)
        assert codes(report) == ["low_precision"]
        if dtype != torch.bfloat16:  # numpy shows it as float32
            assert_equal_to_torch_twice(torch.sin, arguments, report, sink)


def second_of_sine(x: Tensor) -> Tensor:
    return torch.special.xlogy(x, x.abs() + 1)


@pytest.mark.parametrize(
    "chosen", [CheckSettings(eps=1e-3), CheckSettings(atol=0, rtol=0), CheckSettings(rtol=0.5)]
)
def test_tolerances_are_the_users(chosen: CheckSettings) -> None:
    report, sink = checked_twice(second_of_sine, (randn(3),), settings=chosen)
    assert report.verdict == verdict_twice(second_of_sine, (randn(3),), chosen)
    assert_equal_to_torch_twice(second_of_sine, (randn(3),), report, sink)


@settings(max_examples=60, derandomize=True)
@given(case=cases(), cut=st.booleans())
def test_generated_functions(case: tuple[Any, ...], cut: bool) -> None:
    """With a cut, the incoming gradients lose their history on the way."""
    function = CutBefore if cut else Generated
    report, sink = checked_twice(function, case)
    assert report.verdict == verdict_twice(function.apply, case)
    if any(block.count for block in report.blocks):
        assert_equal_to_torch_twice(function.apply, case, report, sink)


class CutBefore(Generated):
    """Detaches grad_output, so that its gradient depends on the inputs only."""

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return Generated.backward(ctx, *(each.detach() for each in gradients))


def test_arguments_have_their_values_back() -> None:
    arguments = (randn(2, 3), randn(2, 3, seed=1), "note")
    before = [each.detach().clone() for each in arguments[:2] if isinstance(each, Tensor)]
    checked_twice(sample_functions.Multiply, arguments)
    for value, kept in zip(arguments[:2], before, strict=True):
        assert isinstance(value, Tensor)
        assert torch.equal(value, kept)


def incoming(*, constant: bool = False) -> tuple[Tensor, ...]:
    made = (randn(2, 3, seed=3), randn(seed=4))
    return (made[0].detach(), made[1]) if constant else made


GIVEN: dict[str, Callable[[], tuple[Tensor, ...]]] = {
    "varied": incoming,
    "one constant": lambda: incoming(constant=True),
    "all constant": lambda: tuple(each.detach() for each in incoming()),
    "not contiguous": lambda: (randn(3, 2).detach().t().requires_grad_(), randn()),
    "expanded": lambda: (randn(1, 3).expand(2, 3), randn()),
    "too few": lambda: incoming()[:1],
    "other shape": lambda: (randn(3), randn()),
}


@pytest.mark.parametrize("mode", [CheckSettings(), CheckSettings(fast=True)], ids=["full", "fast"])
@pytest.mark.parametrize("name", GIVEN)
def test_given_incoming_gradients(name: str, mode: CheckSettings) -> None:
    for function in (sample_functions.SinAndCube, WrongBranch):
        arguments, given = (randn(2, 3),), GIVEN[name]()
        before = [each.detach().clone() for each in given]
        report, _ = checked_twice(function, arguments, settings=mode, grad_outputs=given)
        assert report.verdict == verdict_twice(function.apply, arguments, mode, GIVEN[name]())
        assert [each.requires_grad for each in given] == [
            each.requires_grad for each in GIVEN[name]()
        ]
        assert all(map(torch.equal, given, before))


class WrongBranch(sample_functions.SinAndCube):
    """Its second derivative is wrong where the incoming gradients are all positive."""

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        found = sample_functions.SinAndCube.backward(ctx, *gradients)
        return found + x.detach() ** 2 * gradients[0].clamp(min=0)


def test_given_gradients_decide_what_is_found() -> None:
    """Only where one is positive, the second derivative is wrong."""
    arguments = (randn(2, 3),)
    for sign, verdict in ((-1, "match"), (1, "mismatch")):
        first = (sign * (randn(2, 3).detach().abs() + 1)).requires_grad_()
        given = (first, randn(seed=4))
        report, _ = checked_twice(WrongBranch, arguments, grad_outputs=given)
        assert report.verdict == verdict
        assert verdict_twice(WrongBranch.apply, arguments, grad_outputs=given) == verdict
        assert "The incoming gradients are the given ones" in report.problems[0].message


def test_given_gradients_are_cast_with_the_inputs() -> None:
    given = (torch.ones(2, 3, requires_grad=True), torch.ones((), requires_grad=True))
    arguments = (randn(2, 3).detach().float().requires_grad_(),)
    report, _ = checked_twice(
        sample_functions.SinAndCube,
        arguments,
        settings=CheckSettings(cast=True),
        grad_outputs=given,
    )
    assert (report.verdict, report.cast_from) == ("match", "float32")
