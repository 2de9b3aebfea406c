"""Bugs of gradviz and errors of the checked code are never taken for each other."""

from __future__ import annotations

import inspect
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, Self

import pytest
import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.checks.run import jacobian_check
from gradviz.checks.run.jacobian_check import check
from gradviz.model.check_settings import CheckSettings
from gradviz.model.jacobian_report import JacobianReport
from gradviz.recorder.patching.signals import is_calling_user_code
from tests.checks.sample_functions import Kept, codes, randn

BUG = "because of a bug in gradviz (jacobian_check.py, line 2)"
CHECKS = str(Path(jacobian_check.__file__).parents[1])


class Scale(Function):
    """Correct; its second argument has no dimensions."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, factor: Tensor) -> Tensor:
        ctx.save_for_backward(x, factor)
        return x * factor

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        x, factor = ctx.saved_tensors
        return grad * factor, (grad * x).sum()


class Wrong(Scale):
    """The gradient of its first argument is three times too large."""

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        x, factor = ctx.saved_tensors
        return 3 * grad * factor, (grad * x).sum()


class InjectedError(RuntimeError):
    """Raised in gradviz, as by a bug."""


# In a file of gradviz, as far as a traceback shows.
_NAMES: dict[str, Any] = {"InjectedError": InjectedError}
_TEXT = "def inject():\n    raise InjectedError"
exec(compile(_TEXT, jacobian_check.__file__, "exec"), _NAMES)


class Bug:
    """``with Bug(number):`` raises in the call of gradviz/checks with that number.

    Attributes:
        calls: How many calls there were until then.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self.calls = 0

    def __enter__(self) -> Self:
        self._before = sys.gettrace()
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before)

    def _trace(self, frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        # A generator is also entered to be closed.
        is_whole = not code.co_flags & inspect.CO_GENERATOR
        if not code.co_filename.startswith(CHECKS) or is_calling_user_code(code) or not is_whole:
            return
        self.calls += 1
        if self.calls == self._number:
            _NAMES["inject"]()


def wrong(x: Tensor, factor: Tensor) -> Tensor:
    return Wrong.apply(x, factor).tanh()


CASES: dict[str, tuple[Callable[..., Any] | type[Function], CheckSettings, int]] = {
    "plain": (Scale, CheckSettings(variations=True), 1),
    "order 2": (Scale, CheckSettings(batched=True), 2),
    "fast": (Scale, CheckSettings(fast=True, forward_mode="auto"), 1),
    "wrong": (Wrong, CheckSettings(), 1),
    "inside": (wrong, CheckSettings(forward_mode="on"), 1),
}


def texts(report: JacobianReport) -> Iterator[str]:
    yield from (each.message for each in report.problems)
    yield from (each.message for each in report.trials)
    for each in report.diagnoses:
        yield from (each.message, *each.evidence)


def checked_with(bug: Bug, case: str) -> JacobianReport:
    function, settings, order = CASES[case]
    arguments = (randn(2), randn())
    with bug:
        return check(function, arguments, sink=Kept(), settings=settings, order=order)


@pytest.mark.parametrize(
    "part", [slice(15), pytest.param(slice(15, 60), marks=pytest.mark.sweep)], ids=str
)
@pytest.mark.parametrize("case", CASES)
def test_a_bug_of_gradviz_is_never_told_as_an_error_of_the_user(case: str, part: slice) -> None:
    every = Bug(0)
    without = checked_with(every, case)
    places = random.Random(1).sample(range(1, every.calls + 1), 60)
    told = 0
    for place in places[part]:
        try:
            report = checked_with(Bug(place), case)
        except InjectedError:  # Outside of all that is contained.
            continue
        for text in texts(report):
            assert "InjectedError" not in text or BUG in text
        if "bug" in codes(report):
            assert report.verdict == "error"
            told += 1
        elif "examination_failed" not in codes(report):
            assert report.verdict == without.verdict
    assert told


class Invalid(Function):
    """Returns a gradient of another shape, which only the engine notices."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return grad.sum()[None, None].expand(2, 7)


class TooFew(Function):
    """Returns too few gradients, which only the engine notices."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor) -> Tensor:
        return x * y

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return grad


class NoTensor(Function):
    """Takes an argument more than it gets."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor, more: Tensor) -> Tensor:
        return x * y * more

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        return grad, grad, grad


USERS: dict[str, tuple[Callable[..., Any] | type[Function], tuple[Tensor, ...]]] = {
    "invalid gradient": (Invalid, (randn(3),)),
    "too few gradients": (TooFew, (randn(3), randn(3))),
    "missing argument": (NoTensor, (randn(3), randn(3))),
    "builtin": (torch.cholesky_inverse, (randn(3),)),
    "module": (torch.nn.Bilinear(2, 3, 4, dtype=torch.float64), (randn(3),)),
}


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("forward_mode", ["off", "on"])
@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("name", USERS)
def test_an_error_without_a_line_of_the_user_is_still_theirs(
    name: str, fast: bool, forward_mode: Any, order: int
) -> None:
    function, arguments = USERS[name]
    settings = CheckSettings(fast=fast, forward_mode=forward_mode, batched=True)
    report = check(function, arguments, sink=Kept(), settings=settings, order=order)
    assert report.verdict in ("error", "mismatch")
    assert not {"bug", "examination_failed"} & set(codes(report)), report.problems
