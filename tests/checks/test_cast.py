"""Low precision: cast to float64 on request, or report the actual numbers."""

from __future__ import annotations

import pytest
import torch
from msgspec.structs import replace
from torch import Tensor, nn

import gradviz
from gradviz.cli.check import INCONCLUSIVE, exit_code
from gradviz.export.check.verdict import next_check_sentences, verdict_words
from gradviz.model.check_settings import CheckSettings
from tests.checks import sample_functions
from tests.checks.sample_functions import checked, codes, randn, verdict_of_torch

CAST = CheckSettings(cast=True)
LOW = {
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.float32: torch.float64,
    torch.complex64: torch.complex128,
}


def low(tensor: Tensor, dtype: torch.dtype) -> Tensor:
    return tensor.detach().to(dtype).requires_grad_()


def name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")


def picked(x: Tensor, index: Tensor, flag: bool) -> Tensor:
    assert (index.dtype, flag) == (torch.int32, True)
    return x.sin()[index.long()]


@pytest.mark.parametrize("dtype", LOW)
def test_inputs_are_cast_and_integers_are_not(dtype: torch.dtype) -> None:
    x, index = low(randn(4), dtype), torch.tensor([0, 2], dtype=torch.int32)
    before = x.detach().clone()
    report, _ = checked(picked, (x, index, True), settings=CAST)
    wide = (x.detach().to(LOW[dtype]).requires_grad_(), index, True)
    assert report.verdict == verdict_of_torch(picked, wide) == "match"
    assert (report.cast_from, report.dtype, codes(report)) == (name(dtype), name(LOW[dtype]), [])
    assert (x.dtype, torch.equal(x, before), x.grad) == (dtype, True, None)


def test_float8_in_which_torch_computes_nothing_is_cast() -> None:
    x = low(randn(3), torch.float8_e4m3fn)
    with pytest.raises(NotImplementedError):
        x.sin()
    report, _ = checked(torch.sin, (x,), settings=AUTO)
    assert (report.verdict, report.cast_from) == ("match", "float8_e4m3fn")


def test_without_the_wish_nothing_is_cast() -> None:
    report, _ = checked(torch.sin, (low(randn(4), torch.float32),))
    assert (report.cast_from, report.dtype) == ("", "float32")


AUTO = CheckSettings(auto_cast=True)


def with_a_table(x: Tensor) -> Tensor:
    """Runs in float32 only, because of its constant."""
    return (x * x) @ torch.linspace(0.0, 1.0, 16).reshape(4, 4)


@pytest.mark.parametrize("dtype", LOW)
def test_inputs_that_allow_float64_are_cast_automatically_with_a_note(dtype: torch.dtype) -> None:
    x = low(randn(4), dtype)
    report, _ = checked(torch.sin, (x,), settings=AUTO)
    assert (report.verdict, report.cast_from, x.dtype) == ("match", name(dtype), dtype)
    (hint,) = report.problems
    assert (hint.code, hint.decides) == ("cast", False)
    assert f"cast from {name(dtype)} to full precision" in hint.message
    wrong, _ = checked(sample_functions.Scale, (x, 2.0, 2.1), settings=AUTO)
    assert wrong.verdict == "mismatch"


@pytest.mark.parametrize("seed", range(3))
def test_what_runs_in_float32_only_is_inconclusive_if_rounding_explains_it(seed: int) -> None:
    x = low(randn(2, 4, seed=seed), torch.float32)
    report, _ = checked(with_a_table, (x,), settings=AUTO)
    assert (report.verdict, report.passed, report.cast_from) == ("inconclusive", False, "")
    assert verdict_words(report).startswith("inconclusive in float32: the Jacobians differ")
    assert exit_code(report) == INCONCLUSIVE == 3

    def wrong(x: Tensor) -> Tensor:
        return with_a_table(sample_functions.Scale.apply(x, 2.0, 2.5))

    assert checked(wrong, (x,), settings=AUTO)[0].verdict == "mismatch"


def test_inner_float32_is_inconclusive_too() -> None:
    report, _ = checked(lambda x: x.float().sin().double(), (randn(4),))
    assert report.verdict == "inconclusive"
    assert verdict_words(report).startswith("inconclusive in low precision:")


