"""Diagnoses of functions whose results differ between identical runs: randomness or state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal

from torch import Tensor

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.arguments import restore_arguments
from gradviz.checks.diagnosis.support.rule import diagnosed
from gradviz.checks.reliability.reachable_state import changed, fingerprint_of, reachable
from gradviz.checks.reliability.repeated_runs import RepeatedRuns, other_forward
from gradviz.checks.reliability.result_distance import OptionalTensors, distance_beyond_rounding
from gradviz.checks.reliability.seeded_runs import seeded_runs, values_of
from gradviz.checks.run.context import CheckContext
from gradviz.checks.user_errors import UserCodeAttempt, describe_exception
from gradviz.model.diagnosis import Confidence, Diagnosis
from gradviz.recorder.error_boundary import safe_exception_text

ComparedPhase = Literal["forward", "backward", "both"]

_MORE = 6
"""Additional runs that show whether results drift in one direction."""

_MOST_NAMES = 3

# The first seed again at the end: only seeded randomness repeats for it and differs between.
_SEEDS = (1, 2, 3, 4, 1)

_FREED = "backward through the graph a second time"


def diagnose_nondeterminism(case: CheckContext, seen: RepeatedRuns) -> Iterator[Diagnosis]:
    """Yield ``nondeterministic`` or ``hidden_state`` if identical runs differ."""
    if seen.error is not None:
        yield from _raised(case, seen)
    elif seen.output_distance:
        yield _differing(case, "forward", seen.output_distance)
    elif seen.repeated_backward_distance:
        yield _differing(case, "backward", seen.repeated_backward_distance)
    elif seen.fresh_backward_distance:
        yield _overtaken(case, seen)


def diagnose_constant_outputs(case: CheckContext, seen: RepeatedRuns) -> Iterator[Diagnosis]:
    """Yield ``hidden_state`` if forward returns what it stored in an earlier call."""
    if not seen.is_stuck or case.findings.verdict() == "match":
        return
    places = reachable(case.subject.function).items()
    given = [fingerprint_of(each) for each in case.subject.arguments if isinstance(each, Tensor)]
    kept = {fingerprint_of(each) for each in seen.outputs} - {None}
    # An argument that forward returns as it is was not stored by an earlier call.
    names = [name for name, place in places if place.print in kept and place.print not in given]
    if names:
        evidence = (say("state.stuck.stored", names=_listed(names)),)
        yield _hidden(say("state.stuck"), evidence=evidence)


def _raised(case: CheckContext, seen: RepeatedRuns) -> Iterator[Diagnosis]:
    """Diagnose an error in a repeated run after the first one succeeded."""
    if (
        seen.error is None
        or seen.stage in ("forward", "backward")
        or _FREED in safe_exception_text(seen.error)
    ):
        return
    if case.findings.verdict() == "match":
        return
    yield _hidden(
        say(f"state.fails.{seen.stage}"),
        confidence="likely",
        evidence=(say("state.fails.raised", error=describe_exception(seen.error)),),
    )


def _differing(case: CheckContext, stage: ComparedPhase, far: float) -> Diagnosis:
    """Diagnose randomness if the same seed gives the same results, otherwise some state."""
    how = _how_much(case, stage, far)
    seeded = _results(case, stage, _SEEDS)
    if seeded and not distance_beyond_rounding(seeded[0], seeded[-1]) and not _all_equal(seeded):
        return _by_chance(stage, how, say("random.seed"))
    names, by_chance, later = _what_changes(case, stage)
    if by_chance:
        return _by_chance(stage, how, say("random.generator"))
    if names:
        return _depends(stage, how, say("random.unseeded"), ".values", names=_listed(names))
    if stage == "backward" and _is_first_of_its_forward(case):
        return _depends(stage, how, say("state.first_backward"), ".ctx")
    if _wanders([_size(each) for each in later]):
        later += _results(case, stage, (1,) * _MORE)
        if _wanders([_size(each) for each in later]):  # A few results may do so by chance.
            return _depends(stage, how, say("state.drifts", count=len(later)))
    if seeded and later and _all_equal([*seeded, *later]):
        if stage == "forward":
            return _differing(case, "both", far)
        return _depends(stage, how, say("state.after_others"))
    return _by_chance(stage, how, say("random.unseeded"), confidence="likely")


def _what_changes(
    case: CheckContext, stage: ComparedPhase
) -> tuple[list[str], bool, list[OptionalTensors]]:
    """Names that change in further identical runs, whether one is random, and the results."""
    before = reachable(case.subject.function)
    later = _results(case, stage, (1,) * _MORE)
    after = reachable(case.subject.function)
    names = changed(before, after)
    if not names:  # Identical runs may leave the same state, or backward undo what forward did.
        case.evaluations.expect(1)
        with (
            restore_arguments(case.subject.arguments),
            seeded_runs(case.subject, case.evaluations) as runs,
        ):
            other_forward(case, runs)
        names = changed(after, reachable(case.subject.function))
    return names, any(name in after and after[name].is_chance for name in names), later


def _is_first_of_its_forward(case: CheckContext) -> bool:
    """Whether only repeated backward passes differ, so that the state is on ctx.

    State has the same effect every time; randomness does not.
    """
    found = _results(case, "both", range(1, 1 + _MORE))
    if not found or not _all_equal(found):
        return False
    first, again = (_results(case, "backward", (1,) * _MORE) for _ in range(2))
    return (
        bool(first)
        and len(first) == len(again)
        and not any(map(distance_beyond_rounding, first, again))
    )


def _all_equal(results: Sequence[OptionalTensors]) -> bool:
    return not any(distance_beyond_rounding(results[0], each) for each in results[1:])


def _results(
    case: CheckContext, stage: ComparedPhase, seeds: Sequence[int]
) -> list[OptionalTensors]:
    """Results of identical runs, one per seed; empty if one raised an error."""
    found: list[OptionalTensors] = []
    with (
        UserCodeAttempt() as attempt,
        restore_arguments(case.subject.arguments),
        seeded_runs(case.subject, case.evaluations) as runs,
    ):
        if stage == "backward":
            case.evaluations.expect(1 + len(seeds))
            outputs = runs.forward(1)
            found = [runs.backward(outputs, seed) for seed in seeds]
        elif stage == "forward":
            case.evaluations.expect(len(seeds))
            found = [values_of(runs.forward(seed)) for seed in seeds]
        else:
            case.evaluations.expect(2 * len(seeds))
            found = [runs.backward(runs.forward(seed), seed) for seed in seeds]
    return [] if attempt.error is not None else found


def _size(values: OptionalTensors) -> float:
    return sum(float(each.abs().sum()) for each in values if each is not None)


def _wanders(sizes: Sequence[float]) -> bool:
    steps = [b - a for a, b in pairwise(sizes)]
    return bool(steps) and (all(each > 0 for each in steps) or all(each < 0 for each in steps))


def _overtaken(case: CheckContext, seen: RepeatedRuns) -> Diagnosis:
    """Diagnose whether the forward in between changes the gradient, or any other run does."""
    results = _results(case, "both", (1, 2))
    if len(results) != 2 or distance_beyond_rounding(
        results[0], results[1], case.settings.nondet_tol
    ):
        return _differing(case, "both", seen.fresh_backward_distance)
    return _hidden(
        say("state.latest_forward"),
        evidence=(
            say("state.latest_forward.differ", distance=seen.fresh_backward_distance),
            say("state.latest_forward.equal"),
        ),
    )


def _how_much(case: CheckContext, stage: ComparedPhase, far: float) -> str:
    return say(f"differ.{stage}", distance=far, noise=far / (2 * case.settings.eps))


def _by_chance(
    stage: ComparedPhase, how: str, why: str, confidence: Confidence = "certain"
) -> Diagnosis:
    return diagnosed(
        "nondeterministic",
        say("random.nondeterministic", stage=_text(stage)),
        confidence=confidence,
        evidence=(how, why),
    )


def _depends(
    stage: ComparedPhase, how: str, why: str, variant: str = "", **values: str
) -> Diagnosis:
    """Diagnose hidden state; certain only if it is known what changes, as in a variant."""
    return _hidden(
        say(f"state.depends{variant}", stage=_text(stage), **values),
        confidence="certain" if variant else "likely",
        evidence=(how, why),
    )


def _hidden(
    message: str, *, confidence: Confidence = "certain", evidence: tuple[str, ...] = ()
) -> Diagnosis:
    return diagnosed("hidden_state", message, confidence=confidence, evidence=evidence)


def _listed(names: list[str]) -> str:
    if len(names) <= _MOST_NAMES:
        return say_list(names)
    return say("names.more", names=", ".join(names[:_MOST_NAMES]))


def _text(stage: ComparedPhase) -> str:
    return say_list(["forward", "backward"]) if stage == "both" else stage
