"""Where each tensor occurs in a run, and which tensors are a value and its gradients."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from gradviz.analysis.index.step_queries import runs_within
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.item import Item
from gradviz.model.step import (
    AccumulateStep,
    DispatchStep,
    ForwardStep,
    NodeStep,
    OptimizerStep,
    PassBeginStep,
    PassEndStep,
    Step,
)

AppearanceRole = Literal[
    "argument",
    "output",
    "value",
    "start",
    "incoming",
    "received",
    "returned",
    "passed",
    "contribution",
    "total",
    "result",
]
"""Role of a tensor in a step: a pass differentiates ``value`` and starts with ``start``."""

AppearanceKind = Literal["value", "gradient", "total"]
"""A value of the forward, a gradient with respect to it, or the sum accumulated in ``.grad``."""

ValueKey = tuple[int, int]
"""A forward value as autograd identifies it: a node and the index of its output; a leaf is output 0
of its ``AccumulateGrad`` node.
"""

STEPS_BETWEEN_PAUSES = 50
"""This many steps take about a millisecond."""

_MADE: tuple[AppearanceRole, ...] = ("output", "start", "returned", "passed", "total", "result")


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorAppearance:
    """A place in the run at which a tensor occurs.

    Attributes:
        step: Number of the step.
        role: Role of the tensor in the step.
        name: Name of the tensor at that place.
        tensor: Number of the tensor.
        key: The value that it is, or whose gradient it is; None if unknown.
    """

    step: int
    role: AppearanceRole
    name: str
    tensor: int
    key: ValueKey | None

    @property
    def kind(self) -> AppearanceKind:
        """Whether it is a value, a gradient or an accumulated total."""
        if self.role in ("argument", "output", "value"):
            return "value"
        return "total" if self.role == "total" else "gradient"


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorLineage:
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
            if is_first and each.role in _MADE:
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
    match step:
        case ForwardStep():
            yield from _forward(index, step)
        case PassBeginStep():
            for root in step.roots:
                key = (root.node, root.output_nr)
                yield from _one(step.number, "value", root.value, key)
                yield from _one(step.number, "start", root.gradient, key)
        case NodeStep():
            yield from _node(index, step)
        case AccumulateStep():
            yield from _one(step.number, "contribution", step.contribution, (step.node, 0))
            yield from _one(step.number, "total", step.total, (step.node, 0))
        case PassEndStep():
            yield from _at_end(step)
        case DispatchStep():
            yield from _given_and_made(step.number, step.inputs, step.outputs)
        case OptimizerStep():
            yield from _given_and_made(step.number, step.before, step.after)
        case _:
            return


def _at_end(step: PassEndStep) -> Iterator[TensorAppearance]:
    for item in step.results:
        yield from _one(step.number, "result", item, None)
    for each in step.totals:
        yield from _one(step.number, "total", each.total, (each.node, 0))


def _given_and_made(
    number: int, given: Sequence[Item], made: Sequence[Item]
) -> Iterator[TensorAppearance]:
    for item in given:
        yield from _one(number, "argument", item, None)
    for item in made:
        yield from _one(number, "output", item, None)


def _forward(index: TraceIndex, step: ForwardStep) -> Iterator[TensorAppearance]:
    keys = _argument_keys(index, step)
    for place, item in enumerate(step.inputs):
        yield from _one(step.number, "argument", item, keys.get(place))
    for place, item in enumerate(step.outputs):
        key = None if step.node is None else (step.node, place)
        yield from _one(step.number, "output", item, key)


def _argument_keys(index: TraceIndex, step: ForwardStep) -> dict[int, ValueKey]:
    """The value that each argument of a custom Function is, if a pass executed its node."""
    if step.node is None or step.call is None:
        return {}
    for visit in index.visits.get(step.node, ()):
        executed = index.trace.steps[visit - 1]
        if isinstance(executed, NodeStep):
            return _keys_passed(index, executed)
    return {}


def _keys_passed(index: TraceIndex, step: NodeStep) -> dict[int, ValueKey]:
    keys: dict[int, ValueKey] = {}
    for passed in step.passed:
        edge = index.edge.get(passed.edge) if passed.edge is not None else None
        if edge is not None and passed.argument is not None:
            keys[passed.argument] = (edge.target, edge.target_slot)
    return keys


def _node(index: TraceIndex, step: NodeStep) -> Iterator[TensorAppearance]:
    for place, item in enumerate(step.incoming):
        yield from _one(step.number, "incoming", item, (step.node, place))
    for place, item in enumerate(step.received):
        yield from _one(step.number, "received", item, (step.node, place))
    keys = _keys_passed(index, step)
    for place, item in enumerate(step.returned):
        yield from _one(step.number, "returned", item, keys.get(place))
    for passed in step.passed:
        edge = index.edge.get(passed.edge) if passed.edge is not None else None
        key = None if edge is None else (edge.target, edge.target_slot)
        yield from _one(step.number, "passed", passed.item, key)


def _one(
    number: int, role: AppearanceRole, item: Item, key: ValueKey | None
) -> Iterator[TensorAppearance]:
    if item.tensor is not None:
        yield TensorAppearance(step=number, role=role, name=item.name, tensor=item.tensor, key=key)
