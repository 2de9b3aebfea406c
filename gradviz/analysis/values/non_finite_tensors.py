"""Find where NaN and Inf appear in a run: each affected tensor at its first step."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.messages import say
from gradviz.model.columns import INFINITIES, NANS
from gradviz.model.inside import Inside, Op
from gradviz.model.item import Item
from gradviz.model.step import ForwardStep, NodeStep, PassBeginStep, Step
from gradviz.model.step_values import values_of


@dataclass(frozen=True, slots=True, kw_only=True)
class NonFiniteTensor:
    """A tensor with NaN or Inf, at its first appearance in the run.

    Attributes:
        step: Number of the step.
        name: Name of the tensor at that place.
        tensor: Number of the tensor.
        nans: Number of NaN elements; None if there are some that were not counted.
        infinities: Number of infinite elements; None if there are some that were not counted.
        reaches: The first step at which a gradient or a result of the run has it, too; None if
            later steps replace it by finite values, as ``softmax`` does with a mask of -inf.
    """

    step: int
    name: str
    tensor: int
    nans: int | None
    infinities: int | None
    reaches: int | None


def find_non_finite(
    index: TraceIndex, cancelled: Callable[[], bool] = bool
) -> tuple[NonFiniteTensor, ...]:
    """Find the tensors with NaN or Inf, in the order in which the run first has them.

    A value that a step receives counts only if no earlier step had it: a bad gradient is reported
    where it was computed, not where it arrives. For a step without a NaN among its own values, the
    first op inside it that creates a NaN from inputs without one is reported; the same for Inf.

    Args:
        index: The trace.
        cancelled: Called from time to time; if it returns True, the result is incomplete or empty.
    """
    if not index.finite.look(cancelled=cancelled):
        return ()
    known = index.finite.not_finite()
    non_finite = known.copy()
    reached = _NonFiniteFlow(index, known, cancelled)
    found: list[NonFiniteTensor] = []
    for step in index.trace.steps if non_finite else ():
        for _, item in values_of(step):
            # `pop`, so that each tensor is reported once, where the run first has it.
            flags = non_finite.pop(item.tensor, 0) if item.tensor is not None else 0
            if flags:
                reaches = reached.from_item(step, item)
                found.append(_non_finite_tensor(index, step.number, item, flags, reaches))
        if not non_finite or cancelled():
            break
    if non_finite and not cancelled():
        found += _within(index, known, found, reached, cancelled)
    return tuple(sorted(found, key=lambda each: each.step))


def _within(
    index: TraceIndex,
    non_finite: dict[int, int],
    found: Sequence[NonFiniteTensor],
    reached: _NonFiniteFlow,
    cancelled: Callable[[], bool],
) -> list[NonFiniteTensor]:
    """NaN and Inf that only ops had, because later ops replaced them by finite values."""
    found_steps = {NANS: {each.step for each in found if each.nans != 0}}
    found_steps[INFINITIES] = {each.step for each in found if each.infinities != 0}
    more = []
    for kind, steps in found_steps.items():
        having = {tensor for tensor, flags in non_finite.items() if flags & kind}
        for number in index.inside if having else ():
            if cancelled():
                return []
            item = None if number in steps else _first_made(index.inside[number], having)
            if item is not None:
                reaches = reached.from_step(number)
                more.append(_non_finite_tensor(index, number, item, kind, reaches))
    return more


def _first_made(inside: Inside, having: Container[int]) -> Item | None:
    ops = (op for part in inside.parts for op in part.ops)
    return next((item for op in ops for item in _made_by(op, having)), None)


def _made_by(op: Op, non_finite: Container[int]) -> Iterator[Item]:
    """Outputs of an op that are among the given tensors, if none of its inputs is."""
    if not any(item.tensor in non_finite for item in op.inputs):
        for item in op.outputs:
            if item.tensor in non_finite:
                yield replace(item, name=say("where.output", name=item.name, op=op.name))


class _NonFiniteFlow:
    """Follows NaN and Inf of forward steps to gradients and results, from the end of the run."""

    def __init__(
        self, index: TraceIndex, non_finite: Mapping[int, int], cancelled: Callable[[], bool]
    ) -> None:
        self._index = index
        self._non_finite = non_finite
        self._of_memory: dict[int, int] = {}
        self._of_node: dict[int, int] = {}
        self._of_step: dict[int, int] = {}
        used: set[int] = set()
        for step in reversed(index.trace.steps) if non_finite else ():
            if cancelled():
                break
            if isinstance(step, NodeStep):
                self._add_node(step)
            elif isinstance(step, PassBeginStep):
                for memory in self._memories([root.value for root in step.roots]):
                    self._of_memory[memory] = step.number
            elif isinstance(step, ForwardStep):
                self._add_forward(step, used)

    def from_item(self, step: Step, item: Item) -> int | None:
        """The first gradient or result that has what an item of a step has; None if none does."""
        if not isinstance(step, ForwardStep):
            return step.number
        return min(map(self._of_memory.get, self._memories([item])), key=_or_never)

    def from_step(self, number: int) -> int | None:
        """Same for what only ops inside of a step have."""
        step = step_at(self._index, number)
        return self._of_step.get(number) if isinstance(step, ForwardStep) else number

    def _memories(self, items: Iterable[Item]) -> list[int]:
        """The memories of the items that are not finite; a tensor without one has its own."""
        ids = [each.tensor for each in items if each.tensor in self._non_finite]
        records = [self._index.tensor[number] for number in ids if number is not None]
        return [-each.id if each.storage is None else each.storage for each in records]

    def _add_node(self, step: NodeStep) -> None:
        made = [*step.returned, *(each.item for each in step.passed)]
        # Otherwise the gradient was so before.
        if self._memories(made) and not self._memories((*step.incoming, *step.received)):
            self._of_node[step.node] = step.number

    def _add_forward(self, step: ForwardStep, used: set[int]) -> None:
        outputs, nodes = self._memories(step.outputs), step.nodes or (step.node,)
        for memory in outputs:
            if memory not in used:
                # A result of the run, or something that no recorded step has followed.
                self._of_memory.setdefault(memory, step.number)
        reached = [self._of_memory.get(each) for each in outputs]
        reached += [self._of_node.get(node) for node in nodes if node is not None]
        inputs = self._memories(step.inputs)
        used.update(inputs)
        first = min(reached, key=_or_never, default=None)
        if first is not None:
            self._of_step[step.number] = first
            for memory in (*inputs, *outputs):
                self._of_memory[memory] = min(first, self._of_memory.get(memory, first))


def _or_never(step: int | None) -> float:
    return inf if step is None else step


def _non_finite_tensor(
    index: TraceIndex, step: int, item: Item, flags: int, reaches: int | None
) -> NonFiniteTensor:
    assert item.tensor is not None
    known = index.tensor[item.tensor].statistics
    nans = infinities = None
    if known is not None:
        nans, infinities = known.nans, known.infinities
    return NonFiniteTensor(
        step=step,
        name=item.name,
        tensor=item.tensor,
        nans=nans if flags & NANS else 0,
        infinities=infinities if flags & INFINITIES else 0,
        reaches=reaches,
    )
