"""Gradients of a program's passes next to finite differences: claims that hold, and no others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.checks.program import program_gradients
from gradviz.checks.program.program_gradients import ProgramGradients, compare_with_differences
from gradviz.checks.program.program_run import Program
from gradviz.gallery.scenes import cube, cube_wrong
from gradviz.model.check_settings import DEFAULTS
from gradviz.model.jacobian_report import PassGradient


def leaf(*values: float, shape: tuple[int, ...] | None = None) -> Tensor:
    made = torch.tensor(values if shape is None or shape else values[0], dtype=torch.float64)
    return made.reshape(shape if shape is not None else (-1,)).requires_grad_()


def compared(thing: Callable[..., Any], **leaves: Any) -> ProgramGradients:
    program = Program(
        thing=thing,
        positional=tuple(leaves.values()),
        keywords={},
        names=tuple(leaves),
        seed=lambda: torch.manual_seed(0),
    )
    return compare_with_differences(program, DEFAULTS)


def only(found: ProgramGradients) -> PassGradient:
    (gradient,) = found.passes
    return gradient


def codes(found: ProgramGradients) -> list[str]:
    return [each.code for each in (*found.diagnoses, *found.problems)]


@pytest.mark.parametrize("x", [2.0, -1.5])
def test_a_second_derivative_that_lost_a_part(x: float) -> None:
    found = compared(cube_wrong.silently_wrong, x=leaf(x, shape=()))
    first, second = found.passes
    assert (first.wrong, second.wrong, second.confirmed) == (0, 1, True)
    assert (first.received, second.received) == ((4 * x**3,), (6 * x**2,))
    np.testing.assert_allclose(second.numerical, 12 * x**2, rtol=1e-8)
    assert second.reference == (12 * x**2,)
    assert codes(found) == ["wrong_pass_gradient"]
    assert f"gives {6 * x**2:g} for x; the correct value is {12 * x**2:g}" in (
        found.diagnoses[0].message
    )


def test_three_correct_derivatives() -> None:
    x = leaf(2.0, shape=())
    found = compared(cube.three_derivatives, x=x)
    assert [each.received for each in found.passes] == [(12.0,), (12.0,), (6.0,)]
    assert [each.wrong for each in found.passes] == [0, 0, 0]
    assert codes(found) == []
    assert (x.item(), x.grad) == (2.0, None)


def test_each_pass_is_compared_without_what_had_accumulated() -> None:
    def twice(x: Tensor, w: Tensor) -> None:
        (x * w).sum().backward()
        (x**2 * w).sum().backward()

    x, w = leaf(1.0, 2.0, 3.0), leaf(0.5, -1.0, 4.0)
    found = {(each.pass_id, each.name): each for each in compared(twice, x=x, w=w).passes}
    (a, b) = (each.detach().numpy() for each in (x, w))
    expected = {(1, "x"): b, (1, "w"): a, (2, "x"): 2 * a * b, (2, "w"): a**2}
    assert found.keys() == expected.keys()
    for key, gradient in expected.items():
        np.testing.assert_allclose(found[key].received, gradient, rtol=1e-12)
        np.testing.assert_allclose(found[key].numerical, gradient, rtol=1e-7)
        assert (found[key].wrong, found[key].is_measured) == (0, True)


def test_grad_outputs_weight_the_roots_and_stay_constant() -> None:
    weights = torch.tensor([3.0, -2.0], dtype=torch.float64)

    def weighted(x: Tensor) -> None:
        torch.autograd.grad((x**2, x.sum()), x, (weights * x.detach(), torch.ones_like(x.sum())))

    found = only(compared(weighted, x=leaf(1.0, 5.0)))
    np.testing.assert_allclose(found.numerical, [2 * 3 * 1 + 1, 2 * -2 * 25 + 1], rtol=1e-7)
    assert found.wrong == 0


def test_no_claim_at_a_kink() -> None:
    found = only(compared(lambda x: torch.relu(x).sum().backward(), x=leaf(-1.0, 0.0, 2.0)))
    assert np.isnan(found.numerical).tolist() == [False, True, False]
    assert (found.received, found.wrong, found.is_measured) == ((0.0, 0.0, 1.0), 0, False)


def test_what_the_program_detaches_is_no_error_of_a_function() -> None:
    found = compared(lambda x: (x * x.detach()).sum().backward(), x=leaf(3.0))
    gradient = only(found)
    assert (gradient.received, gradient.wrong, gradient.confirmed) == ((3.0,), 1, False)
    assert codes(found) == ["pass_gradient"]
    assert not found.problems[0].decides


def test_a_large_value_hides_nothing_and_claims_nothing() -> None:
    # A tenth of the step is lost in the rounding of the sum.
    found = only(compared(lambda x: (x + 1e12).sum().backward(), x=leaf(1.0)))
    assert (found.wrong, found.is_measured) == (0, False)


def test_a_random_program_is_not_compared() -> None:
    state = iter(range(1, 100))
    found = compared(lambda x: (x * next(state)).sum().backward(), x=leaf(1.0))
    assert (found.passes, codes(found)) == ((), ["program_not_compared"])


def test_a_seeded_program_is_compared() -> None:
    found = compared(lambda x: (x * torch.rand_like(x)).sum().backward(), x=leaf(1.0, 2.0))
    assert (only(found).wrong, only(found).is_measured) == (0, True)


def test_passes_before_an_exception_are_compared() -> None:
    def fails(x: Tensor) -> None:
        (x**3).sum().backward()
        raise ValueError("enough")

    found = compared(fails, x=leaf(2.0))
    assert (only(found).pass_id, only(found).wrong) == (1, 0)
    np.testing.assert_allclose(only(found).numerical, [12.0], rtol=1e-8)


def test_what_is_large_or_not_double_or_no_leaf_is_left_out() -> None:
    def program(x: Tensor, large: Tensor, single: Tensor) -> None:
        (x.sum() * large.sum() * single.double().sum()).backward()

    large = torch.ones(program_gradients.MOST_ELEMENTS, dtype=torch.float64, requires_grad=True)
    found = compared(program, x=leaf(1.0), large=large, single=torch.ones(1, requires_grad=True))
    assert [each.name for each in found.passes] == ["x"]


def test_the_time_limit_leaves_the_rest_out() -> None:
    times = iter((0.0, 1.0, program_gradients.TIME_LIMIT_S + 1))
    program = Program(
        thing=lambda x: (x * x).sum().backward(),
        positional=(leaf(1.0, 2.0),),
        keywords={},
        names=("x",),
        seed=lambda: None,
    )
    found = compare_with_differences(program, DEFAULTS, clock=lambda: next(times))
    assert np.isnan(only(found).numerical).tolist() == [False, True]
    assert [each.code for each in found.problems] == ["program_not_compared"]


def test_parameters_are_leaves_and_keep_their_gradients() -> None:
    class Trained(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.scale = torch.nn.Parameter(leaf(3.0))

        def forward(self, x: Tensor) -> None:
            (x * self.scale**2).sum().backward()

    module = Trained()
    found = {each.name: each for each in compared(module, x=leaf(2.0)).passes}
    np.testing.assert_allclose(found["scale"].numerical, [12.0], rtol=1e-8)
    np.testing.assert_allclose(found["x"].numerical, [9.0], rtol=1e-8)
    assert module.scale.grad is None


class Halved(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return torch.from_numpy(np.asarray(x.detach()) ** 2)

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return grad_output * x


def test_without_a_reference_the_cause_is_unknown() -> None:
    found = compared(lambda x: Halved.apply(x).sum().backward(), x=leaf(3.0))  # type: ignore[no-untyped-call]
    assert (only(found).wrong, only(found).confirmed, only(found).reference) == (1, False, ())
    np.testing.assert_allclose(only(found).numerical, [6.0], rtol=1e-8)
    assert codes(found) == ["pass_gradient"]


def test_what_cannot_be_copied_is_reported() -> None:
    found = compared(lambda x, generator: None, x=leaf(1.0), generator=(k for k in ()))
    assert codes(found) == ["program_not_compared"]
    assert "cannot pickle" in found.problems[0].message
