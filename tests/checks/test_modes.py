"""Forward mode, batched gradients and fast mode: gradcheck's verdict and extra details."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
import torch
from _pytest.mark import ParameterSet
from torch import Tensor
from torch.autograd import Function

from gradviz.export.check.verdict import verdict_words
from gradviz.model.check_settings import CheckSettings
from tests.checks import sample_functions
from tests.checks.broken.corpus import made
from tests.checks.gradgradcheck_verdict import checked_twice, verdict_twice
from tests.checks.sample_functions import (
    as_gradcheck,
    assert_same_bits,
    checked,
    codes,
    inside,
    randn,
    verdict_of_torch,
)
from tests.checks.test_gradcheck_agreement import JUDGED, WORKS
from tests.sweeps import paired

# The first use of forward mode makes torch compile something, of which it warns.
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),  # The same, after torch 2.13.
]

FORWARD = CheckSettings(forward_mode="on")
BATCHED = CheckSettings(batched=True)
FAST = CheckSettings(fast=True)
FAST_FORWARD = CheckSettings(fast=True, forward_mode="on")
EVERY = {
    "forward": FORWARD,
    "batched": BATCHED,
    "fast": FAST,
    "fast forward": FAST_FORWARD,
    "batched forward": CheckSettings(forward_mode="on", batched_forward=True),
    "only defined": CheckSettings(undefined=False),
    "forward alone": CheckSettings(forward_mode="on", backward_mode=False, undefined=False),
    "fast forward alone": CheckSettings(
        forward_mode="on", backward_mode=False, undefined=False, fast=True
    ),
    "forward alone, all": CheckSettings(
        forward_mode="on", backward_mode=False, batched_forward=True
    ),
}


class Both(Function):
    """``sin(x) y`` and the sum of ``x y``, with a tangent that is multiplied by a number."""

    @staticmethod
    def forward(x: Tensor, y: Tensor, factor: float = 1.0) -> tuple[Tensor, Tensor]:
        return x.sin() * y, (x * y).sum()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        x, y, ctx.factor = inputs
        ctx.save_for_backward(x, y)
        ctx.save_for_forward(x, y)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, y = ctx.saved_tensors
        first, second = gradients
        of_x = first * (y * x.cos()).conj() + second * y.conj()
        return of_x, first * x.sin().conj() + second * x.conj(), None

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        x, y = ctx.saved_tensors
        of_x, of_y, _ = tangents
        return (
            ctx.factor * (of_x * x.cos() * y + of_y * x.sin()),
            (of_x * y + of_y * x).sum(),
        )


class Tangent(Function):
    """``2 x`` with the given tangent."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor, tangent: Callable[[Tensor, Tensor], Any]) -> Tensor:
        ctx.tangent = tangent
        ctx.set_materialize_grads(False)
        return x * 2 + y

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (arriving,) = gradients
        return (None,) * 3 if arriving is None else (arriving * 2, arriving, None)

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        return ctx.tangent(tangents[0], tangents[1])


def tangents_right(x: Tensor | None, y: Tensor | None) -> Any:
    if x is None or y is None:
        return y if x is None else x * 2
    return x * 2 + y


def tangents_undefined_wrong(x: Tensor | None, y: Tensor | None) -> Any:
    return torch.ones(3, dtype=torch.float64) if x is None or y is None else x * 2 + y


def tangents_raising(x: Tensor | None, y: Tensor | None) -> Any:
    raise ValueError("jvp is broken")


def pair(dtype: torch.dtype = torch.float64) -> tuple[Tensor, Tensor]:
    return randn(2, 3, dtype=dtype), randn(2, 3, dtype=dtype, seed=1)


OURS_ALONE = {
    # Gradcheck takes the tangent of the output without a gradient for that of the one that has one.
    ("one output detached", mode)
    for mode in ("forward", "batched forward", "forward alone", "forward alone, all")
}

TANGENTS = (tangents_right, tangents_undefined_wrong, tangents_raising)


def but_ours_alone(names: Iterable[str]) -> list[ParameterSet]:
    every = paired(list(names), list(EVERY))
    return [each for each in every if each.values not in OURS_ALONE]


@pytest.mark.parametrize(("name", "mode"), but_ours_alone(WORKS))
def test_functions_of_every_form(name: str, mode: str) -> None:
    function, arguments = WORKS[name][0], WORKS[name][1]()
    report, _ = checked(function, arguments, settings=EVERY[mode])
    assert as_gradcheck(report.verdict) == verdict_of_torch(function, arguments, EVERY[mode])


