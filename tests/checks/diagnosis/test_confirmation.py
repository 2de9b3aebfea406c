"""No diagnosis is certain that was not found again at other values and with a larger size."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import Function

from gradviz.checks.diagnosis.support.confirmation import confirmed
from gradviz.checks.diagnosis.support.rule import DiagnosisRule
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckFindings
from gradviz.checks.run.progress import Evaluations, ignore_progress, never_cancelled
from gradviz.checks.stages.sequence import run_stages
from gradviz.checks.subject import CheckSubject
from gradviz.model.check_settings import DEFAULTS
from gradviz.model.diagnosis import Diagnosis
from tests.architecture.layers import PACKAGE
from tests.checks.sample_functions import Kept, randn


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
    evaluations, findings = Evaluations(ignore_progress, never_cancelled), CheckFindings()
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
        "reliability/small_derivatives.py": 1,  # Of a check with all of this.
        "run/jacobian_check.py": 1,  # A declared once_differentiable.
        "stages/full_jacobians.py": 1,  # Gradients that were seen to change without a history.
        "variations/vary.py": 1,  # What another input was seen to do.
    }


def _adds(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and ast.unparse(node.func).endswith("indings.diagnose")
