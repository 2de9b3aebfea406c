"""The one place that every diagnosis passes: it is certain only if the same is found elsewhere.

What fits the numbers at one point may fit by chance. So the investigation that found a cause has
to find it again for other values of the inputs, and for a larger size. A diagnosis that only tells
what runs of the checked function showed needs no second point.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import structs
from msgspec.structs import replace

from gradviz.catalogue.diagnoses import DIAGNOSES
from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.perturbed_rerun import (
    PerturbedRerun,
    RerunBudget,
    RerunPoint,
)
from gradviz.checks.diagnosis.support.rule import DiagnosisRule
from gradviz.checks.jacobians.evaluator import JacobianEvaluator
from gradviz.checks.problem_messages import Attempt
from gradviz.checks.run.context import CheckContext
from gradviz.model.diagnosis import Diagnosis

_MOST_ELSEWHERE = 1_000
"""Most evaluations of the reruns by which an investigation rules out coincidences elsewhere."""

Investigation = DiagnosisRule[CheckContext, Iterable[Diagnosis]]


def confirmed(found: Diagnosis, investigation: Investigation, case: CheckContext) -> Diagnosis:
    """A diagnosis, certain only if it is found again elsewhere.

    Returns:
        The diagnosis itself, or a likely one with further evidence that says what is missing.
    """
    info, pairs = DIAGNOSES[found.code], [each for each in case.pairs if _is_about(found, each)]
    is_claim = info.severity == "fault" and not info.is_observation
    if found.confidence != "certain" or not is_claim or not pairs:
        return found
    doubts = tuple(_doubts(found, investigation, case))
    if not doubts:
        return found
    return structs.replace(found, confidence="likely", evidence=(*found.evidence, *doubts))


def _doubts(found: Diagnosis, investigation: Investigation, case: CheckContext) -> Iterator[str]:
    """Yield a sentence for each point at which the same is not found."""
    reruns = _reruns_of(case)

    def is_found_at(point: RerunPoint) -> bool:
        return _is_found_again(found, investigation, case, point, reruns.budget)

    moved, mirrored = reruns.moved_point(), reruns.mirrored_point()
    if moved is None:
        yield say("diagnosis.untried.values")
    elif not is_found_at(moved):
        yield say("diagnosis.unconfirmed.values")
    elif mirrored is not None and not is_found_at(mirrored):
        yield say("diagnosis.unconfirmed.signs")
    if all(each.dim() == 0 for each in case.subject.tensors):
        return  # There is no size.
    larger = list(reruns.larger_points())
    if not larger:
        yield say("diagnosis.untried.size")
    elif not all(map(is_found_at, larger)):
        yield say("diagnosis.unconfirmed.size")


def _reruns_of(case: CheckContext) -> PerturbedRerun:
    """The reruns of a case, with what they have computed already."""
    for pair in case.pairs:
        if isinstance(pair.reruns, PerturbedRerun) and pair.reruns.subject is case.subject:
            return pair.reruns
    return PerturbedRerun(case.subject, case.settings, case.evaluations)


def _is_found_again(
    found: Diagnosis,
    investigation: Investigation,
    case: CheckContext,
    point: RerunPoint,
    budget: RerunBudget,
) -> bool:
    pairs = [each for each in point[0].values() if each.block.wrong]
    other = case_at(case, point[1], pairs, RerunBudget(min(budget.left, _MOST_ELSEWHERE)))
    with Attempt():  # An investigation that fails there does not confirm anything.
        for each in investigation(other):
            # It may be found there for all inputs at once.
            is_same_output = None in (each.output, found.output) or each.output == found.output
            is_same_input = None in (each.input, found.input) or each.input == found.input
            # What a change of an operation needs is said in numbers, such as an exponent.
            says_same = each.code != "wrong_operation" or each.message == found.message
            if each.code == found.code and is_same_output and is_same_input and says_same:
                return True
            other.findings.diagnose(each)
    return False


def _is_about(found: Diagnosis, pair: JacobianPair) -> bool:
    block = pair.block
    return found.output in (None, block.output) and found.input in (None, block.input)


def case_at(
    case: CheckContext,
    arguments: tuple[Any, ...],
    pairs: Sequence[JacobianPair],
    budget: RerunBudget | None = None,
) -> CheckContext:
    """A case of the same function with other arguments, without diagnoses."""
    subject = replace(case.subject, arguments=arguments)
    reruns = PerturbedRerun(subject, case.settings, case.evaluations, budget)
    return replace(
        case,
        subject=subject,
        evaluator=JacobianEvaluator.of(subject, case.evaluations),
        findings=case.findings.undiagnosed(),
        pairs=[replace(pair, reruns=reruns) for pair in pairs],
        deferred_diagnoses=[],
        notes={},
        precise=[],
    )
