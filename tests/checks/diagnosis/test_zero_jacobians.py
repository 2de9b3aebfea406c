"""If one of two Jacobians is all zeros, the diagnosis names it and explains what it means."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.gallery.scenes import cube_wrong, straight_through
from gradviz.model.diagnosis import Diagnosis
from tests.checks.gradgradcheck_verdict import checked_twice
from tests.checks.sample_functions import checked, randn


def only(function: Any, arguments: tuple[Any, ...]) -> Diagnosis:
    report, _ = checked(function, arguments)
    (diagnosis,) = report.diagnoses
    return diagnosis


class Passes(Function):
    """Forward is given; backward multiplies by a factor."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, kind: str, factor: Any) -> Tensor:
        ctx.factor = factor
        kinds = {"sign": x.sign, "compare": (x > 0).to(x.dtype).clone, "itself": x.clone}
        return kinds[kind]()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * ctx.factor, None, None


def test_the_scene_says_where_and_why() -> None:
    x = torch.tensor([0.2, 0.7, 1.4], dtype=torch.float64, requires_grad=True)
    diagnosis = only(straight_through.StraightThroughRound, (x,))
    assert diagnosis.code == "straight_through"
    for text in (
        "any of the 3 elements of x",
        "rounds",
        "the analytical Jacobian is the identity",
        "differ on purpose",
    ):
        assert text in diagnosis.message


@pytest.mark.parametrize("kind", ["sign", "compare"])
def test_sign_and_comparison(kind: str) -> None:
    assert only(Passes, (randn(4), kind, 1.0)).code == "straight_through"


def test_a_clipped_one_is_diagonal() -> None:
    mask = torch.tensor([1.0, 0.0, 1.0], dtype=torch.float64)
    diagnosis = only(Passes, (randn(3), "sign", mask))
    assert diagnosis.code == "straight_through"
    assert "scaled element by element (the analytical Jacobian is diagonal)" in diagnosis.message


def test_a_wrong_factor_is_no_straight_through() -> None:
    assert only(Passes, (randn(3), "itself", 3.0)).code == "factor_constant"


def test_a_factor_of_zero_is_a_dropped_gradient() -> None:
    diagnosis = only(Passes, (randn(3), "itself", 0.0))
    assert diagnosis.code == "dropped_zero"
    assert "backward of Passes returns only zeros" in diagnosis.message


class Mixes(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.round().sum() * torch.ones(3, dtype=x.dtype)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0].sum().expand(3)


def test_what_is_not_passed_on_element_by_element_is_only_called_constant() -> None:
    diagnosis = only(Mixes, (randn(3),))
    assert diagnosis.code == "constant_forward"
    assert "does not change output" in diagnosis.message


def test_an_intermediate_that_was_saved_has_lost_its_history() -> None:
    arguments = (torch.tensor(2.0, dtype=torch.float64, requires_grad=True),)
    report, sink = checked_twice(cube_wrong.MyCube, arguments)
    assert report.verdict == "mismatch"
    (diagnosis,) = report.diagnoses
    assert (diagnosis.code, diagnosis.output, diagnosis.input) == ("double_backward_cut", 0, 0)
    wrong = next(block for block in report.blocks if block.wrong)
    assert report.diagnoses_of(wrong) == (diagnosis,)
    assert sink.tensor(wrong.analytical).item() == 0
    assert abs(sink.tensor(wrong.numerical).item()) > 0.1


def test_diagnoses_stand_in_the_order_of_blocks() -> None:
    class Both(Function):
        @staticmethod
        def forward(ctx: Any, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
            return x * y, y.sign() + x

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            return None, gradients[0] + gradients[1]

    report, _ = checked(Both, (randn(2), randn(2, seed=1)))
    diagnosis = [(each.output, each.input, each.code) for each in report.diagnoses]
    assert diagnosis == [
        (0, 0, "dropped_none"),
        (1, 0, "dropped_none"),
        (1, 1, "straight_through"),
        (0, 1, "unknown"),
    ]


class Unused(Function):
    """Gives a gradient to an input that forward does not use."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, w: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        return gradient * 2, gradient


def test_an_input_that_is_not_used_is_no_straight_through() -> None:
    report, _ = checked(Unused, (randn(3), randn(3, seed=1)))
    assert [diagnosis.code for diagnosis in report.diagnoses] == ["constant_forward"]


class InAList(Function):
    """Its outputs are in a list, which torch passes on without grad_fn."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> list[Tensor]:
        return [x * 2, x * 3]

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * 2 + gradients[1] * 3


def test_outputs_in_a_list_are_the_cause_and_not_a_detach() -> None:
    diagnosis = only(InAList, (randn(3),))
    assert (diagnosis.code, diagnosis.confidence) == ("detached", "certain")
    assert "forward of InAList returns a list" in diagnosis.message
    assert ".detach()" not in diagnosis.message
