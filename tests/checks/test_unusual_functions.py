"""Every check ends with a report and leaves no state behind, whatever the function does."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch._subclasses import FakeTensorMode
from torch.autograd import Function

import gradviz
from gradviz.model.check_settings import CheckSettings
from tests.checks.sample_functions import checked, codes, randn


class TurnsItsInput(Function):
    """Doubles, after it has changed the sign of its argument in place."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        x.data.neg_()
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        return grad_output * 2


def test_a_zero_that_turns_into_minus_zero_is_reported() -> None:
    x = torch.zeros(3, dtype=torch.float64, requires_grad=True)
    (found,) = checked(TurnsItsInput, (x,))[0].diagnoses
    assert found.code == "inplace_damage"
    assert found.evidence[0] == (
        "After one forward, x has different bits for equal values, such as -0 for 0."
    )


def test_a_single_number_has_no_index() -> None:
    x = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
    (found,) = checked(TurnsItsInput, (x,))[0].diagnoses
    assert found.evidence[0] == "After one forward, x changed from 1.5 to -1.5."


class WrongInTwoPlaces(Function):
    """A cube; two of its gradients are off, by different factors."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, mask: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Tensor, None]:
        (x,) = ctx.saved_tensors
        factors = torch.tensor([1.7, 1, 1, 1.3, 1, 1], dtype=x.dtype)
        return 3 * x * x * grad_output * factors, None


def test_a_mask_among_the_arguments_has_no_size_to_compare() -> None:
    mask = torch.tensor([True, False, True, False, True, True])
    report, _ = checked(WrongInTwoPlaces, (randn(6), mask))
    assert [each.code for each in report.diagnoses] == ["wrong_some_indices"]


class Locked(nn.Module):
    """Holds an object that cannot be copied."""

    def __init__(self) -> None:
        super().__init__()
        self.lock = threading.Lock()

    def forward(self, x: Tensor) -> Tensor:
        with self.lock:
            return x.sin()


def test_a_module_that_cannot_be_copied_is_cast_as_far_as_it_can() -> None:
    x = randn(4).detach().float().requires_grad_()
    report, _ = checked(Locked(), (x,), settings=CheckSettings(cast=True))
    assert (report.verdict, report.cast_from, codes(report)) == ("match", "float32", [])


def test_one_tensor_given_twice_is_still_one_after_a_cast() -> None:
    x = randn(3).detach().float().requires_grad_()
    seen: list[bool] = []

    def product(a: Tensor, b: Tensor) -> Tensor:
        seen.append(a is b)
        return a * b

    checked(product, (x, x), settings=CheckSettings(cast=True, battery=False))
    assert all(seen)


def drawing(x: Tensor) -> Tensor:
    random.random()
    np.random.rand()
    return x * torch.rand(())


@pytest.mark.parametrize("correct", [True, False])
def test_investigations_use_up_no_random_numbers(correct: bool) -> None:
    def used(battery: bool) -> list[object]:
        random.seed(1)
        np.random.seed(1)
        torch.manual_seed(1)
        function = (lambda x: drawing(x) * 0 + x) if correct else drawing
        settings = CheckSettings(battery=battery, variations=battery)
        checked(function, (randn(2),), settings=settings)
        return [random.random(), np.random.rand(), float(torch.rand(()))]

    assert used(battery=True) == used(battery=False)


def test_variations_are_checked_beside_the_kink_too() -> None:
    x = torch.zeros(3, 2, dtype=torch.float64, requires_grad=True)
    settings = CheckSettings(nudge=1e-3, variations=True)
    report, _ = checked(lambda x: x.relu(), (x,), settings=settings)
    rows = [each for each in report.trials if each.kind == "variation"]
    assert {each.outcome for each in rows} == {"passes"}
    found = {each.message for each in rows if each.name.startswith("empty")}
    assert found == {"There are no elements to compare, and nothing raised an error."}


class UntoldError(Exception):
    """Cannot even be shown."""

    def __str__(self) -> str:
        raise RuntimeError


class UnreadableError(Exception):
    """Raises on every attribute access."""

    def __getattribute__(self, name: str) -> Any:
        raise MemoryError


@pytest.mark.parametrize("kind", [UntoldError, UnreadableError])
def test_an_exception_without_words_is_reported_by_its_name(kind: type[Exception]) -> None:
    def raising(x: Tensor) -> Tensor:
        raise kind

    report, _ = checked(raising, (randn(2),))
    (problem,) = report.problems
    assert problem.message.startswith(
        f"The function raised {kind.__name__} in test_unusual_functions.py, line "
    )


@pytest.mark.parametrize("kind", [UntoldError, UnreadableError])
def test_an_unreadable_exception_in_backward_is_reported(kind: type[Exception]) -> None:
    class Raising(Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor) -> Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Tensor) -> Tensor:
            raise kind

    report, _ = checked(Raising.apply, (randn(2),))
    assert report.verdict == "error"
    assert f"Backward from output raised {kind.__name__} in test_un" in report.problems[0].message


class Shy:
    """Raises on every attribute access."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError


