"""A few runs of a function in an order that gradcheck never uses, to see what they change.

The order is: forward, backward, the same backward again, forward with other values, the first
forward again, forward with other values, and the backward of the one before that. A correct
function gives the same results each time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import torch
from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.arguments import restore_arguments
from gradviz.checks.backward_nodes import nodes_of
from gradviz.checks.reliability.result_distance import distance_beyond_rounding, same_bits
from gradviz.checks.reliability.seeded_runs import (
    SeededRuns,
    other_arguments,
    seeded_runs,
    values_of,
)
from gradviz.checks.run.context import CheckContext
from gradviz.checks.user_errors import UserCodeAttempt
from gradviz.recorder.compat import BackwardNode
from gradviz.recorder.patching.signals import calls_user_code


@dataclass(frozen=True, slots=True)
class TensorCopy:
    """A tensor and its values at one time.

    Attributes:
        name: Name in sentences.
        tensor: The tensor itself.
        before: Copy of its values at that time.
    """

    name: str
    tensor: Tensor
    before: Tensor


@dataclass(frozen=True, slots=True)
class ChangedTensor:
    """A tensor whose values have changed.

    Attributes:
        name: Name in sentences.
        tensor: The tensor itself.
        before: Values before the change.
        after: Values after the change.
    """

    name: str
    tensor: Tensor
    before: Tensor
    after: Tensor


def find_changed_tensors(kept: Sequence[TensorCopy]) -> list[ChangedTensor]:
    """The tensors that have changed since; for shared memory only the last one."""
    found = {
        (each.tensor.data_ptr(), each.tensor.shape): ChangedTensor(
            each.name, each.tensor, each.before, each.tensor.detach().clone()
        )
        for each in kept
        if not same_bits(each.tensor.detach(), each.before)
    }
    return list(found.values())


def copy_arguments(arguments: Sequence[Any], names: Sequence[str]) -> list[TensorCopy]:
    """Snapshots of the dense tensors among the arguments."""
    return [kept for name, each in zip(names, arguments, strict=True) for kept in _kept(name, each)]


def copy_saved_tensors(outputs: Sequence[Tensor]) -> list[TensorCopy]:
    """Snapshots of saved tensors and ctx tensors of all custom Functions behind outputs."""
    return [
        kept
        for node in nodes_of(outputs)
        if isinstance(node, BackwardNode)
        for name, each in _of_node(node)
        for kept in _kept(name, each)
    ]


@calls_user_code
def _of_node(node: Any) -> Iterator[tuple[str, Any]]:
    for k, each in enumerate(node.saved_tensors):
        yield say("name.saved_of", number=k, function=_title(node)), each
    for key, each in vars(node).items():
        yield say("name.ctx_of", attribute=key, function=_title(node)), each


def _title(node: Any) -> str:
    cls = getattr(type(node), "_forward_cls", None)
    return getattr(cls, "__name__", "") or say("name.a_function")


def _kept(name: str, value: Any) -> Iterator[TensorCopy]:
    if isinstance(value, Tensor) and value.layout is torch.strided:
        yield TensorCopy(name, value, value.detach().clone())
    elif isinstance(value, list | tuple):
        for k, each in enumerate(value):
            yield from _kept(f"{name}[{k}]", each)


FORWARDS, BACKWARDS = 4, 3
"""How often a function is run if nothing is wrong."""

_MORE = 8
"""Additional backward passes if gradcheck's own two differ, because a few may agree by chance."""


RunStage = Literal["forward", "backward", "second_backward", "second_forward", "later_backward"]


@dataclass(slots=True, kw_only=True)
class RepeatedRuns:
    """What these runs showed.

    Attributes:
        damaged_by_forward: Arguments that forward changed.
        damaged_by_backward: Arguments, outputs and saved tensors that backward changed; saved ones
            only if a second backward of the same forward then gave other results.
        error: The first exception; None if there was none.
        stage: The run that raised it; the last run if none did.
        output_distance: Distance between two identical forward calls with different seeds.
        repeated_backward_distance: Distance between two backward passes of one forward with
            different seeds.
        fresh_backward_distance: Distance between the backward passes of two identical forward
            calls, with a forward of other values before the second.
        is_stuck: Whether forward returned exactly the same outputs for other values.
        outputs: Outputs of the first forward, if known.
    """

    damaged_by_forward: list[ChangedTensor] = field(default_factory=list)
    damaged_by_backward: list[ChangedTensor] = field(default_factory=list)
    error: Exception | None = None
    stage: RunStage = "forward"
    output_distance: float = 0.0
    repeated_backward_distance: float = 0.0
    fresh_backward_distance: float = 0.0
    is_stuck: bool = False
    outputs: list[Tensor] = field(default_factory=list)

    @property
    def differs(self) -> bool:
        """Whether identical runs gave different results."""
        return (
            max(self.output_distance, self.repeated_backward_distance, self.fresh_backward_distance)
            > 0
        )

    @property
    def is_uneventful(self) -> bool:
        """Whether nothing was wrong in any run."""
        damaged = self.damaged_by_forward or self.damaged_by_backward
        return not damaged and self.error is None and not self.differs