@pytest.mark.parametrize(("name", "mode"), but_ours_alone(JUDGED))
def test_the_verdict_is_gradchecks(name: str, mode: str) -> None:
    function, arguments = JUDGED[name]
    report, _ = checked(function, arguments(), settings=EVERY[mode])
    assert report.verdict == verdict_of_torch(function, arguments(), EVERY[mode])


@pytest.mark.parametrize(
    ("dtype", "factor", "mode"), paired([torch.float64, torch.complex128], [1.0, 2.0], list(EVERY))
)
def test_both_orders_of_a_function_with_a_jvp(dtype: torch.dtype, factor: float, mode: str) -> None:
    given, settings = (*pair(dtype), factor), EVERY[mode]
    report, _ = checked(Both, given, settings=settings)
    assert report.verdict == verdict_of_torch(Both.apply, given, settings)
    twice, _ = checked_twice(Both, given, settings=settings)
    assert twice.verdict == verdict_twice(Both.apply, given, settings)


@pytest.mark.parametrize("settings", [FORWARD, FAST_FORWARD], ids=["full", "fast"])
@pytest.mark.parametrize("tangent", TANGENTS)
def test_forward_mode_is_judged_as_gradcheck_does(tangent: Any, settings: CheckSettings) -> None:
    given = (randn(3), randn(3, seed=1), tangent)
    report, _ = checked(Tangent, given, settings=settings)
    assert report.verdict == verdict_of_torch(Tangent.apply, given, settings)
    assert (report.verdict == "match") == (tangent is tangents_right)
    assert report.passed == (tangent is tangents_right)


def test_a_missing_tangent_is_not_called_a_wrong_jacobian() -> None:
    given = (randn(3), randn(3, seed=1), tangents_undefined_wrong)
    words = "the Jacobians match, but forward mode breaks a rule"
    assert verdict_words(checked(Tangent, given, settings=FORWARD)[0]) == words


def test_forward_matrices_are_gradchecks_bit_for_bit() -> None:
    given = pair()
    report, sink = checked(Both, given, settings=FORWARD)
    outputs = Both.apply(*given)
    expected = inside("_get_analytical_jacobian_forward_ad")(Both.apply, given, outputs)
    for block in report.blocks:
        assert block.forward is not None
        assert_same_bits(sink.tensor(block.forward), expected[block.input][block.output])
    assert (len(report.blocks), report.forward_mode) == (4, True)


def test_complex_matrices_have_the_convention_of_the_numerical_ones() -> None:
    report, sink = checked(Both, pair(torch.complex128), settings=FORWARD)
    assert {(block.part, block.forward_wrong) for block in report.blocks} == {
        ("imag", 0),
        ("real", 0),
    }
    for block in report.blocks:
        assert block.forward is not None
        numerical, forward = sink.tensor(block.numerical), sink.tensor(block.forward)
        torch.testing.assert_close(forward, numerical, atol=1e-7, rtol=1e-7)


def test_a_wrong_jvp_alone_is_reported_and_does_not_decide() -> None:
    given = (*pair(), 2.0)
    report, _ = checked(Both, given)
    assert report.verdict == verdict_of_torch(Both.apply, given) == "match"
    assert (report.forward_mode, report.passed) == (True, False)
    assert [block.forward_wrong for block in report.blocks] == [6, 6, 0, 0]
    assert not any(each.decides for each in report.problems)
    assert set(codes(report)) == {"forward_mode"}
    places = [(each.code, each.output, each.input) for each in report.diagnoses]
    assert places == [("wrong_jvp", 0, 0), ("wrong_jvp", 0, 1)]
    assert report.diagnoses[0].message == (
        "Forward mode (jvp) gives wrong derivatives of output 0 with respect to x, but "
        "backward is correct. Check jvp."
    )


def test_by_itself_a_right_jvp_passes_and_without_one_nothing_is_compared() -> None:
    report, _ = checked(Both, (*pair(), 1.0))
    assert (report.forward_mode, report.passed, codes(report)) == (True, True, [])
    without, _ = checked(sample_functions.Scale, (randn(3), 2.0, 2.0))
    assert (without.forward_mode, without.blocks[0].forward) == (False, None)
    off, _ = checked(Both, (*pair(), 2.0), settings=CheckSettings(forward_mode="off"))
    assert (off.forward_mode, off.passed) == (False, True)


def test_by_itself_a_jvp_that_raises_is_reported() -> None:
    report, _ = checked(Tangent, (randn(3), randn(3, seed=1), tangents_raising))
    assert (report.verdict, report.passed) == ("match", False)
    assert "jvp is broken" in report.diagnoses[0].message


class ReadsData(Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0].data * 2


