"""Trials with unusual incoming gradients, and a diagnosis of what their failures share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace
from torch import Tensor

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.battery.backward_runs import (
    ALL,
    BackwardRun,
    BackwardRunner,
    gradient_difference,
)
from gradviz.checks.battery.trials import (
    IncomingGradientTrials,
    RandomGradients,
    raising_trial,
    trial,
    zeros,
)
from gradviz.checks.diagnosis.support.rule import diagnosed
from gradviz.checks.random_tensors import same_random_state
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckStage
from gradviz.model.diagnosis import Diagnosis, Trial

_CODE = "undefined_gradient"


def undefined_trials(
    case: CheckContext,
    passes: BackwardRunner,
    positions: Sequence[int],
    drawn: RandomGradients,
) -> Iterator[Trial]:
    """Try undefined gradients for all outputs at once, then for each of several."""
    name = say("incoming.none" if len(positions) == 1 else "incoming.none.every")
    if CheckStage.UNDEFINED in case.findings.passed:
        yield trial(name, "passes", say("tried.none"))
    else:
        tried = passes.run(zeros, missing=ALL)
        yield _judged(case, name, tried, [None] * len(case.subject.inputs))
    if len(positions) < 2:
        return
    for which, position in enumerate(positions):
        # An undefined gradient must have the same effect as zeros.
        defined = passes.run(drawn.with_zeros(which))
        tried = passes.run(drawn, missing=which)
        if defined.error is None:
            name = say("incoming.none.one", name=case.output_names[position])
            yield _judged(case, name, tried, defined.gradients)


def _judged(
    case: CheckContext, name: str, tried: BackwardRun, expected: Sequence[Tensor | None]
) -> Trial:
    if tried.error is not None:
        return replace(raising_trial(name, tried.error), code=_CODE)
    deviation = gradient_difference(case.subject.inputs, tried.gradients, expected)
    if deviation is not None and deviation.matters:
        return trial(name, "fails", say("tried.none.differs", difference=deviation.text))
    return trial(name, "passes", say("tried.none"))


def battery(case: CheckContext) -> Iterator[Diagnosis]:
    """Try backward with unusual incoming gradients, and yield what goes wrong.

    Runs for ``order=1`` only, where incoming gradients come from arbitrary other code.
    """
    if not case.settings.battery or case.subject.order != 1 or not case.output_names:
        return
    if any(each.code == "nondeterministic" for each in case.findings.diagnoses):
        return  # Gradients vary at random, whatever comes in.
    unusable = {"unsupported_layout", "no_values"}
    if any(each.code in unusable for each in case.findings.problems):
        return
    with same_random_state() as rewind:
        passes = BackwardRunner(case, rewind)
        drawn = RandomGradients()
        usual = passes.run(drawn)
        if usual.error is not None or not usual.positions:
            return
        found = list(_trials(case, passes, usual, drawn))
    case.findings.trials.extend(found)
    writers = tuple(name for name in usual.changed if name)
    yield from _diagnoses(case, found, writers)


def _trials(
    case: CheckContext, passes: BackwardRunner, usual: BackwardRun, drawn: RandomGradients
) -> Iterator[Trial]:
    name = say("incoming.random")
    if usual.changed:
        yield trial(name, "fails", say("tried.random.writes"), "mutates_grad_output")
    # Layouts can only be compared if the same layout gives the same gradients twice.
    again = passes.run(drawn)
    deviation = None
    if again.error is None:
        deviation = gradient_difference(case.subject.inputs, again.gradients, usual.gradients)
    if again.error is not None or (deviation is not None and deviation.matters):
        yield trial(name, "skipped", say("tried.random.varies"))
        return
    if not usual.changed:
        yield trial(name, "passes", say("tried.random"))
    trials = IncomingGradientTrials(case.subject, passes, usual, drawn)
    yield from trials.layouts()
    yield trials.zero(has_passed=CheckStage.ZERO in case.findings.passed)
    if case.settings.undefined:
        yield from undefined_trials(case, passes, usual.positions, drawn)
    yield trials.scale()
    row = trials.not_a_number()
    if row is not None:
        yield row


def _diagnoses(
    case: CheckContext, found: Sequence[Trial], writers: Sequence[str]
) -> Iterator[Diagnosis]:
    known_codes = {each.code for each in case.findings.diagnoses}
    writes = "battery.mutates_grad_output"
    messages = {
        "mutates_grad_output": (
            say(f"{writes}.named", functions=say_list(writers)) if writers else say(writes)
        ),
        "stride_blind": say(_stride_key(case, found)),
    }
    for code, message in messages.items():
        rows = [each for each in found if each.code == code]
        if rows and code not in known_codes:
            evidence = tuple(each.message for each in rows)
            yield diagnosed(code, message, evidence=evidence)


def _stride_key(case: CheckContext, found: Sequence[Trial]) -> str:
    """Key of the sentence on strides; it differs where backward is wrong for all of them."""
    if not case.pairs:
        return "battery.stride_blind"
    outcomes = {each.outcome for each in found if each.code == "stride_blind"}
    raises = outcomes == {"raises"}
    return "battery.stride_blind.wrong.raises" if raises else "battery.stride_blind.wrong"