class HalfOnly(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        if x.dtype != torch.bfloat16:
            raise TypeError("bfloat16 only")
        ctx.save_for_backward(x)
        ctx.factor = factor
        return x * x

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * ctx.factor * x, None


def test_what_runs_in_half_precision_only_is_not_taken_for_rounding_itself() -> None:
    x = torch.tensor([0.1, 0.2], dtype=torch.bfloat16, requires_grad=True)
    report, _ = checked(HalfOnly, (x, 2.0), settings=AUTO)
    assert (report.verdict, exit_code(report)) == ("inconclusive", 3)
    (diagnosis,) = report.diagnoses
    assert (diagnosis.code, diagnosis.confidence) == ("float32_noise", "likely")
    assert "where rounding errors alone may reach" in diagnosis.evidence[0]
    assert next_check_sentences(report) == ()
    wrong, _ = checked(HalfOnly, (x, 3.0), settings=AUTO)
    assert wrong.verdict == "mismatch"
    # The step is lost in bfloat16, which says nothing about forward.
    assert not {each.code for each in wrong.diagnoses} & {"straight_through", "constant_forward"}
    assert not any("the derivative is 0" in each for each in wrong.diagnoses[0].evidence)


def test_a_step_that_suits_float32_needs_no_cast() -> None:
    honest = replace(AUTO.for_dtype("float32"), auto_cast=True)
    report, _ = checked(torch.sin, (low(randn(4), torch.float32),), settings=honest)
    assert (report.verdict, report.dtype) == ("match", "float32")


def test_what_is_double_already_is_the_same() -> None:
    x = randn(4)
    report, sink = checked(torch.sin, (x,), settings=CAST)
    plain, plain_sink = checked(torch.sin, (x,))
    assert (report.cast_from, sink.values) == ("", plain_sink.values)
    assert report.verdict == plain.verdict


@pytest.mark.parametrize("dtype", [torch.float32, torch.complex64])
def test_honest_numbers_agree_with_the_right_and_not_with_the_wrong(dtype: torch.dtype) -> None:
    honest = CheckSettings().for_dtype(name(dtype))
    for seed in range(5):
        x = low(randn(4, 3, seed=seed), dtype)
        for right in (torch.sin, torch.exp, lambda x: x @ x.mT, lambda x: (x * x).sum(0)):
            assert checked(right, (x,), settings=honest)[0].verdict == "match"
        wrong, _ = checked(sample_functions.Scale, (x, 2.0, 2.1), settings=honest)
        assert wrong.verdict == "mismatch"


def test_half_precision_has_no_honest_numbers_but_the_cast() -> None:
    for dtype in ("float16", "bfloat16", "float8_e5m2"):
        assert CheckSettings().for_dtype(dtype) == CAST
    assert CheckSettings(atol=1e-7).for_dtype("float64") == CheckSettings(atol=1e-7)


def test_the_hint_names_the_numbers() -> None:
    report, _ = checked(torch.sin, (low(randn(3), torch.float32),), names=["x"])
    (hint,) = report.problems
    assert hint.message == (
        "x is float32: a step of eps=1e-06 mostly measures rounding error. Cast it to "
        "float64, or check with eps=0.005, atol=0.001, and rtol=0.01."
    )
    report, _ = checked(torch.sin, (low(randn(3), torch.float16),))
    assert (
        "Cast it to float64, since no step size works well in half precision."
    ) in report.problems[0].message


def single_only(x: Tensor) -> Tensor:
    if x.dtype != torch.float32:
        raise TypeError("float32 only")
    return x * 2


def test_a_function_that_refuses_the_cast_is_distinguished_from_one_that_is_broken() -> None:
    x = low(randn(3), torch.float32)
    report, _ = checked(single_only, (x,), settings=CAST)
    assert (report.verdict, codes(report)) == ("error", ["raised", "cast_refused"])
    assert report.problems[1].message == (
        "The function runs in float32, but fails when its inputs are cast to float64. "
        "Check it without the cast, using eps=0.005, atol=0.001, and rtol=0.01."
    )
    broken, _ = checked(sample_functions.Raises, (x, "forward"), settings=CAST)
    assert codes(broken) == ["raised"]


def test_a_cast_that_the_function_refuses_is_not_suggested() -> None:
    result = gradviz.check(single_only, low(randn(3), torch.float32), variations=False)
    assert [each.code for each in result.problems] == ["cast_refused"]
    assert "--cast" not in str(result)


def test_a_module_is_cast_with_its_parameters_and_stays_as_it_is() -> None:
    module = nn.Linear(3, 2)
    report, _ = checked(module, (low(randn(4, 3), torch.float32),), settings=CAST)
    assert (report.verdict, report.cast_from) == ("match", "float32")
    assert module.weight.dtype == torch.float32


def test_second_order_agrees_too() -> None:
    report, _ = checked(torch.sin, (low(randn(3), torch.float32),), settings=CAST, order=2)
    assert (report.verdict, report.cast_from, report.dtype) == ("match", "float32", "float64")