READS_ITEM = made(lambda x: x * 2, lambda g, x: g[0] * (g[0].sum().item() * 0 + 2))


def test_a_backward_that_vmap_cannot_run_is_reported() -> None:
    report, _ = checked(READS_ITEM, (randn(3),), settings=BATCHED)
    assert report.verdict == verdict_of_torch(READS_ITEM.apply, (randn(3),), BATCHED) == "mismatch"
    assert (report.batched, codes(report)) == (True, ["batched_gradient"])
    assert report.problems[0].message.startswith("vmap over backward from output raised Runtime")
    assert report.diagnoses[-1].code == "wrong_vmap"


def test_a_backward_that_would_crash_under_vmap_is_not_tried() -> None:
    """Gradcheck itself ends the interpreter with a segmentation fault here."""
    report, _ = checked(ReadsData, (randn(3),), settings=BATCHED)
    assert (report.verdict, codes(report)[0]) == ("error", "batched_gradient")
    assert "reads .data of a gradient" in report.problems[0].message
    assert checked(ReadsData, (randn(3),))[0].verdict == "match"


class JvpReadsItem(Function):
    """``x y``; its backward may be wrong by a factor, and its tangent not be computed by vmap."""

    @staticmethod
    def forward(x: Tensor, y: Tensor, reads: bool, factor: float) -> Tensor:
        return x * y

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        x, y, ctx.reads, ctx.factor = inputs
        ctx.save_for_backward(x, y)
        ctx.save_for_forward(x, y)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        x, y = ctx.saved_tensors
        return gradients[0] * y * ctx.factor, gradients[0] * x, None, None

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        x, y = ctx.saved_tensors
        of_x, of_y = tangents[:2]
        found = of_x * y + of_y * x
        return found + found.sum().item() * 0 if ctx.reads else found


@pytest.mark.parametrize("reads", [False, True])
def test_a_jvp_that_vmap_cannot_run_is_reported(reads: bool) -> None:
    given, settings = (*pair(), reads, 1.0), EVERY["batched forward"]
    report, _ = checked(JvpReadsItem, given, settings=settings)
    assert report.verdict == verdict_of_torch(JvpReadsItem.apply, given, settings)
    assert report.verdict == ("mismatch" if reads else "match")
    assert report.diagnoses[0].code == ("wrong_batched_jvp" if reads else "none")
    if reads:
        assert "vmap over forward mode (jvp) with respect to x raised" in report.problems[0].message
        assert verdict_words(report) == (
            "the Jacobians match, but vmap over forward mode gives a different result"
        )


@pytest.mark.parametrize("fast", [False, True])
def test_forward_mode_alone_does_not_look_at_backward(fast: bool) -> None:
    given = (*pair(), False, 2.0)
    settings = CheckSettings(forward_mode="on", backward_mode=False, fast=fast)
    report, sink = checked(JvpReadsItem, given, settings=settings)
    assert checked(JvpReadsItem, given)[0].verdict == "mismatch"
    assert (report.verdict, report.passed) == ("match", True)
    assert report.problems[0].message == (
        "As requested, backward was not compared: the analytical Jacobians are those of forward "
        "mode (jvp)."
    )
    outputs = JvpReadsItem.apply(*given)
    expected = inside("_get_analytical_jacobian_forward_ad")(JvpReadsItem.apply, given, (outputs,))
    assert len(report.blocks) == (0 if fast else 2)
    for block in report.blocks:
        assert_same_bits(sink.tensor(block.analytical), expected[block.input][block.output])


def test_forward_mode_alone_names_a_wrong_jvp() -> None:
    settings = CheckSettings(forward_mode="on", backward_mode=False)
    report, _ = checked(Both, (*pair(), 2.0), settings=settings)
    assert report.verdict == verdict_of_torch(Both.apply, (*pair(), 2.0), settings) == "mismatch"
    assert [(each.code, each.output, each.input) for each in report.diagnoses] == [
        ("wrong_jvp", 0, 0),
        ("wrong_jvp", 0, 1),
    ]
    assert report.diagnoses[0].message == (
        "Forward mode (jvp) gives wrong derivatives of output 0 with respect to x. Check jvp."
    )


def test_without_undefined_gradients_none_is_tried() -> None:
    given, settings = (randn(3), "ones"), CheckSettings(undefined=False)
    function = sample_functions.Unmaterialized
    report, _ = checked(function, given, settings=settings)
    assert report.verdict == verdict_of_torch(function.apply, given, settings) == "match"
    assert report.passed
    assert checked(function, given)[0].verdict == "mismatch"


