"""A few runs of a function in an order that gradcheck never uses, to see what they change.

The order is: forward, backward, the same backward again, forward with other values, the first
forward again, forward with other values, and the backward of the one before that. A correct
function gives the same results each time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from torch import Tensor

from gradviz.checks.arguments import put_back
from gradviz.checks.attempt import Attempt
from gradviz.checks.diagnosis.case import Case
from gradviz.checks.probes.distance import apart, same_bits
from gradviz.checks.probes.runs import Runs, other_arguments, values_of
from gradviz.checks.probes.saved import Damage, damaged, kept_arguments, kept_for_backward

FORWARDS, BACKWARDS = 4, 3
"""How often a function is run if nothing is wrong."""

_MORE = 8
"""Additional backward passes if gradcheck's own two differ, because a few may agree by chance."""


@dataclass(slots=True, kw_only=True)
class Observation:
    """What these runs showed.

    Attributes:
        damaged_by_forward: Arguments that forward changed.
        damaged_by_backward: Arguments and saved tensors that backward changed.
        error: The first exception; None if there was none.
        stage: The run that raised it; the last run if none did.
        outputs_apart: Distance between two identical forward calls with different seeds.
        again_apart: Distance between two backward passes of one forward with different seeds.
        fresh_apart: Distance between the backward passes of two identical forward calls, with a
            forward of other values before the second.
        is_stuck: Whether forward returned exactly the same outputs for other values.
        outputs: Outputs of the first forward, if known.
    """

    damaged_by_forward: list[Damage] = field(default_factory=list)
    damaged_by_backward: list[Damage] = field(default_factory=list)
    error: Exception | None = None
    stage: str = ""
    outputs_apart: float = 0.0
    again_apart: float = 0.0
    fresh_apart: float = 0.0
    is_stuck: bool = False
    outputs: list[Tensor] = field(default_factory=list)

    @property
    def differs(self) -> bool:
        """Whether identical runs gave different results."""
        return max(self.outputs_apart, self.again_apart, self.fresh_apart) > 0

    @property
    def is_quiet(self) -> bool:
        """Whether nothing was wrong in any run."""
        damaged = self.damaged_by_forward or self.damaged_by_backward
        return not damaged and self.error is None and not self.differs


def observe(case: Case) -> Observation:
    """Run the function of a case; its arguments keep their values.

    Raises:
        CheckCancelledError: If the check was cancelled.
    """
    seen = Observation()
    with Attempt() as attempt, put_back(case.subject.arguments):
        _runs(case, Runs(case.subject, case.evaluations), seen)
    seen.error = attempt.error
    return seen


def _runs(case: Case, runs: Runs, seen: Observation) -> None:
    subject, allowed = case.subject, case.settings.nondet_tol
    seen.stage = "forward"
    arguments = kept_arguments(subject.arguments, subject.names)
    outputs = runs.forward(1)
    seen.damaged_by_forward = [
        each for each in damaged(arguments) if not _is_returned(each, outputs)
    ]
    values = values_of(outputs)
    if seen.damaged_by_forward or not values:
        return
    seen.stage = "backward"
    kept = [*kept_for_backward([each for each in outputs if _has_history(each)]), *arguments]
    first = runs.backward(outputs, 1)
    seen.damaged_by_backward = damaged(kept)
    if seen.damaged_by_backward:
        return
    seen.stage = "again"
    seeds = range(2, 3 + (_MORE if _is_known_to_differ(case) else 0))
    seen.again_apart = max(apart(first, runs.backward(outputs, seed), allowed) for seed in seeds)
    other = other_forward(case, runs)
    seen.stage = "forward again"
    equal = runs.forward(2)
    again = values_of(equal)
    seen.outputs_apart = apart(values, again, case.settings.eps * case.settings.atol)
    seen.outputs = values
    alike = bool(other) and len(other) == len(again)
    seen.is_stuck = alike and all(map(same_bits, again, other))
    other_forward(case, runs)
    seen.stage = "backward after another forward"
    seen.fresh_apart = apart(first, runs.backward(equal, 2), allowed)


def other_forward(case: Case, runs: Runs) -> list[Tensor]:
    """Outputs for other values of the arguments; empty if forward does not accept them."""
    for factor in (-0.75, 0.75):
        with Attempt():
            return values_of(runs.forward(3, other_arguments(case.subject.arguments, factor)))
    return []


def _is_known_to_differ(case: Case) -> bool:
    return any(each.code == "nondeterministic" for each in case.findings.problems)


def _is_returned(found: Damage, outputs: tuple[Any, ...]) -> bool:
    """Whether the changed tensor was returned, as torch requires of dirty ones."""
    return any(each is found.tensor for each in outputs)


def _has_history(value: Any) -> bool:
    return isinstance(value, Tensor) and value.grad_fn is not None
