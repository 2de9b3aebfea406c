"""Matrices equal to those of torch's gradcheck bit for bit, and the same verdict."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from gradviz.gallery.registry import scene
from gradviz.model.check_settings import CheckSettings
from tests.checks import sample_functions
from tests.checks.sample_functions import (
    as_gradcheck,
    assert_equal_to_torch,
    block_of,
    checked,
    codes,
    randn,
    verdict_of_torch,
)

Arguments = tuple[Any, ...]


def function_of(scene_id: str) -> Any:
    found = scene(scene_id)
    return getattr(importlib.import_module(found.module), found.callable_name)


def arange(*shape: int) -> Tensor:
    count = torch.Size(shape).numel()
    return torch.arange(count, dtype=torch.float64).view(shape).requires_grad_()


SCENES: dict[str, Callable[[], Arguments]] = {
    "linear": lambda: (arange(2, 2), arange(2, 3), None),
    "linear-wrong": lambda: (arange(2, 2), arange(2, 3), None),
    "exp": lambda: (torch.tensor(2.0, dtype=torch.float64, requires_grad=True),),
    "linear-split": lambda: (randn(4, 5), randn(3, 5, seed=1), randn(3)),
    "mul-constant": lambda: (arange(2, 3), 3),
    "functional-linear": lambda: (arange(4, 3), arange(2, 3), randn(2)),
}


@pytest.mark.parametrize("scene_id", SCENES)
def test_scenes(scene_id: str) -> None:
    function, arguments = function_of(scene_id), SCENES[scene_id]()
    report, sink = checked(function, arguments)
    assert_equal_to_torch(function.apply, arguments, report, sink)
    assert report.verdict == verdict_of_torch(function.apply, arguments)
    assert report.verdict == ("mismatch" if scene_id == "linear-wrong" else "match")


def complex_product(left: Tensor, right: Tensor) -> Tensor:
    return left * right.conj()


def to_real(z: Tensor) -> Tensor:
    return (z.abs() ** 2).sum(-1)


def mixed(z: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    return z * x, x.sin()


def captures_by_view(x: Tensor) -> Tensor:
    return x  # gradcheck clones the outputs, or they would move with the input.


COMPLEX = torch.complex128
WORKS: dict[str, tuple[Callable[..., Any], Callable[[], Arguments]]] = {
    "two outputs": (sample_functions.SinAndCube.apply, lambda: (randn(2, 3),)),
    "object and None": (
        sample_functions.Multiply.apply,
        lambda: (randn(3), randn(3, seed=1), "note"),
    ),
    "first input without gradient": (
        sample_functions.Multiply.apply,
        lambda: (randn(3).detach(), randn(3, seed=1), None),
    ),
    "not contiguous": (sample_functions.Multiply.apply, lambda: (strided(), strided(), None)),
    "0-dim": (torch.sin, lambda: (randn(),)),
    "empty": (torch.sin, lambda: (randn(0, 3),)),
    "empty output": (lambda x: x[:0], lambda: (randn(3),)),
    "a view of the input": (captures_by_view, lambda: (randn(3),)),
    "a list": (lambda x: [x * 2, x.sum()], lambda: (randn(3),)),
    "an unused input": (lambda x, y: x * 2, lambda: (randn(2), randn(3))),
    "complex input": (to_real, lambda: (randn(2, 3, dtype=COMPLEX),)),
    "complex output": (lambda x: torch.complex(x, x * x), lambda: (randn(3),)),
    "complex both": (
        complex_product,
        lambda: (randn(2, dtype=COMPLEX), randn(2, dtype=COMPLEX, seed=1)),
    ),
    "complex and real": (mixed, lambda: (randn(3, dtype=COMPLEX), randn(3))),
    "infinite": (lambda x: x / torch.zeros(3, dtype=torch.float64), lambda: (randn(3),)),
    "infinite and complex": (lambda z: (z / 0.0).real, lambda: (randn(3, dtype=COMPLEX),)),
    "NaN": (lambda x: (x - 10).sqrt(), lambda: (randn(3),)),
    "larger than a chunk": (lambda x: x.sum() * torch.ones(700), lambda: (randn(500),)),
}


def strided() -> Tensor:
    return randn(6, 4).detach()[::2, 1::2].t().requires_grad_()


@pytest.mark.parametrize("name", WORKS)
def test_functions_of_every_form(name: str) -> None:
    function, arguments = WORKS[name][0], WORKS[name][1]()
    report, sink = checked(function, arguments)
    assert_equal_to_torch(function, arguments, report, sink)
    assert as_gradcheck(report.verdict) == verdict_of_torch(function, arguments)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.complex64])
def test_other_types_get_gradchecks_verdict_and_a_hint(dtype: torch.dtype) -> None:
    arguments = (randn(3).detach().to(dtype).requires_grad_(),)
    for settings in (CheckSettings(), CheckSettings(eps=1e-1, atol=1e-1, rtol=1e-1)):
        report, sink = checked(torch.sin, arguments, settings=settings)
        assert as_gradcheck(report.verdict) == verdict_of_torch(torch.sin, arguments, settings)
        assert codes(report) == ["low_precision"]
        assert not report.problems[0].decides
        assert report.dtype == str(dtype).removeprefix("torch.")
        if dtype != torch.bfloat16:  # numpy shows it as float32
            assert_equal_to_torch(torch.sin, arguments, report, sink)


JUDGED: dict[str, tuple[Callable[..., Any], Callable[[], Arguments]]] = {
    "wrong": (sample_functions.Scale.apply, lambda: (randn(3), 2.0, 3.0)),
    "not multiplied": (sample_functions.Unscaled.apply, lambda: (randn(3),)),
    "undefined handled": (sample_functions.Unmaterialized.apply, lambda: (randn(3), "handle")),
    "undefined refused": (sample_functions.Unmaterialized.apply, lambda: (randn(3), "refuse")),
    "undefined to ones": (sample_functions.Unmaterialized.apply, lambda: (randn(3), "ones")),
    "undefined breaks": (sample_functions.Unmaterialized.apply, lambda: (randn(3), "break")),
    "wrong, and undefined breaks": (sample_functions.WrongAndBreaking.apply, lambda: (randn(3),)),
    "raises": (sample_functions.Raises.apply, lambda: (randn(3), "forward")),
    "raises when moved": (sample_functions.Raises.apply, lambda: (ones(), "moved")),
    "backward raises": (sample_functions.Raises.apply, lambda: (randn(3), "backward")),
    "refused by the engine": (sample_functions.WrongShape.apply, lambda: (randn(3),)),
    "constant": (lambda x: torch.ones(2, dtype=torch.float64), lambda: (randn(3),)),
    "detached": (lambda x: x.detach() * 2, lambda: (randn(3),)),
    "one output detached": (lambda x: (x.detach() * 2, x * 2), lambda: (randn(3),)),
    "integers": (lambda x: (x > 0).long(), lambda: (randn(3),)),
    "nothing requires grad": (torch.sin, lambda: (randn(3).detach(),)),
    "overlapping": (torch.sin, lambda: (randn(1).detach().expand(3).requires_grad_(),)),
    "shape depends on values": (lambda x: x[x >= 1.0], lambda: (ones(),)),
    "nondeterministic": (sample_functions.Noisy.apply, lambda: (randn(3),)),
}


def ones() -> Tensor:
    return torch.ones(3, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("name", JUDGED)
def test_the_verdict_is_gradchecks(name: str) -> None:
    function, arguments = JUDGED[name]
    assert checked(function, arguments())[0].verdict == verdict_of_torch(function, arguments())


@pytest.mark.parametrize(
    "settings",
    [
        CheckSettings(atol=0.6, rtol=0.0),
        CheckSettings(atol=0.0, rtol=0.6),
        CheckSettings(atol=0.0, rtol=0.4),
        CheckSettings(atol=0.0, rtol=0.0),
        CheckSettings(eps=0.5),
    ],
    ids=str,
)
def test_tolerances_are_the_users(settings: CheckSettings) -> None:
    arguments = (randn(3), 2.0, 3.0)
    report, sink = checked(sample_functions.Scale, arguments, settings=settings)
    assert report.verdict == verdict_of_torch(sample_functions.Scale.apply, arguments, settings)
    assert_equal_to_torch(sample_functions.Scale.apply, arguments, report, sink)


def test_noise_within_the_users_tolerance_matches() -> None:
    loose = CheckSettings(nondet_tol=1e-5)
    assert checked(sample_functions.Noisy, (randn(3),))[0].verdict == "mismatch"
    assert checked(sample_functions.Noisy, (randn(3),), settings=loose)[0].verdict == "match"


def test_an_integer_output_before_a_float_one_is_no_obstacle() -> None:
    report, sink = checked(sample_functions.Sort, (randn(4),))
    assert report.verdict == "match"
    assert [(block.output, block.output_name) for block in report.blocks] == [(1, "output 1")]
    numerical = sink.tensor(block_of(report, 1, 0).numerical)
    torch.testing.assert_close(numerical, sink.tensor(block_of(report, 1, 0).analytical))
    assert numerical.abs().sum() == pytest.approx(4)


def test_outputs_that_are_no_tensors_are_left_out() -> None:
    report, _ = checked(lambda x: ("text", x * 2, None), (randn(3),))
    assert (report.verdict, [block.output for block in report.blocks]) == ("match", [1])
