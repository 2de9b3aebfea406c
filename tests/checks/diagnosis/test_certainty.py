"""What a diagnosis says is confirmed by other values and sizes."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.checks.arguments import CheckSubject
from gradviz.checks.diagnosis.support.confirmation import confirmed
from gradviz.checks.diagnosis.support.rule import DiagnosisRule
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckFindings
from gradviz.checks.run.jacobian_check import check
from gradviz.checks.run.progress import (
    DiscardingSink,
    Evaluations,
    ignore_progress,
    never_cancelled,
)
from gradviz.checks.stages.sequence import run_stages
from gradviz.model.check_settings import DEFAULTS, CheckSettings
from gradviz.model.diagnosis import Diagnosis
from tests.architecture.layers import PACKAGE
from tests.checks.broken import dropped_gradients, ignored_grad_output, missing_terms, wrong_indices
from tests.checks.broken.corpus import made
from tests.checks.sample_functions import Kept, checked, randn
from tests.export.check_reports import REPORT

# No diagnosis is certain that was not found again at other values and with a larger size.


class Twice(Function):
    """Its gradient is twice what it should be; it may accept one size or few values only."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, accepts: str) -> Tensor:
        if accepts == "size 3" and x.numel() != 3:
            raise ValueError("three elements, please")
        if accepts == "values" and not bool((x.detach() < 3.001).all()):
            return x * torch.nan
        return x * 3

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0] * 6, None


