"""Search for the causes of a failed check, the most certain and most specific ones first.

First come further runs of the function, because values distorted by noise, a kink or randomness
can match any pattern. Then the remaining pairs are examined together, and finally one by one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import structs
from msgspec.structs import replace

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.battery.battery import battery
from gradviz.checks.diagnosis.investigations.double_backward_cut import (
    diagnose_not_dense,
    diagnose_other_modes,
    diagnose_undefined_gradient,
    find_double_backward_cut,
    find_failing_size,
)
from gradviz.checks.diagnosis.investigations.element_factor import find_element_factors
from gradviz.checks.diagnosis.investigations.factor import (
    conjugated_grad_output,
    find_common_factors,
    find_missing_conjugate,
)
from gradviz.checks.diagnosis.investigations.ignores_grad_output import (
    find_ignored_grad_output,
    find_swapped_grad_outputs,
    find_swapped_gradients,
)
from gradviz.checks.diagnosis.investigations.missing_term import (
    find_missing_terms,
    find_two_mistakes,
)
from gradviz.checks.diagnosis.investigations.other_derivative import (
    find_other_derivatives,
    find_other_receivers,
    find_passed_steps,
)
from gradviz.checks.diagnosis.investigations.refused_shape import (
    find_refused_shapes,
    find_size_mismatch,
)
from gradviz.checks.diagnosis.investigations.wrong_operation import (
    find_missing_operands,
    find_specific_operations,
    find_two_operations,
    find_wrong_operations,
    find_wrong_vmap_rule,
)
from gradviz.checks.diagnosis.investigations.zero_gradient import (
    find_detached,
    find_nonfinite_gradients,
    find_zero_gradients,
)
from gradviz.checks.diagnosis.rules.missing_sum import extra_sum, missing_sum
from gradviz.checks.diagnosis.rules.transposed import (
    reordered,
    shifted,
    transposed,
    transposed_inside,
)
from gradviz.checks.diagnosis.rules.wrong_some_indices import (
    constant_forward,
    elementwise_only,
    lost_for_some_indices,
    mixed_rows,
    saturating,
    straight_through,
    unknown,
    wrong_for_some_indices,
)
from gradviz.checks.diagnosis.support.confirmation import Investigation, case_at, confirmed
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.perturbed_rerun import PerturbedRerun
from gradviz.checks.diagnosis.support.rule import UNSTEADY, DiagnosisRule, diagnosed, yields
from gradviz.checks.problem_messages import Attempt, own_bug
from gradviz.checks.reference.forward_replay import add_replayed_jacobians
from gradviz.checks.reliability.numerical_reliability import (
    diagnose_numerical_jacobians,
    diagnose_precision,
)
from gradviz.checks.reliability.repeatability import diagnose_repeatability
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckFindings, CheckStage
from gradviz.checks.sparse_layouts import is_dense
from gradviz.model.diagnosis import Diagnosis

PairDiagnosis = Callable[[JacobianPair], Diagnosis | None]


def shared_diagnoses(pairs: Iterable[JacobianPair], find: PairDiagnosis) -> Iterator[Diagnosis]:
    """Diagnose pairs, those of several inputs together if the same sentence is true of them."""
    found: dict[tuple[str, int, str], list[tuple[JacobianPair, Diagnosis]]] = {}
    for pair in pairs:
        diagnosis = find(pair)
        if diagnosis is not None:
            key = diagnosis.code, pair.block.output, pair.block.part
            found.setdefault(key, []).append((pair, diagnosis))
    for group in found.values():
        together = _together(group, find) if len(group) > 1 else None
        yield from (each for _, each in group) if together is None else (together,)


def _together(
    group: Sequence[tuple[JacobianPair, Diagnosis]], find: PairDiagnosis
) -> Diagnosis | None:
    """The diagnosis of all inputs of a group; None if their sentences differ by more than names."""
    inputs = [pair.input_name for pair, _ in group]
    names = say_list(inputs)
    renamed = [structs.replace(pair.block, input_name=names) for pair, _ in group]
    again = [
        find(replace(pair, block=block)) for (pair, _), block in zip(group, renamed, strict=True)
    ]
    messages = {each.message for each in again if each is not None}
    if None in again or len(messages) > 1:
        return None
    given = [each for _, each in group]
    common = tuple(each for each in given[0].evidence if all(each in one.evidence for one in given))
    return structs.replace(
        given[0],
        message=_with_indices(messages.pop(), inputs),
        input=None,
        confidence="certain" if {each.confidence for each in given} == {"certain"} else "likely",
        evidence=(*common, say("diagnosis.shared", inputs=names)),
        repair=None,
    )


def _with_indices(message: str, inputs: Sequence[str]) -> str:
    """A sentence about several inputs, with an index after each name instead of the last one."""
    indexed = re.compile(re.escape(say_list(list(inputs))) + r"(\[[^]]*])")
    return indexed.sub(lambda found: say_list([each + found[1] for each in inputs]), message)


def add_conclusion(findings: CheckFindings) -> None:
    """Add ``none`` or ``unknown`` to the findings of a check that have no diagnosis."""
    # If the function itself could not be used, the problem says why.
    early = (CheckStage.INPUTS, CheckStage.FORWARD, CheckStage.NUMERICAL)
    if findings.diagnoses or any(map(findings.has_fault, early)):
        return
    if findings.verdict() == "match":
        findings.diagnose(_nothing_found(findings))
        return
    # The problem that decides the verdict is the cause, as far as it is known.
    decisive = next((each for each in findings.problems if each.decides), None)
    key = "unknown.check" if decisive is None else "unknown.reported"
    problem = "" if decisive is None else decisive.message
    findings.diagnose(diagnosed(key, confidence="likely", problem=problem))


_FAR = 0.1
"""Values that differ by this share of the larger one are not the same."""

_LEAST_OF_ATOL = 0.01
"""Smaller differences may be the noise of central differences."""


def _nothing_found(findings: CheckFindings) -> Diagnosis:
    """``none``; not certain if values differ that are too small for the tolerance.

    Nor if all values are, and scaling the outputs did not help.
    """
    for block in findings.blocks:
        worst = block.worst
        if worst is None or not worst.analytical or not worst.excess > _LEAST_OF_ATOL:
            continue
        off, size = (
            abs(worst.analytical - worst.numerical),
            max(abs(worst.analytical), abs(worst.numerical)),
        )
        if off > _FAR * size:
            return diagnosed(
                "none.below_tolerance",
                confidence="likely",
                input=block.input_name,
                output=block.output_name,
                analytical=f"{worst.analytical.real:.3g}",
                numerical=f"{worst.numerical.real:.3g}",
            )
    if not findings.small:
        return diagnosed("none.message")
    each = next((e for e in findings.small if not e.factor), findings.small[0])
    return diagnosed(
        "none.scaled" if each.factor else "none.nothing_compared",
        confidence="certain" if each.factor else "likely",
        input=each.input_name,
        output=each.output_name,
        largest=each.largest,
        factor=each.factor,
    )


PairRule = DiagnosisRule[JacobianPair, Diagnosis | None]

RULES: tuple[PairRule, ...] = (
    constant_forward,
    missing_sum,
    extra_sum,
    shifted,
    transposed,
    mixed_rows,
    transposed_inside,
    lost_for_some_indices,
)


PATTERNS: tuple[PairRule, ...] = (
    reordered,
    saturating,
    wrong_for_some_indices,
    elementwise_only,
)
"""Tried last, because what they recognize can have many causes."""


@yields(*(each for rule in RULES for each in rule.yields))
def by_rules(case: CheckContext) -> Iterator[Diagnosis]:
    """Diagnose the pairs that a rule explains."""
    return shared_diagnoses(case.unexplained(), lambda pair: _first(RULES, pair))


@yields("missing_conjugate")
def by_conjugated_grad_output(case: CheckContext) -> Iterator[Diagnosis]:
    """Diagnose gradients with the wrong sign for one part of grad_output only."""
    return shared_diagnoses(case.unexplained(), conjugated_grad_output)


@yields("straight_through")
def by_straight_through(case: CheckContext) -> Iterator[Diagnosis]:
    """Diagnose gradients that are passed where forward is constant."""
    return shared_diagnoses(case.unexplained(), straight_through)


BEFORE: tuple[Investigation, ...] = (
    DiagnosisRule(
        diagnose_repeatability,
        ("nondeterministic", "hidden_state", "inplace_damage", *find_common_factors.yields),
    ),
    DiagnosisRule(diagnose_precision, ("float32_noise",)),
    find_refused_shapes,
    find_size_mismatch,
    find_failing_size,
    DiagnosisRule(diagnose_numerical_jacobians, ("float32_noise", "eps_sensitive", "kink")),
    DiagnosisRule(add_replayed_jacobians, ()),
    find_double_backward_cut,
    find_nonfinite_gradients,
    find_ignored_grad_output,
    find_swapped_gradients,
    find_swapped_grad_outputs,
    find_specific_operations,
    find_zero_gradients,
    find_detached,
    find_missing_conjugate,
    by_conjugated_grad_output,
    find_common_factors,
    by_straight_through,
    find_passed_steps,
    find_other_receivers,
    find_missing_terms,
    by_rules,
    find_wrong_operations,
    find_other_derivatives,
    find_element_factors,
    find_missing_operands,
    find_two_mistakes,
    find_two_operations,
)
"""Run before the patterns: tests of the numerical values, causes of several pairs, and rules."""

BESIDES: tuple[Investigation, ...] = (
    find_common_factors,
    by_straight_through,
    by_rules,
    find_wrong_operations,
    find_element_factors,
    find_missing_operands,
)
"""Run once more for pairs with NaN or Inf."""

AFTER: tuple[Investigation, ...] = (
    diagnose_undefined_gradient,
    DiagnosisRule(battery, ("mutates_grad_output", "stride_blind")),
    diagnose_other_modes,
    find_wrong_vmap_rule,
)
"""Run after all pairs: mistakes that the values of the Jacobians do not show."""

SPARSE: tuple[Investigation, ...] = (diagnose_not_dense, diagnose_other_modes)
"""Run instead of all others if an input is not dense."""


def run_diagnosis(case: CheckContext) -> None:
    """Add diagnoses, curves and trials to the findings of a case."""
    if not case.settings.backward_mode:
        _investigate(diagnose_other_modes, case)
        return
    if not all(map(is_dense, case.subject.arguments)):
        for investigation in SPARSE:
            _investigate(investigation, case)
        return
    reruns = PerturbedRerun(case.subject, case.settings, case.evaluations)
    case = replace(case, pairs=[replace(pair, reruns=reruns) for pair in case.pairs])
    for investigation in BEFORE:
        # Asked again each time, because an investigation may have replaced the pairs.
        _investigate(investigation, case.in_full_precision())
    _investigate(_by_patterns, case)
    _add_besides_nonfinite(case)
    _investigate(_deferred, case)
    for investigation in AFTER:
        _investigate(investigation, case)


def _investigate(investigation: Investigation, case: CheckContext) -> None:
    with Attempt() as attempt:
        for diagnosis in investigation(case):
            _diagnose(case, investigation.declared(diagnosis), investigation)
    if attempt.error is not None:  # A bug in gradviz must not cost the verdict.
        case.findings.notice(own_bug(attempt.error, "examination_failed"))


@yields(*(each for rule in (*PATTERNS, unknown) for each in rule.yields))
def _by_patterns(case: CheckContext) -> Iterator[Diagnosis]:
    """Diagnose each pair that nothing explains yet."""
    yield from shared_diagnoses(case.unexplained(), lambda pair: _first(PATTERNS, pair))
    yield from map(unknown, case.unexplained())


@yields("nondeterministic", "hidden_state", "inplace_damage")
def _deferred(case: CheckContext) -> Iterable[Diagnosis]:
    """What explains no pair."""
    return case.deferred_diagnoses


def _add_besides_nonfinite(case: CheckContext) -> None:
    """Diagnose pairs with NaN or Inf once more, at other values for which all are finite."""
    findings = case.findings.diagnoses
    known = {each.place for each in findings if each.code == "nonfinite_gradient"}
    for pair in [each for each in case.pairs if each.place in known]:
        arguments = None if pair.reruns is None else pair.reruns.moved_arguments()
        wrong = [each for each in pair.moved if each.block.wrong]
        if arguments is None or not wrong:
            continue
        other = case_at(case, arguments, wrong[:1])
        for investigation in (*BESIDES, _by_patterns):
            _investigate(investigation, other)
        case.findings.problems += other.findings.problems[len(case.findings.problems) :]
        for each in other.findings.diagnoses:
            case.findings.diagnose(_besides(pair, each))


def _besides(pair: JacobianPair, found: Diagnosis) -> Diagnosis:
    names = {"input": pair.input_name, "found": found.message}
    return structs.replace(
        found,
        message=say("nonfinite_gradient.besides", **names),
        evidence=(*found.evidence, say("nonfinite_gradient.besides.evidence")),
        repair=None,  # Its matrix belongs to other values.
    )


def _first(rules: Iterable[PairRule], pair: JacobianPair) -> Diagnosis | None:
    """The diagnosis of the first rule that matches; None if none does."""
    for rule in rules:
        found = rule(pair)
        if found is not None:
            return rule.declared(found)
    return None


def _diagnose(case: CheckContext, found: Diagnosis, investigation: Investigation) -> None:
    """Add a diagnosis, with the notes on its pair as the last pieces of evidence."""
    found = confirmed(found, investigation, case)
    notes = [note for place, note in case.notes.items() if place == found.place]
    if case.subject.order == 2 and found.code in (*UNSTEADY, "float32_noise"):
        notes.append(say("measured.second_order"))
    case.findings.diagnose(structs.replace(found, evidence=(*found.evidence, *notes)))
