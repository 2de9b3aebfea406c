"""Mistakes that give the same numbers as others are not taken for them."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.model.check_settings import CheckSettings
from gradviz.model.diagnosis import Diagnosis
from tests.checks.broken.corpus import made
from tests.checks.sample_functions import checked, randn

# A gradient is in `g` for each output.
EXCHANGED = made(lambda x, y: (2 * x, 3 * y), lambda g, x, y: (2 * g[1], 3 * g[0]))
OUTER = made(lambda x, y: torch.outer(x.tanh(), y.tanh()), lambda g, x, y: outer_back(g[0], x, y))
CONJUGATE = made(lambda x: x.conj().clone(), lambda g, x: g[0])
MINUS_CONJUGATE = made(lambda x: x.clone(), lambda g, x: -g[0].conj())
MINUS = made(lambda x: x.clone(), lambda g, x: -g[0])
BRANCH = made(lambda x: x * 2, lambda g, x: g[0] * (2 if x.sum() > 0 else 3))
ROLLED = made(lambda x: x.roll(2, 1), lambda g, x: g[0].roll(-3, 1))
WEIGHTED = made(
    lambda x, w: x.roll(2, 1) * w,
    lambda g, x, w: ((g[0] * w).roll(-2, 1), (g[0] * x.roll(4, 1)).sum(0)),
)
WITHOUT_FIRST = made(lambda x: x.sum(0), lambda g, x: without_first(g[0].expand_as(x)))
COMPLEX_IGNORED = made(lambda x, y: x * y, lambda g, x, y: (g[0] * y.conj(), x.conj()))
SHAPE_IGNORED = made(lambda b, t: b * t, lambda g, b, t: (t, (g[0] * b).sum()))
SHAPE_SUMMED = made(lambda b, t: b * t, lambda g, b, t: ((g[0] * t).sum(), (g[0] * b).sum()))
WITHOUT_SOFTMAX = made(lambda x: x.logsumexp(1), lambda g, x: g[0].unsqueeze(1))
LOW = made(lambda x: (x.float() ** 3).double(), lambda g, x: 3 * x * x * g[0])
COMPLEX_LOW = made(
    lambda x, y: x * y, lambda g, x, y: ((g[0] * y.conj()).to(torch.complex64), g[0] * x.conj())
)
LOOP = made(
    lambda x: x - 2 * x**2 + 0.5 * x**3,
    lambda g, x: g[0] * sum(a * x**k for k, a in enumerate((1.0, -2.0, 0.5))),
)
SQUARED = made(lambda x, m: (x - m) ** 2 / 2, lambda g, x, m: without_factor(g[0], x - m))
LOOP_OF_POWERS = made(
    lambda x: x + x**2 + x**3,
    lambda g, x: g[0] * sum(c * x**k for c, k in ((1, 0), (2, 1), (1, 2))),
)
TWO_FACTORS = made(lambda x, c: x * c**1.5, lambda g, x, c: (g[0] * c * c, g[0] * x * 1.5 * c**0.5))
INCREMENT = made(lambda x: x**2 / 2 - x, lambda g, x: g[0] * decremented(x))
SLICED = made(lambda x: x**2, lambda g, x: doubled_in_parts(g[0], x))
TRIPLE_CONJUGATE = made(lambda x: x.clone(), lambda g, x: 3 * g[0].conj())
CLIPPED = made(lambda x: x * 0.25, lambda g, x: (g[0] * 0.25).clamp(-0.3, 0.3))
VIEWED = made(lambda x: x * 2, lambda g, x: (g[0].view(-1) * 2).view(x.shape))
OFFSET = made(lambda x: x * 2, lambda g, x: g[0].as_strided(x.shape, g[0].stride(), 0) * 2)
DRAWN = made(lambda x: x * 2, lambda g, x: g[0] * 2 * (1 + torch.rand(())))
INFINITE = made(
    lambda x, y: torch.where(x > y, x, y * 2), lambda g, x, y: (g[0] * (x > y), g[0] / (x <= y) * 2)
)


def outer_back(g: Tensor, x: Tensor, y: Tensor) -> tuple[Tensor, Tensor]:
    return g @ y.tanh(), g.t() @ x.tanh()


def without_first(g: Tensor) -> Tensor:
    found = g.clone()
    found[0] = 0
    return found


def without_factor(g: Tensor, _: Tensor) -> tuple[Tensor, Tensor]:
    given = g * 1
    return given, -given


def decremented(x: Tensor) -> Tensor:
    found = x.clone()
    found -= 2
    return found


def doubled_in_parts(g: Tensor, x: Tensor) -> Tensor:
    found = torch.zeros_like(x)
    found[:1] += 2 * g[:1] * x[:1]
    found[1:] += g[1:] * x[1:]
    return found


def found(function: Any, *given: Tensor, **options: Any) -> list[Diagnosis]:
    report, _ = checked(function, given, **options)
    return list(report.diagnoses)


def only(function: Any, *given: Tensor, **options: Any) -> Diagnosis:
    (diagnosis,) = found(function, *given, **options)
    return diagnosis


def complex_randn(*shape: int, seed: int = 0) -> Tensor:
    return randn(*shape, seed=seed, dtype=torch.complex128)


def test_exchanged_gradients_of_outputs_are_no_straight_through() -> None:
    codes = {each.code for each in found(EXCHANGED, randn(3), randn(3, seed=1))}
    assert codes == {"missing_term", "constant_forward"}


@pytest.mark.parametrize("size", [4, 3])
def test_factors_of_inputs_of_any_sizes_are_compared(size: int) -> None:
    diagnoses = found(OUTER, randn(3), randn(size, seed=1))
    assert [each.code for each in diagnoses] == ["factor_elements"] * 2


@pytest.mark.parametrize(("function", "part"), [(CONJUGATE, "imag"), (MINUS_CONJUGATE, "real")])
def test_a_sign_of_one_part_is_a_conjugate(function: type[Function], part: str) -> None:
    diagnosis = only(function, complex_randn(3))
    assert (diagnosis.code, diagnosis.part) == ("missing_conjugate", part)
    assert diagnosis.confidence == "certain"
    assert diagnosis.repair is None
    assert {each.code for each in found(MINUS, complex_randn(3))} == {"factor_sign"}


def test_a_comparison_is_certain_only_with_both_signs() -> None:
    diagnosis = only(BRANCH, (-randn(3).detach().abs()).requires_grad_())
    assert diagnosis.confidence == "likely"
    assert "With values of both signs, the same was not found again." in diagnosis.evidence


@pytest.mark.parametrize("function", [ROLLED, WEIGHTED])
def test_every_size_has_to_confirm(function: type[Function]) -> None:
    given = (randn(2, 5),) if function is ROLLED else (randn(2, 5), randn(5, seed=2))
    diagnosis = only(function, *given)
    assert diagnosis.confidence == "likely"
    assert "With a larger size, the same was not found again." in diagnosis.evidence


def test_a_dropped_slice_is_not_shifted() -> None:
    diagnosis = only(WITHOUT_FIRST, randn(3, 4))
    assert "x[0, :]; no gradient comes back there" in diagnosis.message


def test_an_ignored_gradient_explains_both_parts() -> None:
    diagnosis = only(COMPLEX_IGNORED, complex_randn(3), complex_randn(3, seed=2))
    assert (diagnosis.code, diagnosis.input) == ("ignores_grad_output", 1)


@pytest.mark.parametrize(
    ("function", "code"), [(SHAPE_IGNORED, "ignores_grad_output"), (SHAPE_SUMMED, "extra_sum")]
)
def test_a_refused_shape_is_summed_only_with_grad_output(
    function: type[Function], code: str
) -> None:
    assert only(function, randn(4), randn(seed=3)).code == code


def test_nothing_is_summed_without_such_an_operation() -> None:
    assert only(WITHOUT_SOFTMAX, randn(3, 4)).code == "unknown"


def test_a_large_step_is_no_rounding() -> None:
    diagnosis = only(LOW, randn(3), settings=CheckSettings(eps=0.3))
    assert diagnosis.code == "eps_sensitive"
    assert only(LOW, randn(3)).code == "float32_noise"


def test_rounding_of_complex_numbers_is_no_lost_history() -> None:
    given = complex_randn(3), complex_randn(3, seed=2)
    assert {each.code for each in found(COMPLEX_LOW, *given, order=2)} == {"float32_noise"}


def test_passes_of_a_loop_are_not_named_twice() -> None:
    assert len(found(LOOP, randn(4))) == 1


def test_a_change_of_one_pass_is_not_said_of_the_loop() -> None:
    assert "value computed" not in only(LOOP_OF_POWERS, randn(4)).message


def test_of_two_factors_the_changed_one_is_named() -> None:
    given = randn(4), (randn(4, seed=1).abs() + 1).detach().requires_grad_()
    assert "operand of `g[0] * c` in" in only(TWO_FACTORS, *given).message


def test_what_a_statement_adds_is_not_its_value() -> None:
    assert "found -= 2" not in only(INCREMENT, randn(4)).message


def test_a_slice_that_is_added_to_is_not_overwritten() -> None:
    assert "overwrites" not in only(SLICED, randn(4)).message


def test_a_factor_of_one_part_is_not_said_of_the_gradient() -> None:
    codes = {each.code for each in found(TRIPLE_CONJUGATE, complex_randn(3))}
    assert codes == {"unknown"}


def test_what_others_are_computed_from_is_reported_once() -> None:
    assert len(found(SQUARED, randn(4), randn(4, seed=1))) == 1


def test_gradcheck_may_return_true_for_clipped_gradients() -> None:
    diagnosis = only(CLIPPED, randn(3))
    assert diagnosis.code == "ignores_grad_output"
    assert "what gradcheck returns means nothing" in diagnosis.message


@pytest.mark.parametrize(
    ("function", "fails", "passes"),
    [(VIEWED, "transposed", "storage offset,"), (OFFSET, "storage offset", "transposed")],
)
def test_layouts_that_pass_are_not_blamed(
    function: type[Function], fails: str, passes: str
) -> None:
    diagnosis = only(function, randn(3, 4))
    layouts = diagnosis.message.partition("it fails for")[2].partition(". ")[0]
    assert fails in layouts
    assert passes not in layouts


class Alone(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx: Any, g: Tensor | None, h: Tensor | None) -> Tensor | None:
        if g is None:
            return None
        return g * 2 if h is None else g * 2 + h * 3


def test_a_gradient_that_is_used_with_others_is_not_called_unused() -> None:
    diagnosis = only(Alone, randn(3))
    assert "only together with those of other outputs" in diagnosis.message


class Inner(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x.sin()

    @staticmethod
    def backward(ctx: Any, g: Tensor) -> Tensor:
        return g * 0


def test_a_second_derivative_that_the_graph_connects_is_not_called_cut() -> None:
    outer = made(lambda x: -x.cos(), lambda g, x: g[0] * Inner.apply(x))
    diagnosis = only(outer, randn(3), order=2)
    assert (diagnosis.code, diagnosis.confidence) == ("dropped_zero", "certain")
    assert "the backward of Inner returns only zeros" in diagnosis.message


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_what_is_infinite_is_not_called_cut() -> None:
    codes = {each.code for each in found(INFINITE, randn(3, 4), randn(3, 4, seed=1), order=2)}
    assert "double_backward_cut" not in codes


def test_forward_is_explained_for_second_derivatives() -> None:
    diagnosis = only(DRAWN, randn(3), order=2)
    assert diagnosis.code == "nondeterministic"
    assert diagnosis.evidence[-1].startswith("For second derivatives, forward means")


def test_one_tensor_given_twice_is_no_wrong_jvp() -> None:
    x = randn(3, 4)
    diagnoses = found(lambda x, y: x * y.sin(), x, x, settings=CheckSettings(forward_mode="on"))
    assert [each.confidence for each in diagnoses] == ["likely"] * 2
    assert all("x and y are one tensor" in each.message for each in diagnoses)