def case_of(x: Tensor, accepts: str = "") -> CheckContext:
    """The case of a check, before anything is diagnosed."""
    subject = CheckSubject(function=Twice, arguments=(x, accepts), names=("x", "accepts"))
    evaluations = Evaluations(ignore_progress, never_cancelled)
    findings = CheckFindings(REPORT)
    case = CheckContext.of(subject, DEFAULTS, Kept(), evaluations, findings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("gradviz.checks.stages.sequence.run_diagnosis", lambda _case: None)
        run_stages(case)
    return case


def diagnosis(code: str = "factor_constant") -> Diagnosis:
    return Diagnosis(code=code, message="So.", output=0, input=0)


def finding(*found: Diagnosis) -> DiagnosisRule[CheckContext, Iterable[Diagnosis]]:
    return DiagnosisRule(lambda case: found, ())


VALUES, SIZE = "With other input values, the same was not", "With a larger size, the same was not"


def test_what_is_found_everywhere_is_certain() -> None:
    found = diagnosis()
    assert confirmed(found, finding(found), case_of(randn(3))) is found
    everywhere = Diagnosis(code=found.code, message="So.", output=None, input=None)
    assert confirmed(found, finding(everywhere), case_of(randn(3))) is found


@pytest.mark.parametrize(
    "elsewhere",
    [
        (),
        (diagnosis("transposed"),),
        (Diagnosis(code="factor_constant", message="", output=1, input=0),),
    ],
)
def test_what_is_not_found_again_is_likely(elsewhere: tuple[Diagnosis, ...]) -> None:
    likely = confirmed(diagnosis(), finding(*elsewhere), case_of(randn(3)))
    assert likely.confidence == "likely"
    first, second = likely.evidence
    assert first.startswith(VALUES)
    assert second.startswith(SIZE)


def test_an_investigation_that_fails_elsewhere_confirms_nothing() -> None:
    def raises(case: CheckContext) -> Iterable[Diagnosis]:
        raise ZeroDivisionError

    assert (
        confirmed(diagnosis(), DiagnosisRule(raises, ()), case_of(randn(3))).confidence == "likely"
    )


@pytest.mark.parametrize(
    ("accepts", "sentences"),
    [
        ("size 3", ["It could not be tried with a larger size."]),
        (
            "values",
            [
                "It could not be tried with other input values.",
                "It could not be tried with a larger size.",
            ],
        ),
    ],
)
def test_what_cannot_be_tried_is_likely(accepts: str, sentences: list[str]) -> None:
    found = diagnosis()
    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    likely = confirmed(found, finding(found), case_of(x, accepts))
    assert (likely.confidence, list(likely.evidence)) == ("likely", sentences)


def test_a_number_has_no_larger_size() -> None:
    found = diagnosis()
    assert confirmed(found, finding(found), case_of(randn())) is found


def test_a_likely_diagnosis_and_an_observation_stay_as_they_are() -> None:
    case = case_of(randn(3))
    likely = Diagnosis(code="transposed", message="So.", output=0, input=0, confidence="likely")
    for found in (likely, diagnosis("hidden_state"), diagnosis("kink"), diagnosis("none")):
        assert confirmed(found, finding(), case) is found


def test_nothing_goes_around_it() -> None:
    """What adds a diagnosis without `confirmed` does not infer it from one point."""
    callers = {
        str(path.relative_to(PACKAGE / "checks")): called
        for path in sorted((PACKAGE / "checks").rglob("*.py"))
        if (called := sum(_adds(node) for node in ast.walk(ast.parse(path.read_text()))))
    }
    assert callers == {
        "diagnosis/examination.py": 4,  # The conclusion (2), and what was confirmed (2).
        "diagnosis/support/confirmation.py": 1,  # While it tries.
        "reliability/cancellation.py": 1,  # Of a check with all of this.
        "run/jacobian_check.py": 1,  # A declared once_differentiable.
        "stages/full_jacobians.py": 1,  # Gradients that were seen to change without a history.
        "variations/vary.py": 1,  # What another input was seen to do.
    }


def _adds(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("indings.diagnose")


# How many extra evaluations a check needs for its diagnosis.


_FEW = 600
"""What is tried of every function, however small."""


Product = made(lambda x, weight: x @ weight, lambda g, x, weight: (g[0] @ weight.t(), x @ g[0]))
"""With a gradient of the weight that lacks a transpose."""


DOUBLED = made(lambda x: x**3, lambda g, x: 6 * g[0] * x**2)

FORGOTTEN = made(lambda x: x**3, lambda g, x: g[0].flip(0).cos() * x + g[0])
"""With an arbitrary gradient."""


def _values(*shape: int) -> Tensor:
    drawn = torch.rand(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    return (drawn + 0.5).requires_grad_()


@pytest.mark.parametrize(
    ("function", "arguments", "code", "matrices"),
    [
        (Product, (_values(16, 16), _values(16, 16)), "transposed", 6 * 256),
        (DOUBLED, (_values(900),), "factor_constant", 4 * 900),
        (DOUBLED, (_values(2100),), "factor_constant", 4 * 2100),
        (FORGOTTEN, (_values(900),), None, 4 * 900),
    ],
    ids=["product", "elements", "many elements", "unlike anything"],
)
def test_a_diagnosis_needs_a_few_times_as_many_evaluations(
    function: Any, arguments: tuple[Tensor, ...], code: str | None, matrices: int
) -> None:
    done = 0

    def count(begun: int, _expected: int) -> None:
        nonlocal done
        done = begun

    report = check(function, arguments, sink=DiscardingSink(), progress=count)

    assert report.verdict == "mismatch"
    assert code is None or report.diagnoses[0].code == code
    looks = min(3 * matrices, 8_000)
    assert done <= matrices + looks + _FEW


# Messages about missing, cut and dropped gradients: the place and the evidence.


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


# A mistake that several inputs share is reported once and names all of them.


def lost_column(g: Any, a: Tensor, b: Tensor) -> Any:
    d = g[0].clone()
    d[:, -1] = 0
    return d * b, d * a


def lost_columns(g: Any, a: Tensor, b: Tensor) -> Any:
    grad_a, grad_b = g[0] * b, g[0] * a
    grad_a[:, -1], grad_b[:, 0] = 0, 0
    return grad_a, grad_b


def no_slope(g: Any, a: Tensor, b: Tensor) -> Any:
    return g[0] @ b.t(), a.t() @ g[0]


@pytest.mark.parametrize(
    ("function", "diagnosis"),
    [
        (
            made(lambda a, b: a * b, lost_column),
            "a[:, -1] and b[:, -1]",
        ),
        (
            made(lambda a, b: a + b, lambda g, a, b: (g[0].t(), g[0].t())),
            "The gradient of a and b is returned transposed",
        ),
        (
            made(lambda a, b: (a @ b).tanh(), no_slope),
            "multiply the gradient of output by (1 - output**2)",
        ),
    ],
    ids=["indices", "transposed", "slope"],
)
def test_it_is_reported_once(function: type[torch.autograd.Function], diagnosis: str) -> None:
    given = [0.5 * randn(3, 3, seed=seed).detach() for seed in (0, 1)]
    report, _ = checked(function, tuple(each.requires_grad_() for each in given))
    (found,) = report.diagnoses
    assert (found.output, found.input) == (0, None)
    assert diagnosis in found.message


def test_different_mistakes_are_not_put_together() -> None:
    report, _ = checked(made(lambda a, b: a * b, lost_columns), (randn(3, 4), randn(3, 4, seed=1)))
    assert [each.input for each in report.diagnoses] == [0, 1]
    assert "a[:, -1]" in report.diagnoses[0].message
    assert "b[:, 0]" in report.diagnoses[1].message


# A gradient that is wrong for certain values is claimed only with enough values.


LEAKY_TWICE = made(
    lambda x: torch.where(x > 0, x, 0.25 * x) * x, lambda g, x: g[0] * torch.where(x > 0, 2 * x, x)
)
"""The slope of negative values is twice what it should be."""


@pytest.mark.parametrize(("repeats", "confidence"), [(1, "likely"), (4, "certain")])
def test_few_elements_are_not_enough_to_be_sure(repeats: int, confidence: str) -> None:
    some = torch.tensor([0.5, -1.2, 0.7, 1.1, -0.4, 2.0], dtype=torch.float64)
    grown = torch.cat([some * (1 + 0.1 * k) for k in range(repeats)])
    report, _ = checked(LEAKY_TWICE, (grown.requires_grad_(),))
    (diagnosis,) = report.diagnoses
    assert diagnosis.code == "wrong_some_indices"
    assert "x is negative" in diagnosis.message
    assert diagnosis.confidence == confidence