def run_repeatedly(case: CheckContext) -> RepeatedRuns:
    """Run the function of a case; its arguments keep their values.

    Raises:
        CheckCancelledError: If the check was cancelled.
    """
    seen = RepeatedRuns()
    with (
        UserCodeAttempt() as attempt,
        restore_arguments(case.subject.arguments),
        seeded_runs(case.subject, case.evaluations) as runs,
    ):
        _runs(case, runs, seen)
    seen.error = attempt.error
    return seen


def _runs(case: CheckContext, runs: SeededRuns, seen: RepeatedRuns) -> None:
    subject, allowed = case.subject, case.settings.nondet_tol
    seen.stage = "forward"
    arguments = copy_arguments(subject.arguments, subject.names)
    outputs = runs.forward(1)
    seen.damaged_by_forward = [
        each for each in find_changed_tensors(arguments) if not _is_returned(each, outputs)
    ]
    values = values_of(outputs)
    if seen.damaged_by_forward or not values:
        return
    seen.stage = "backward"
    kept = [*copy_saved_tensors([each for each in outputs if _has_history(each)]), *arguments]
    first = runs.backward(outputs, 1)
    changed = find_changed_tensors(kept)
    if changed:
        # Scratch memory on ctx, which each backward writes before it reads it, is harmless.
        with UserCodeAttempt() as attempt:
            seen.repeated_backward_distance = distance_beyond_rounding(
                first, runs.backward(outputs, 1), allowed
            )
        is_needed = attempt.error is not None or seen.repeated_backward_distance > 0
        visible = [*map(_memory, _tensors((*subject.arguments, *outputs)))]
        seen.damaged_by_backward = [
            each
            for each in changed
            if is_needed or any(_meet(_memory(each.tensor), one) for one in visible)
        ]
        if seen.damaged_by_backward:
            return
    seen.stage = "second_backward"
    seeds = range(2, 3 + (_MORE if _is_known_to_differ(case) else 0))
    seen.repeated_backward_distance = max(
        distance_beyond_rounding(first, runs.backward(outputs, seed), allowed) for seed in seeds
    )
    other = other_forward(case, runs)
    seen.stage = "second_forward"
    equal = runs.forward(2)
    again = values_of(equal)
    # A smaller difference of the outputs moves a quotient by less than atol / 2.
    seen.output_distance = distance_beyond_rounding(
        values, again, case.settings.eps * case.settings.atol
    )
    seen.outputs = values
    alike = bool(other) and len(other) == len(again)
    seen.is_stuck = alike and all(map(same_bits, again, other))
    other_forward(case, runs)
    seen.stage = "later_backward"
    seen.fresh_backward_distance = distance_beyond_rounding(first, runs.backward(equal, 2), allowed)


def _memory(tensor: Tensor) -> range:
    """The addresses from a tensor's first byte to its last one; empty if it has no elements."""
    if not tensor.numel() or tensor.layout is not torch.strided:
        return range(0)
    steps = zip(tensor.shape, tensor.stride(), strict=True)
    count = 1 + sum((size - 1) * stride for size, stride in steps)
    return range(tensor.data_ptr(), tensor.data_ptr() + count * tensor.element_size())


def _meet(one: range, other: range) -> bool:
    return max(one.start, other.start) < min(one.stop, other.stop)


def other_forward(case: CheckContext, runs: SeededRuns) -> list[Tensor]:
    """Outputs for other values of the arguments; empty if forward does not accept them."""
    # Negative values may be outside the domain, as for sqrt and log.
    for factor in (-0.75, 0.75):
        with UserCodeAttempt():
            return values_of(runs.forward(3, other_arguments(case.subject.arguments, factor)))
    return []


def _tensors(values: Sequence[Any]) -> Iterator[Tensor]:
    for value in values:
        if isinstance(value, Tensor) and value.layout is torch.strided:
            yield value
        elif isinstance(value, list | tuple):
            yield from _tensors(value)


def _is_known_to_differ(case: CheckContext) -> bool:
    return any(each.code == "nondeterministic" for each in case.findings.problems)


def _is_returned(found: ChangedTensor, outputs: tuple[Any, ...]) -> bool:
    """Whether the changed tensor was returned, as torch requires of dirty ones."""
    return any(each is found.tensor for each in outputs)


def _has_history(value: Any) -> bool:
    return isinstance(value, Tensor) and value.grad_fn is not None
