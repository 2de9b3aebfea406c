"""Diagnoses that need more than the first point."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.checks.diagnosis import examination
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.jacobian_check import check
from gradviz.gallery.scenes import cube_wrong, straight_through
from gradviz.model.diagnosis import Diagnosis
from tests.checks.broken.corpus import made
from tests.checks.gradgradcheck_verdict import checked_twice
from tests.checks.sample_functions import Kept, checked, randn

# A bug of gradviz during the diagnosis does not lose the verdict.


DOUBLED = made(lambda x: x * 3, lambda g, x: g[0] * 6)
"""Gives twice its gradient."""


def broken_investigation(case: CheckContext) -> Iterator[Diagnosis]:
    yield from ()
    raise IndexError("out of range")


def test_an_internal_error_is_reported_and_the_check_continues(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(examination, "BEFORE", (broken_investigation, *examination.BEFORE))
    report = check(DOUBLED, (randn(3),), sink=Kept())
    assert (report.verdict, report.diagnoses[0].code) == ("mismatch", "factor_constant")
    (problem,) = (each for each in report.problems if each.code == "examination_failed")
    assert not problem.decides
    assert "because of a bug in gradviz (test_second_points.py, line 31)" in problem.message
    assert problem.message.endswith(": out of range")


# What is said about indices was tried with other values; damage hides no other mistake.


SINE = made(
    lambda x, w: torch.sin(x) * w,
    lambda g, x, w: (g[0] * torch.cos(torch.sin(x)) * w, g[0] * torch.sin(x)),
)
"""The derivative at sin(x) instead of x: wrong everywhere, but hardly so near 0."""


def euler(x: Tensor) -> Tensor:
    return x - 0.2 * x**3


EULER = made(euler, lambda g, x: g[0] * (1 - 0.6 * euler(x) ** 2))
"""The derivative after the step instead of before."""


def softplus_back(g: Any, x: Tensor) -> Any:
    """Wrong for negative values, which shows only where they are not very small."""
    negative = x.exp() / (1 + 2 * x.exp())
    return g[0] * torch.where(x > 0, 1 - 1 / (1 + x.exp()), negative)


SOFTPLUS = made(lambda x: torch.nn.functional.softplus(x), softplus_back)


def values(*given: float) -> Tensor:
    return torch.tensor(given, dtype=torch.float64, requires_grad=True)


@pytest.mark.parametrize(
    ("function", "inputs"),
    [
        (SINE, (values(0.01, 1.2, -0.02, 0.9), values(1, 2, 3, 4))),
        (EULER, (values(-1.7, 0.016, -0.014, 0.02),)),
        (SOFTPLUS, (values(1, 2, -15, -14, -1),)),
    ],
)
def test_errors_below_the_noise_are_no_matter_of_indices(
    function: type[Function], inputs: tuple[Any, ...]
) -> None:
    report, _ = checked(function, inputs)
    assert "x[" not in report.diagnoses[0].message


class Damaged(Function):
    """Changes what it saved on ctx, and takes a mean over the batch where a sum is right."""

    @staticmethod
    def forward(ctx: Any, s: Tensor, b: Tensor) -> Tensor:
        x = b / s
        ctx.save_for_backward(s, x)
        ctx.scale = torch.ones_like(s)
        return x

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        s, x = ctx.saved_tensors
        gb = gradients[0] / s * ctx.scale
        ctx.scale.mul_(1.5)
        return (-gb * x).mean(0), gb


def test_damage_hides_no_mean() -> None:
    source = torch.Generator().manual_seed(0)
    s = (torch.rand(3, generator=source, dtype=torch.float64) + 1).requires_grad_()
    b = torch.randn(5, 3, generator=source, dtype=torch.float64).requires_grad_()
    report, _ = checked(Damaged, (s, b))
    codes = {each.code: each for each in report.diagnoses}
    assert codes.keys() == {"inplace_damage", "factor_batch_size"}
    assert "1/5" in codes["factor_batch_size"].message
    assert codes["factor_batch_size"].input == 0


class ClearsTail(Function):
    """Clears a part of its own output in backward, which no second backward notices."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        y = x * 2
        ctx.tail = y.detach()[1:]
        return y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        ctx.tail.zero_()
        return gradients[0] * 2


def test_a_view_of_an_output_is_seen_from_outside() -> None:
    report, _ = checked(ClearsTail, (values(1, 2, 3),))
    assert [each.code for each in report.diagnoses] == ["inplace_damage"]