shy = Shy()
calls: list[Shy] = []


def counting(x: Tensor) -> Tensor:
    calls.append(shy)
    return x * len(calls)


def test_objects_that_cannot_be_looked_at_are_left_out() -> None:
    report, _ = checked(counting, (randn(2),))
    assert report.verdict == "mismatch"
    assert report.diagnoses[0].code == "hidden_state"


class KeptTooEarly(Function):
    """Keeps its argument's copy, and changes that copy afterwards."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.kept = x.clone()
        made: Tensor = ctx.kept * ctx.kept
        ctx.kept.add_(1)
        return made

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return 2 * ctx.kept * grad_output


def test_messages_do_not_change_the_grad_mode() -> None:
    report, _ = checked(KeptTooEarly, (randn(3),))
    assert [each.code for each in report.diagnoses] == ["inplace_damage"]
    assert torch.is_grad_enabled()


def test_every_backward_pass_is_counted() -> None:
    told: list[tuple[int, int]] = []
    report, _ = checked(
        lambda x: x * x.detach(), (randn(3),), progress=lambda *each: told.append(each)
    )
    assert report.diagnoses[0].code == "detached"
    assert told[-1][0] == report.evaluations
    done, expected = told[-1]
    assert expected - done <= 2


def striding(x: Tensor) -> tuple[Tensor, Tensor]:
    return torch.arange(2), x * x.stride()[0]


def test_outputs_of_variations_have_their_own_positions() -> None:
    report, _ = checked(striding, (randn(3, 2),), settings=CheckSettings(variations=True))
    (row,) = [each for each in report.trials if each.name == "x transposed"]
    assert row.outcome == "fails"
    assert "of output 1 is" in row.message


@pytest.mark.parametrize(
    "make",
    [
        lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]),
        lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged),
        lambda: torch.quantize_per_tensor(torch.ones(2), 0.1, 0, torch.qint8),
    ],
)
@pytest.mark.filterwarnings("ignore:.*nested tensors:UserWarning")
@pytest.mark.filterwarnings("ignore:.*quantize:UserWarning")
def test_an_argument_of_an_unusual_kind_disturbs_nothing(make: Callable[[], Tensor]) -> None:
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    assert gradviz.check(lambda x, other: x * 2, (x, make())).verdict == "match"
    # Only these can require a gradient.
    if make().is_nested:
        refused = gradviz.check(lambda x: x * 2, (make().requires_grad_(),))
        assert refused.verdict == "error"
        assert "x is a nested tensor, which gradcheck does not support." in str(refused)


def on_meta() -> Tensor:
    return torch.ones(2, 3, dtype=torch.float64, device="meta", requires_grad=True)


def faked() -> Tensor:
    with FakeTensorMode():
        return torch.ones(2, 3, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize("settings", [CheckSettings(), CheckSettings(fast=True)])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize(
    ("make", "sentence"),
    [(on_meta, "x is on the device meta: it has a shape"), (faked, "x is a FakeTensor")],
)
def test_inputs_without_values_are_named(
    make: Callable[[], Tensor], sentence: str, order: int, settings: CheckSettings
) -> None:
    for function in (TurnsItsInput, lambda x: x.sin(), lambda x: (x * 2).detach()):
        report, _ = checked(function, (make(),), order=order, settings=settings)
        assert (report.verdict, codes(report), report.diagnoses) == ("error", ["no_values"], ())
        assert report.problems[0].message.startswith(sentence)


def test_an_output_and_an_incoming_gradient_without_values_are_named() -> None:
    report, _ = checked(lambda x: (x * 2).to("meta"), (randn(2, 3),))
    assert (report.verdict, codes(report), report.diagnoses) == ("error", ["no_values"], ())
    given = (on_meta(),)
    report, _ = checked(torch.sin, (randn(2, 3),), order=2, grad_outputs=given)
    assert report.verdict == "error"
    assert "grad_output is on the device meta" in report.problems[-1].message


def test_an_argument_that_is_only_a_shape_may_have_no_values() -> None:
    report, _ = checked(lambda x, like: x.expand(like.shape), (randn(3), on_meta().detach()))
    assert report.verdict == "match"