class AsksForContiguous(Function):
    """``x^3``, for incoming gradients that are contiguous."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        if not gradients[0].is_contiguous():
            raise RuntimeError("not contiguous")
        return gradients[0] * 3 * x**2


@pytest.mark.parametrize("function", [torch.sin, AsksForContiguous.apply])
def test_incoming_gradients_that_are_not_contiguous(function: Any) -> None:
    given, settings = (randn(2, 3),), CheckSettings(noncontiguous=True)
    report, _ = checked_twice(function, given, settings=settings)
    assert report.verdict == verdict_twice(function, given, settings)
    assert report.verdict == ("match" if function is torch.sin else "error")
    assert "the incoming gradients are not contiguous" in report.problems[0].message
    assert checked_twice(function, given)[0].verdict == verdict_twice(function, given) == "match"


def test_options_that_contradict_each_other_are_refused() -> None:
    wrong = (
        (CheckSettings(batched_forward=True), "batched_forward needs forward_mode"),
        (CheckSettings(backward_mode=False), "Without backward_mode, forward_mode must be on"),
        (
            CheckSettings(backward_mode=False, forward_mode="on", batched=True),
            "batched needs backward_mode",
        ),
        (
            CheckSettings(backward_mode=False, forward_mode="on", variations=True),
            "variations needs backward_mode",
        ),
    )
    for settings, sentence in wrong:
        with pytest.raises(ValueError, match=sentence):
            checked(Both, pair(), settings=settings)


class OneWrong(Function):
    """``x sin(x)`` with one element of its gradient multiplied by a number."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, factor: float, which: int) -> Tensor:
        ctx.save_for_backward(x)
        ctx.factor, ctx.which = factor, which
        return x * x.sin()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        derivative = x.sin() + x * x.cos()
        derivative[ctx.which] *= ctx.factor
        return gradients[0] * derivative, None, None


QUICK = CheckSettings(fast=True, battery=False)
FACTORS = (1.01, 1.05, 1.5, -1.0, 0.0)


@pytest.mark.parametrize(
    "seeds", [range(5), pytest.param(range(5, 20), marks=pytest.mark.sweep)], ids=str
)
@pytest.mark.parametrize("factor", FACTORS)
def test_fast_mode_names_one_wrong_element_of_128(factor: float, seeds: range) -> None:
    # Each place is wrong by one of the factors.
    for seed in seeds[FACTORS.index(factor) :: len(FACTORS)]:
        which = 3 * seed % 128
        given = (randn(128, seed=seed), factor, which)
        report, _ = checked(OneWrong, given, settings=QUICK)
        assert report.verdict == verdict_of_torch(OneWrong.apply, given, QUICK)
        (block,) = report.blocks
        assert (block.wrong, report.fast, report.passed) == (1, True, False)
        assert block.worst is not None
        assert (block.worst.row, block.worst.column) == (which, which)


def test_fast_mode_computes_no_matrix_where_nothing_is_wrong() -> None:
    for seed in range(10):
        report, sink = checked(OneWrong, (randn(128, seed=seed), 1.0, 0), settings=QUICK)
        assert (report.verdict, report.passed, report.blocks) == ("match", True, ())
        assert (report.fast, sink.values) == (True, [])
        assert report.evaluations < 40


def test_fast_mode_computes_only_what_may_be_wrong() -> None:
    given = (randn(5), randn(5, seed=1), 2.0)

    def function(left: Tensor, right: Tensor, wrong: float) -> tuple[Tensor, Tensor]:
        scaled: Tensor = sample_functions.Scale.apply(right, 2.0, wrong)
        return left * 2, scaled

    report, _ = checked(function, (*given[:2], 3.0), settings=FAST)
    assert [(block.output, block.input) for block in report.blocks] == [(1, 1)]
    assert report.verdict == verdict_of_torch(function, (*given[:2], 3.0), FAST) == "mismatch"


def test_where_gradcheck_is_wrong_itself_this_is_right() -> None:
    function, given = JUDGED["one output detached"]
    detached, _ = checked(function, given(), settings=FORWARD)
    assert (detached.verdict, [block.forward_wrong for block in detached.blocks]) == ("match", [0])


def test_sums_that_differ_of_elements_that_agree_are_reported() -> None:
    """Each element is off by less than the tolerance, with one sign: their sum is not."""
    tight = CheckSettings(fast=True, atol=1e-12, rtol=1e-4, battery=False)
    given = (randn(40), 1.0, 1.00005)
    report, _ = checked(sample_functions.Scale, given, settings=tight)
    assert report.verdict == verdict_of_torch(sample_functions.Scale.apply, given, tight)
    assert all(block.wrong == 0 for block in report.blocks)