ODD = made(lambda x: x + x * x / 2, lambda g, x: g[0] * (x + 1.0173))
"""A constant that is wrong by an amount that nobody forgets."""


def raising_back(g: Any, x: Tensor) -> Any:
    raise ValueError("no table")


def test_an_absurd_amount_is_no_repair() -> None:
    report, _ = checked(ODD, (values(1, 2.5, -3),))
    assert not any(each.repair and "0.0173" in each.repair.message for each in report.diagnoses)


def test_a_reported_problem_is_the_cause() -> None:
    report, _ = checked(made(lambda x: x * 2, raising_back), (values(1, 2),))
    (found,) = report.diagnoses
    assert (found.code, found.confidence) == ("unknown", "likely")
    assert "no table" in found.message


# Wrong sums and swaps are diagnosed only where nothing else explains the numbers.


def codes(function: Any, *arguments: Any) -> list[str]:
    report, _ = checked(function, arguments)
    return [each.code for each in report.diagnoses]


class Bias(Function):
    """The rows whose gradient arrives are chosen."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, b: Tensor, rows: slice) -> Tensor:
        ctx.rows = rows
        return x + b

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0], gradients[0][ctx.rows].sum(0), None


@pytest.mark.parametrize("size", [2, 3, 4])
def test_one_of_many_is_distinguished_from_all_but_one(size: int) -> None:
    """Both use one of two rows."""
    x, b = randn(size, 3), randn(3, seed=1)
    assert codes(Bias, x, b, slice(0, 1)) == ["missing_sum"]
    assert codes(Bias, x, b, slice(-1, None)) == ["missing_sum"]
    assert "missing_sum" not in codes(Bias, x, b, slice(0, -1))


def elementwise_back(g: Any, x: Tensor) -> Any:
    found = torch.zeros_like(g[0])
    found[0] = 2 * g[0][0]
    return found


ELEMENTWISE = made(lambda x: x * 2, elementwise_back)


def test_where_nothing_is_summed_no_sum_is_missing() -> None:
    assert "missing_sum" not in codes(ELEMENTWISE, randn(4))
    assert "missing_sum" not in codes(ELEMENTWISE, randn(2, 3))


CONSTANT = made(lambda x: x**2, lambda g, x: 2 * x)
"""Ignores grad_output: for a single 1 that equals its sum."""


def test_what_ignores_its_gradient_sums_nothing() -> None:
    assert codes(CONSTANT, randn(3, 2))[0] == "ignores_grad_output"


class Product(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor, fault: str) -> Tensor:
        ctx.save_for_backward(x, y)
        ctx.fault = fault
        return x * y**2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, y = ctx.saved_tensors
        first, second = gradients[0] * y**2, gradients[0] * 2 * x * y
        if ctx.fault == "exchanged":
            return second, first, None
        return (first, first, None) if ctx.fault == "same for both" else (second, second, None)


@pytest.mark.parametrize("fault", ["exchanged", "same for both", "second for both"])
def test_only_an_exchange_is_one(fault: str) -> None:
    report, _ = checked(Product, (randn(3), randn(3, seed=1), fault))
    diagnosis = report.diagnoses[0]
    assert (diagnosis.code == "swapped_gradients") == (fault == "exchanged")
    if fault == "exchanged":
        assert (len(report.diagnoses), diagnosis.input, diagnosis.confidence) == (
            1,
            None,
            "certain",
        )
        assert "The gradients of x and y are swapped" in diagnosis.message


def test_equal_inputs_do_not_make_an_exchange() -> None:
    """If both are ones, their gradients are equal, and one error in both looks like a swap."""
    ones = [torch.ones(2, dtype=torch.float64, requires_grad=True) for _ in range(2)]
    assert codes(Product, *ones, "same for both") != ["swapped_gradients"]
    assert codes(Product, *ones, "exchanged") == ["swapped_gradients"]


# If one of two Jacobians is all zeros, the diagnosis names it and explains what it means.


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


MIXES = made(
    lambda x: x.round().sum() * torch.ones(3, dtype=x.dtype), lambda g, x: g[0].sum().expand(3)
)


def test_what_is_not_passed_on_element_by_element_is_only_called_constant() -> None:
    diagnosis = only(MIXES, (randn(3),))
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


UNUSED = made(lambda x, w: x * 2, lambda g, x, w: (g[0] * 2, g[0]))
"""Gives a gradient to an input that forward does not use."""


def test_an_input_that_is_not_used_is_no_straight_through() -> None:
    report, _ = checked(UNUSED, (randn(3), randn(3, seed=1)))
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
