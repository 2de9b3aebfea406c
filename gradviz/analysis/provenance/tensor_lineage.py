"""Where each tensor occurs in a run, and which tensors are a value and its gradients."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Literal

from msgspec import Struct

from gradviz.analysis.index.step_queries import runs_within
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.step import (
    AccumulateStep,
    ForwardStep,
    NodeStep,
    PassBeginStep,
    PassEndStep,
    Step,
)
from gradviz.model.step_values import MADE, VALUES, StepRole, values_of

AppearanceKind = Literal["value", "gradient", "total"]
"""A value of the forward, a gradient with respect to it, or the sum accumulated in ``.grad``."""

ValueKey = tuple[int, int]
"""A forward value as autograd identifies it: a node and the index of its output; a leaf is output 0
of its ``AccumulateGrad`` node.
"""

STEPS_BETWEEN_PAUSES = 50
"""This many steps take about a millisecond."""


class TensorAppearance(Struct, frozen=True, kw_only=True):
    """A place in the run at which a tensor occurs.

    Attributes:
        step: Number of the step.
        role: Role of the tensor in the step.
        name: Name of the tensor at that place.
        tensor: Number of the tensor.
        key: The value that it is, or whose gradient it is; None if unknown.
    """

    step: int
    role: StepRole
    name: str
    tensor: int
    key: ValueKey | None

    @property
    def kind(self) -> AppearanceKind:
        """Whether it is a value, a gradient or an accumulated total."""
        if self.role in VALUES:
            return "value"
        return "total" if self.role == "total" else "gradient"


class TensorLineage(Struct, frozen=True, kw_only=True):
    """Lookup tables by tensor, created by `trace_lineage`.

    Attributes:
        first: First appearance of each tensor.
        made: Number of the step that created each tensor, the innermost of nested ones; without
            tensors that already existed.
        keys: The values that a tensor is, or whose gradient it is.
        found: All appearances of a value and its gradients, in order of the run.
    """

    first: dict[int, TensorAppearance]
    made: dict[int, int]
    keys: dict[int, frozenset[ValueKey]]
    found: dict[ValueKey, tuple[TensorAppearance, ...]]

    def made_at(self, tensor: int) -> int | None:
        """The step that created a tensor; None if it already existed, as a leaf does."""
        return self.made.get(tensor)

    def related(self, one: int, other: int) -> bool:
        """Whether two tensors are the same, or belong to the same value or its gradients."""
        if one == other:
            return True
        return bool(self.keys.get(one, frozenset()) & self.keys.get(other, frozenset()))

    def at(self, tensor: int, number: int) -> TensorAppearance | None:
        """Latest appearance of a tensor up to a step; None if no value is known for it."""
        found = [
            each
            for key in self.keys.get(tensor, ())
            for each in self.found.get(key, ())
            if each.tensor == tensor and each.step <= number
        ]
        return max(found, key=lambda each: each.step, default=None)

    def named(self, name: str, kind: AppearanceKind) -> ValueKey | None:
        """The first value with an appearance of a kind under a name; None if there is none."""
        for key, found in self.found.items():
            if any(each.name == name and each.kind == kind for each in found):
                return key
        return None

    def latest(self, key: ValueKey, kind: AppearanceKind, number: int) -> TensorAppearance | None:
        """Latest tensor of a kind for a value up to a step; None if there is none yet."""
        found = self.found.get(key, ())
        end = bisect_right(found, number, key=lambda each: each.step)
        return next((each for each in reversed(found[:end]) if each.kind == kind), None)


def trace_lineage(index: TraceIndex, pause: Callable[[], object] | None = None) -> TensorLineage:
    """Collect the appearances of tensors in all steps of a trace.

    Args:
        index: The trace.
        pause: Called every few steps, so that other work can run in between.
    """
    first: dict[int, TensorAppearance] = {}
    made: dict[int, int] = {}
    keys: dict[int, set[ValueKey]] = defaultdict(set)
    found: dict[ValueKey, list[TensorAppearance]] = defaultdict(list)
    for number, key in _leaves(index):
        keys[number].add(key)
    for step in index.trace.steps:
        if pause is not None and step.number % STEPS_BETWEEN_PAUSES == 0:
            pause()
        for each in _appearances(index, step):
            is_first = first.setdefault(each.tensor, each) is each
            if each.key is not None:
                keys[each.tensor].add(each.key)
                found[each.key].append(each)
            if is_first and each.role in MADE:
                made[each.tensor] = step.number
            elif (
                each.role in ("output", "returned", "passed")
                and each.tensor in made
                and runs_within(index, step.number, made[each.tensor])
            ):
                # What a Function returns may come from a call within it, which began later.
                made[each.tensor] = step.number
    return TensorLineage(
        first=first,
        made=made,
        keys={number: frozenset(group) for number, group in keys.items()},
        found={key: tuple(group) for key, group in found.items()},
    )


def tensors_in(index: TraceIndex, step: Step) -> Iterator[int]:
    """The tensors of a step, possibly with repeats."""
    for each in _appearances(index, step):
        yield each.tensor


def named_tensors_in(index: TraceIndex, step: Step) -> Iterator[tuple[str, int]]:
    """Name and number of the tensors of a step, possibly with repeats."""
    for each in _appearances(index, step):
        yield each.name, each.tensor


def _leaves(index: TraceIndex) -> Iterator[tuple[int, ValueKey]]:
    for node in index.trace.nodes:
        if node.variable is not None:
            yield node.variable, (node.id, 0)


def _appearances(index: TraceIndex, step: Step) -> Iterator[TensorAppearance]:
    counts: Counter[StepRole] = Counter()
    keys = _keys(index, step)
    for role, item in values_of(step):
        if item.tensor is not None:
            yield TensorAppearance(
                step=step.number,
                role=role,
                name=item.name,
                tensor=item.tensor,
                key=keys.get((role, counts[role])),
            )
        counts[role] += 1


def _keys(index: TraceIndex, step: Step) -> dict[tuple[StepRole, int], ValueKey | None]:
    """The value that each item of a step is, or whose gradient it is, by role and position."""
    if isinstance(step, ForwardStep):
        return _of_forward(index, step)
    if isinstance(step, NodeStep):
        return _of_node(index, step)
    if isinstance(step, AccumulateStep):
        own: tuple[StepRole, ...] = ("contribution", "total", "leaf")
        return {(role, 0): (step.node, 0) for role in own}
    if isinstance(step, PassEndStep):
        return {("total", at): (each.node, 0) for at, each in enumerate(step.totals)}
    if isinstance(step, PassBeginStep):
        roots: tuple[StepRole, ...] = ("root", "root_gradient")
        keys = [(root.node, root.output_nr) for root in step.roots]
        return {(role, at): key for role in roots for at, key in enumerate(keys)}
    return {}


def _of_forward(
    index: TraceIndex, step: ForwardStep
) -> dict[tuple[StepRole, int], ValueKey | None]:
    if step.node is None:
        return {}
    keys: dict[tuple[StepRole, int], ValueKey | None] = {
        ("output", at): (step.node, at) for at in range(len(step.outputs))
    }
    # The arguments of a custom Function are known if a pass executed its node.
    visits = () if step.call is None else index.visits.get(step.node, ())
    executed = (index.trace.steps[visit - 1] for visit in visits)
    ran = next((each for each in executed if isinstance(each, NodeStep)), None)
    passed = {} if ran is None else _keys_passed(index, ran)
    return keys | {("input", at): key for at, key in passed.items()}


def _keys_passed(index: TraceIndex, step: NodeStep) -> dict[int, ValueKey]:
    keys: dict[int, ValueKey] = {}
    for passed in step.passed:
        edge = index.edge.get(passed.edge) if passed.edge is not None else None
        if edge is not None and passed.argument is not None:
            keys[passed.argument] = (edge.target, edge.target_slot)
    return keys


def _of_node(index: TraceIndex, step: NodeStep) -> dict[tuple[StepRole, int], ValueKey | None]:
    keys: dict[tuple[StepRole, int], ValueKey | None] = {
        ("returned", at): key for at, key in _keys_passed(index, step).items()
    }
    keys |= {("incoming", at): (step.node, at) for at in range(len(step.incoming))}
    keys |= {("received", at): (step.node, at) for at in range(len(step.received))}
    for at, passed in enumerate(step.passed):
        edge = index.edge.get(passed.edge) if passed.edge is not None else None
        if edge is not None:
            keys["passed", at] = (edge.target, edge.target_slot)
    return keys
