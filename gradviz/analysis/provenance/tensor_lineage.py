"""Where each tensor occurs in a run, and which tensors are a value and its gradients."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cached_property
from typing import Literal

import numpy as np
from msgspec import Struct

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.columns import PASS_BEGIN, PASS_END, IntColumn
from gradviz.model.step import (
    AccumulateStep,
    DispatchStep,
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


class TensorLineage:
    """Finds the occurrences of tensors in a trace, and which tensors belong to the same value.

    Reads only the steps that an answer needs, from any thread, and keeps the long answers.
    """

    def __init__(self, index: TraceIndex) -> None:
        self._index = index
        self._keys: dict[int, frozenset[ValueKey]] = {}
        self._found: dict[ValueKey, tuple[TensorAppearance, ...]] = {}

    @cached_property
    def _by_tensor(self) -> tuple[IntColumn, IntColumn]:
        """All occurrences, ordered by tensor and then by step: the tensors, and the steps."""
        columns = self._index.steps
        order = np.argsort(columns.occurring, kind="stable")
        return columns.occurring[order], columns.occurring_in[order]

    def _steps_of(self, tensor: int) -> IntColumn:
        """Numbers of the steps in which a tensor occurs, ascending."""
        tensors, steps = self._by_tensor
        low, high = np.searchsorted(tensors, (tensor, tensor + 1)).tolist()
        return np.unique(steps[low:high])

    def _in_step(self, number: int) -> Iterator[TensorAppearance]:
        return appearances_in(self._index, self._index.trace.steps[number - 1])

    def first(self, tensor: int) -> TensorAppearance | None:
        """First appearance of a tensor; None if no step has it."""
        numbers = self._steps_of(tensor)[:1].tolist()
        found = (each for number in numbers for each in self._in_step(number))
        return next((each for each in found if each.tensor == tensor), None)

    def firsts(self) -> Iterator[TensorAppearance]:
        """First appearances of all tensors, in order of the run."""
        seen: set[int] = set()
        columns = self._index.steps
        _, places = np.unique(columns.occurring, return_index=True)
        for number in np.unique(columns.occurring_in[places]).tolist():
            for each in self._in_step(number):
                if each.tensor not in seen:
                    seen.add(each.tensor)
                    yield each

    def made_at(self, tensor: int) -> int | None:
        """The step that created a tensor; None if it already existed, as a leaf does.

        The innermost of nested ones: what a Function returns may come from a call within it, which
        began later.
        """
        first = self.first(tensor)
        if first is None or first.role not in MADE:
            return None
        made, started = first.step, self._index.steps.started
        later = self._steps_of(tensor)
        while True:
            step = self._index.trace.steps[made - 1]
            if not isinstance(step, ForwardStep | NodeStep | DispatchStep):
                return made
            later = later[later > made]
            later = later[started[later - 1] < step.started_ns + step.duration_ns]
            inner = (number for number in later.tolist() if self._returns(number, tensor))
            found = next(inner, None)
            if found is None:
                return made
            made = found

    def _returns(self, number: int, tensor: int) -> bool:
        found = self._in_step(number)
        return any(each.tensor == tensor and each.role in _RETURNED for each in found)

    def keys(self, tensor: int) -> frozenset[ValueKey]:
        """The values that a tensor is, or whose gradient it is."""
        known = self._keys.get(tensor)
        if known is None:
            steps = self._steps_of(tensor).tolist()
            found = [each for number in steps for each in self._in_step(number)]
            known = frozenset([each.key for each in found if each.tensor == tensor and each.key])
            self._keys[tensor] = known = known | self._of_leaf.get(tensor, frozenset())
        return known

    @cached_property
    def _of_leaf(self) -> dict[int, frozenset[ValueKey]]:
        keys: dict[int, set[ValueKey]] = defaultdict(set)
        for node in self._index.trace.nodes:
            if node.variable is not None:
                keys[node.variable].add((node.id, 0))
        return {tensor: frozenset(each) for tensor, each in keys.items()}

    def related(self, one: int, other: int) -> bool:
        """Whether two tensors are the same, or belong to the same value or its gradients."""
        return one == other or not self.keys(one).isdisjoint(self.keys(other))

    def at(self, tensor: int, number: int) -> TensorAppearance | None:
        """Latest appearance of a tensor up to a step; None if no value is known for it."""
        steps = self._steps_of(tensor)
        for step in reversed(steps[steps <= number].tolist()):
            for each in self._in_step(step):
                if each.tensor == tensor and each.key is not None:
                    return each
        return None

    def named(self, name: str, kind: AppearanceKind) -> ValueKey | None:
        """The first value with an appearance of a kind under a name; None if there is none."""
        numbers = range(1, len(self._index.trace.steps) + 1)
        found = (each for number in numbers for each in self._in_step(number))
        keys = (each.key for each in found if each.name == name and each.kind == kind)
        return next((key for key in keys if key is not None), None)

    def latest(self, key: ValueKey, kind: AppearanceKind, number: int) -> TensorAppearance | None:
        """Latest tensor of a kind for a value up to a step; None if there is none yet."""
        found = self.of_value(key)
        end = bisect_right(found, number, key=lambda each: each.step)
        return next((each for each in reversed(found[:end]) if each.kind == kind), None)

    def of_value(self, key: ValueKey) -> tuple[TensorAppearance, ...]:
        """All appearances of a value and its gradients, in order of the run."""
        known = self._found.get(key)
        if known is None:
            steps = self._steps_with(key)
            found = [each for number in steps for each in self._in_step(number)]
            self._found[key] = known = tuple([each for each in found if each.key == key])
        return known

    def _steps_with(self, key: ValueKey) -> list[int]:
        """Numbers of the steps that may have a value or a gradient of it, ascending."""
        (node, slot), columns = key, self._index.steps
        # What passes a gradient to it, and in a Function's forward its argument.
        before = [
            edge.source for edge in self._index.arriving.get(node, ()) if edge.target_slot == slot
        ]
        has_node = np.isin(columns.nodes, (node, *before))
        of_passes = (columns.kinds == PASS_BEGIN) | (columns.kinds == PASS_END)
        numbers: list[int] = (np.flatnonzero(has_node | of_passes) + 1).tolist()
        return numbers


_RETURNED: frozenset[StepRole] = frozenset(("output", "returned", "passed"))


def tensors_in(index: TraceIndex, step: Step) -> Iterator[int]:
    """The tensors of a step, possibly with repeats."""
    for each in appearances_in(index, step):
        yield each.tensor


def named_tensors_in(index: TraceIndex, step: Step) -> Iterator[tuple[str, int]]:
    """Name and number of the tensors of a step, possibly with repeats."""
    for each in appearances_in(index, step):
        yield each.name, each.tensor


def appearances_in(index: TraceIndex, step: Step) -> Iterator[TensorAppearance]:
    """The appearances of tensors in a step, in the order of its fields."""
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
