"""Messages about missing, cut and dropped gradients: the place and the evidence."""

from __future__ import annotations

import inspect
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.model.check_settings import CheckSettings
from gradviz.model.diagnosis import Diagnosis
from tests.checks.broken import dropped_gradients, ignored_grad_output, missing_terms, wrong_indices
from tests.checks.sample_functions import checked, randn


def only(function: Any, *arguments: Any) -> Diagnosis:
    report, _ = checked(function, arguments)
    (diagnosis,) = report.diagnoses
    return diagnosis


def line_of(thing: Any, text: str) -> str:
    """The line of a text in the source of a function or class, as messages show it."""
    lines, first = inspect.getsourcelines(thing)
    (number,) = [first + k for k, line in enumerate(lines) if text in line]
    return f"line {number}"


def test_a_missing_term_has_its_line_and_no_repair() -> None:
    diagnosis = only(missing_terms.Quotient, randn(3, 4))
    assert diagnosis.confidence == "certain"
    assert line_of(missing_terms.Quotient, "return x / (1 + x * x)") in diagnosis.message
    # Its values could only come from the numerical Jacobian itself.
    assert diagnosis.repair is None


def test_several_missing_terms_are_named_together() -> None:
    diagnosis = only(missing_terms.LayerNorm, randn(3, 4), randn(4, seed=1))
    assert line_of(missing_terms.LayerNorm, "mean = x.mean") in diagnosis.message
    assert line_of(missing_terms.LayerNorm, "rstd = (x.var") in diagnosis.message
    assert diagnosis.input == 0


def test_a_cut_has_its_line_and_a_repair() -> None:
    diagnosis = only(dropped_gradients.denominator_detached, randn(2, 4))
    line = line_of(dropped_gradients.denominator_detached, ".detach()")
    assert diagnosis.evidence[0] == f".detach() in dropped_gradients.py, {line} cuts the graph."
    assert diagnosis.repair is not None
    assert diagnosis.repair.wrong == 0


def test_no_grad_has_its_line() -> None:
    diagnosis = only(dropped_gradients.without_grad, randn(2, 3), randn(2, 3, seed=1))
    line = line_of(dropped_gradients.without_grad, "with torch.no_grad()")
    assert f"torch.no_grad() in dropped_gradients.py, {line} cuts the graph." in diagnosis.evidence


def test_numbers_that_leave_torch_have_their_line() -> None:
    diagnosis = only(dropped_gradients.norm_by_item, randn(4))
    line = line_of(dropped_gradients.norm_by_item, ".item()")
    assert (
        diagnosis.evidence[0]
        == f".item() in dropped_gradients.py, {line} takes values out of torch."
    )
    assert diagnosis.confidence == "likely"


def test_the_function_that_drops_is_named() -> None:
    def around(x: Tensor, w: Tensor) -> Tensor:
        made: Tensor = dropped_gradients.NoneForWeight.apply(x.sin(), w.exp())
        return made * 2

    diagnosis = only(around, randn(2, 3), randn(3, 4, seed=1))
    assert (diagnosis.code, diagnosis.input) == ("dropped_none", 1)
    assert "backward of NoneForWeight returns None" in diagnosis.message


def test_what_comes_back_for_zeros_is_reported() -> None:
    diagnosis = only(ignored_grad_output.Ones, randn(3))
    assert "whatever grad_output is" in diagnosis.message
    assert diagnosis.evidence[0] == "For a grad_output of zeros, it returns values up to 1."
    assert "not linear" in only(ignored_grad_output.Sign, randn(3)).message


def test_a_check_without_battery_looks_at_what_gradcheck_sees() -> None:
    report, _ = checked(
        ignored_grad_output.Sign, (randn(3),), settings=CheckSettings(battery=False)
    )
    assert [each.code for each in report.diagnoses] == ["none"]


def test_indices_are_named() -> None:
    assert (
        "x[:, -1]; no gradient comes back there"
        in only(wrong_indices.LastColumn, randn(3, 4)).message
    )
    assert "where x is negative" in only(wrong_indices.ReluWithoutMask, randn(3, 4)).message
    assert "w[0, :]" in only(wrong_indices.FirstRowTwice, randn(2, 3), randn(3, 4, seed=1)).message
    mask = torch.tensor([[0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 0, 1]]).bool()
    assert "where mask is" in only(wrong_indices.MaskedFill, randn(3, 4), mask).message


class Counts(Function):
    """Right, and counts how often it is called; the class has no ``apply`` of its own."""

    calls = 0

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        Counts.calls += 1
        ctx.save_for_backward(x)
        return x * x.sin()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        (x,) = ctx.saved_tensors
        return gradients[0] * x.sin()


def test_what_was_replaced_is_put_back() -> None:
    def around(x: Tensor) -> Tensor:
        made: Tensor = Counts.apply(x * 2)
        return made

    before = torch.get_rng_state()
    assert only(around, randn(3)).code == "missing_term"
    assert "apply" not in vars(Counts)
    assert Counts.apply == vars(Function)["apply"].__get__(None, Counts)
    assert torch.equal(torch.get_rng_state(), before)
