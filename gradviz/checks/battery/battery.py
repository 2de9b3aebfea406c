"""Trials with unusual incoming gradients, and a diagnosis of what their failures share.

Each trial is a row of the report's table. A layout is judged against the same values in dense
memory. Whether backward is correct for those is for the Jacobians to show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

import torch
from msgspec.structs import replace
from torch import Tensor

from gradviz.catalogue.messages import say, say_count, say_list
from gradviz.checks.arguments import CheckSubject
from gradviz.checks.battery.backward_runs import (
    ALL,
    EXPANDED,
    NON_OVERLAPPING,
    BackwardRun,
    BackwardRunner,
    Incoming,
    MemoryLayout,
    gradient_difference,
)
from gradviz.checks.diagnosis.support.rule import diagnosed
from gradviz.checks.problem_messages import describe_exception
from gradviz.checks.random_tensors import RandomTensors, same_random_state
from gradviz.checks.run.context import CheckContext
from gradviz.checks.run.findings import CheckStage
from gradviz.model.diagnosis import Diagnosis, Trial, TrialOutcome
from gradviz.recorder.error_boundary import safe_exception_text

# Part of torch's error about a write to an expanded tensor.
_SHARED_PLACE = "single memory location"
_SCALE = 100.0
_COARSE_ROUNDING = 0.02
"""Relative error that a backward which computes in half precision may make."""


class RandomGradients:
    """Random gradients without values near zero, always the same ones for the same shapes.

    They are drawn once; copy them before writing to them.
    """

    def __init__(self) -> None:
        self._forms: list[object] = []
        self._values: list[Tensor] = []

    def __call__(self, outputs: Sequence[Tensor]) -> list[Tensor]:
        """A gradient for each output."""
        forms: list[object] = [(each.shape, each.dtype, each.device) for each in outputs]
        if forms != self._forms:
            drawn = RandomTensors(2)
            self._values = [_away_from_zero(drawn.like(each)) for each in outputs]
            self._forms = forms
        return list(self._values)

    def scaled(self, outputs: Sequence[Tensor]) -> list[Tensor]:
        """The same gradients, scaled by a constant factor."""
        return [each * _SCALE for each in self(outputs)]

    def with_zeros(self, which: int) -> Incoming:
        """The same gradients, but zeros for one of the outputs."""

        def made(outputs: Sequence[Tensor]) -> list[Tensor]:
            gradients = self(outputs)
            gradients[which] = torch.zeros_like(gradients[which])
            return gradients

        return made

    def with_first(self, change: Callable[[Tensor], Tensor]) -> Incoming:
        """The same gradients, with the first element changed."""

        def made(outputs: Sequence[Tensor]) -> list[Tensor]:
            gradients = self(outputs)
            for k, each in enumerate(gradients):
                if each.numel():
                    flat = each.reshape(-1).clone()
                    flat[0] = change(flat[0])
                    gradients[k] = flat.view(each.shape)
                    break
            return gradients

        return made


def _away_from_zero(values: Tensor) -> Tensor:
    # An element near zero hardly changes the gradients, whatever backward does with it.
    return torch.where(values.abs() < 0.1, values + 0.5, values)


def zeros(outputs: Sequence[Tensor]) -> list[Tensor]:
    """Zero gradients for all outputs."""
    return [torch.zeros_like(each, memory_format=torch.contiguous_format) for each in outputs]


def trial(name: str, outcome: TrialOutcome, message: str, code: str = "") -> Trial:
    """Build a row of the table of trials."""
    return Trial(kind="incoming", name=name, outcome=outcome, message=message, code=code)


def raising_trial(name: str, error: Exception) -> Trial:
    """Build the row of a trial in which backward raised."""
    return trial(name, "raises", say("tried.raised", error=describe_exception(error)))


class IncomingGradientTrials:
    """All trials of one function."""

    def __init__(
        self,
        subject: CheckSubject,
        passes: BackwardRunner,
        usual: BackwardRun,
        drawn: RandomGradients,
    ) -> None:
        self._inputs = subject.inputs
        self._passes = passes
        self._usual = usual
        self._drawn = drawn

    def layouts(self) -> Iterator[Trial]:
        """Try each layout that applies to the shapes that occur."""
        for layout in self._applicable(NON_OVERLAPPING):
            yield from self._layout(layout, self._usual, shares=False)
        for layout in self._applicable(EXPANDED):
            dense = self._passes.run(self._drawn, layout, dense=True)
            if dense.strides and dense.error is None:
                yield from self._layout(layout, dense, shares=True)

    def _applicable(self, layouts: Iterable[MemoryLayout]) -> Iterator[MemoryLayout]:
        return (each for each in layouts if any(map(each.fits, self._usual.shapes)))

    def _layout(self, layout: MemoryLayout, dense: BackwardRun, *, shares: bool) -> Iterator[Trial]:
        tried = self._passes.run(self._drawn, layout)
        if not tried.strides:
            return
        found = self._judged(layout, tried, dense, shares=shares)
        if found.outcome != "passes" and not tried.changed:
            # Blame the layout only if the failure repeats while the dense run stays the same.
            again = self._passes.run(self._drawn, layout)
            repeated = self._judged(layout, again, dense, shares=shares)
            dense_again = self._passes.run(self._drawn, layout, dense=True)
            if repeated.outcome != found.outcome or self._differs(dense_again, dense):
                found = trial(found.name, "skipped", say("tried.layout.varies"))
        yield found

    def _differs(self, one: BackwardRun, other: BackwardRun) -> bool:
        if one.error is not None:
            return True
        deviation = gradient_difference(self._inputs, one.gradients, other.gradients)
        return deviation is not None and deviation.matters

    def _judged(
        self, layout: MemoryLayout, tried: BackwardRun, dense: BackwardRun, *, shares: bool
    ) -> Trial:
        name, strides = say(f"incoming.{layout.code}"), tried.strides[0]
        if tried.error is not None:
            writes = bool(tried.changed) or (
                shares and _SHARED_PLACE in safe_exception_text(tried.error)
            )
            code = "mutates_grad_output" if writes else "stride_blind"
            error = describe_exception(tried.error)
            message = say("tried.layout.raised", strides=strides, error=error)
            return trial(name, "raises", message, code)
        deviation = gradient_difference(self._inputs, tried.gradients, dense.gradients)
        if deviation is not None and deviation.matters:
            code = "mutates_grad_output" if shares and tried.changed else "stride_blind"
            message = say("tried.layout.differs", strides=strides, difference=deviation.text)
            return trial(name, "fails", message, code)
        if tried.changed:
            message = say("tried.layout.writes", strides=strides)
            return trial(name, "fails", message, "mutates_grad_output")
        return trial(name, "passes", say("tried.layout", strides=strides))

    def zero(self, *, has_passed: bool) -> Trial:
        """Check that zero incoming gradients give zero gradients, unless a stage has shown it."""
        name = say("incoming.zeros")
        if has_passed:
            return trial(name, "passes", say("tried.zeros"))
        tried = self._passes.run(zeros)
        if tried.error is not None:
            return raising_trial(name, tried.error)
        nothing = [None] * len(self._inputs)
        deviation = gradient_difference(self._inputs, tried.gradients, nothing)
        if deviation is not None and deviation.found != 0:
            return trial(name, "fails", say("tried.zeros.differs", difference=deviation.text))
        return trial(name, "passes", say("tried.zeros"))

    def scale(self) -> Trial:
        """Check that backward is linear in the incoming gradients, as for any function."""
        name = say("incoming.scaled", factor=_SCALE)
        tried = self._passes.run(self._drawn.scaled)
        if tried.error is not None:
            return raising_trial(name, tried.error)
        expected = [None if each is None else each * _SCALE for each in self._usual.gradients]
        deviation = gradient_difference(
            self._inputs, tried.gradients, expected, allowed=_COARSE_ROUNDING
        )
        if deviation is None or not deviation.matters:
            return trial(name, "passes", say("tried.scaled", factor=_SCALE))
        message = say("tried.scaled.differs", factor=_SCALE, difference=deviation.text)
        return trial(name, "fails", message)

    def not_a_number(self) -> Trial | None:
        """See whether a NaN reaches the gradients, which is informative but not a fault."""
        name = say("incoming.nan")
        moved = self._passes.run(self._drawn.with_first(lambda first: first + 1))
        tried = self._passes.run(self._drawn.with_first(lambda first: first * torch.nan))
        # If another number changes nothing either, backward does not use this element.
        if moved.error is not None or not self._differs(moved, self._usual):
            return None
        if tried.error is not None:
            return raising_trial(name, tried.error)
        gradients = [each for each in tried.gradients if each is not None]
        count = sum(int(each.isnan().sum()) for each in gradients)
        every = sum(each.numel() for each in gradients)
        if not count:
            return trial(name, "fails", say("tried.nan.lost"))
        return trial(name, "passes", say_count("tried.nan", count, total=every))


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
        "stride_blind": _on_strides(case, [each for each in found if each.code == "stride_blind"]),
    }
    for code, message in messages.items():
        rows = [each for each in found if each.code == code]
        if rows and code not in known_codes:
            evidence = tuple(each.message for each in rows)
            yield diagnosed(code, message, evidence=evidence)


def _on_strides(case: CheckContext, failed: Sequence[Trial]) -> str:
    """The sentence on strides; it differs where backward is wrong for all of them."""
    key = "battery.stride_blind"
    if case.pairs:
        raises = {each.outcome for each in failed} == {"raises"}
        key = f"{key}.wrong.raises" if raises else f"{key}.wrong"
    return say(key, layouts=say_list([each.name for each in failed]))
