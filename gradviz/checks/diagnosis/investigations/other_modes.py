"""Diagnoses from forward mode, vmap and fast mode if backward itself seems to be right."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.catalogue.diagnoses.conclusions.none import NONE
from gradviz.catalogue.diagnoses.trials.wrong_jvp import WRONG_JVP
from gradviz.catalogue.diagnoses.trials.wrong_vmap import WRONG_VMAP
from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.support.case import DiagnosisCase
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.jacobian_report import CheckProblem, JacobianBlock


@yields(WRONG_JVP, WRONG_VMAP, NONE)
def diagnose_other_modes(case: DiagnosisCase) -> Iterator[Diagnosis]:
    """Yield a diagnosis per pair that is wrong in forward mode, else for other findings."""
    findings = case.findings
    if case.pairs or not all(each.is_harmless for each in findings.diagnoses):
        return
    wrong = [block for block in findings.ordered_blocks() if block.forward_wrong]
    yield from map(_forward, wrong)
    for problem in () if wrong else findings.problems:
        if problem.code == "forward_mode":
            yield _from_problem(WRONG_JVP.code, problem)
        elif problem.code == "batched_gradient":
            yield _from_problem(WRONG_VMAP.code, problem)
    if any(each.code == "fast_mode" for each in findings.problems):
        yield _only_products()


def _forward(block: JacobianBlock) -> Diagnosis:
    return Diagnosis(
        code=WRONG_JVP.code,
        message=say("wrong_jvp.message", output=block.output_name, input=block.input_name),
        output=block.output,
        input=block.input,
        part=block.part,
        evidence=(
            say("wrong_jvp.evidence", wrong=block.forward_wrong, count=block.count),
            say("diagnosis.backward_agrees"),
        ),
    )


def _from_problem(code: str, problem: CheckProblem) -> Diagnosis:
    return Diagnosis(
        code=code,
        message=problem.message,
        output=None,
        input=None,
        evidence=(say("diagnosis.backward_agrees"),),
    )


def _only_products() -> Diagnosis:
    return Diagnosis(
        code=NONE.code,
        message=say("none.products"),
        output=None,
        input=None,
    )
