"""Find what produced each tensor of a run: an op if recorded, a step, or the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from msgspec.structs import replace

from gradviz.analysis.index.step_queries import pass_at, runs_within, step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.provenance.producer import (
    AFTER_STAGES,
    Moment,
    Producer,
    contains_any,
    make_producer,
    op_moment,
)
from gradviz.analysis.provenance.tensor_lineage import TensorLineage
from gradviz.catalogue.messages import say
from gradviz.model.inside import Op, StageRecord
from gradviz.model.item import Item, tensor_item
from gradviz.model.step import (
    AccumulateStep,
    DispatchStep,
    ErrorStep,
    ForwardStep,
    MissingStep,
    NodeStep,
    OptimizerStep,
    PassBeginStep,
    PassEndStep,
    Step,
)
from gradviz.model.step_values import MADE, VALUES, values_of
from gradviz.model.tensor import TensorRecord


class TensorAliases:
    """Looks up tensors that share a storage, and numbers that stand for the same tensor."""

    def __init__(self, index: TraceIndex) -> None:
        """Sort the tensors of a trace by storage."""
        self._index = index
        # Sorted, because it is used at each step of a path and a linear search is too slow.
        self._order = np.argsort(index.tensors.storages, kind="stable")
        self._storages = index.tensors.storages[self._order]

    def tensors_in_memory(self, storage: int) -> list[int]:
        """The tensors that share a storage, ascending."""
        first, end = np.searchsorted(self._storages, (storage, storage + 1)).tolist()
        numbers: list[int] = self._index.tensors.ids[self._order[first:end]].tolist()
        return numbers

    def of(self, tensor: int) -> tuple[int, ...]:
        """All numbers of the same tensor in the trace, with this one first."""
        record = self._index.tensor.bare(tensor)
        if record.storage is None:
            return (tensor,)
        others = [each for each in self.tensors_in_memory(record.storage) if each != tensor]
        return (tensor, *[other for other in others if self._is_equal(record, other)])

    def are_equal(self, one: int, other: int) -> bool:
        """Whether two tensors have equal elements, all stored, regardless of their memory."""
        first, second = self._index.tensor.bare(one), self._index.tensor.bare(other)
        if (first.shape, first.dtype) != (second.shape, second.dtype):
            return False
        if first.content != "whole" or second.content != "whole":
            return False
        value = self._index.value(one)
        return value is not None and value == self._index.value(other)

    def _is_equal(self, record: TensorRecord, other: int) -> bool:
        """Whether two tensors of one storage have the same layout and stored contents."""
        index, candidate = self._index, self._index.tensor.bare(other)
        if (candidate.shape, candidate.strides, candidate.dtype, candidate.content) != (
            record.shape,
            record.strides,
            record.dtype,
            record.content,
        ):
            return False
        if record.content != "whole" and (
            record.statistics is None or record.statistics != candidate.statistics
        ):
            return False
        if record.content == "statistics":
            return True
        value = None if record.content == "metadata" else index.value(record.id)
        return value is not None and value == index.value(other)


class StepProducers:
    """Finds producers within single steps."""

    def __init__(self, index: TraceIndex, aliases: TensorAliases) -> None:
        """Use a trace and its groups of identical tensors."""
        self._index = index
        self._aliases = aliases

    def find(self, number: int, aliases: tuple[int, ...], before: Moment) -> Producer | None:
        """The part of a step that output the tensor before a moment; None if there is none."""
        made = self._made(step_at(self._index, number), aliases)
        return made if made is not None and made.ended < before else None

    def _made(self, step: Step | None, aliases: tuple[int, ...]) -> Producer | None:
        match step:
            case ForwardStep():
                place = TracePosition(step=step.number, stage="forward")
                return _called(place, step.op, step, aliases)
            case DispatchStep():
                return _called(TracePosition(step=step.number), step.function, step, aliases)
            case NodeStep():
                return self._by_node(step, aliases)
            case AccumulateStep():
                return self._by_accumulation(step, aliases)
            case PassBeginStep():
                started = tuple(root.gradient for root in step.roots)
                if contains_any(started, aliases):
                    return make_producer(TracePosition(step=step.number), "start", "", (), started)
            case PassEndStep():
                return self._by_return(step, aliases)
            case OptimizerStep():
                return _by_update(step, aliases)
            case ErrorStep() | MissingStep() | None:
                pass
        return None

    def _by_node(self, step: NodeStep, aliases: tuple[int, ...]) -> Producer | None:
        index, place = self._index, TracePosition(step=step.number)
        name = index.node[step.node].name
        if contains_any(step.incoming, aliases):
            return self._sum(step, aliases)
        if contains_any(step.received, aliases):
            return make_producer(place, "zeros", name, (), step.received)
        given = step_inputs(index, step)
        if contains_any(step.returned, aliases):
            here = TracePosition(step=step.number, stage="backward")
            return make_producer(here, "node", name, given, step.returned)
        for passed in step.passed:
            if passed.item.tensor in aliases:
                if passed.argument is None or passed.argument >= len(step.returned):
                    items = tuple(each.item for each in step.passed)
                    here = TracePosition(step=step.number, stage="backward")
                    return make_producer(here, "node", name, given, items)
                returned = (step.returned[passed.argument],)
                here = TracePosition(step=step.number, stage="engine")
                return make_producer(here, "engine", passed.change, returned, (passed.item,))
        return None

    def _sum(self, step: NodeStep, aliases: tuple[int, ...]) -> Producer | None:
        """The sum of gradients that arrived along several edges."""
        index = self._index
        slot = next(at for at, item in enumerate(step.incoming) if item.tensor in aliases)
        parts = self._arrived(step.node, step.number, slot)
        if not parts:
            return None
        name = index.node[step.node].name
        return make_producer(
            TracePosition(step=step.number), "sum", name, parts, (step.incoming[slot],)
        )

    def _arrived(self, node: int, before: int, slot: int = 0) -> tuple[Item, ...]:
        """Gradients that arrived at a node in the pass of a step, before that step."""
        index, span = self._index, pass_at(self._index, before)
        return tuple(
            flow.item
            for edge in index.arriving.get(node, ())
            if edge.target_slot == slot
            for flow in index.flows.get(edge.id, ())
            if span is not None and span.first <= flow.step < before
        )

    def _by_return(self, step: PassEndStep, aliases: tuple[int, ...]) -> Producer | None:
        """The sum of the gradients for an input of ``autograd.grad``, whose node does not run.

        A total that changed before the end of the pass was changed by code that is not recorded.
        """
        index, span = self._index, pass_at(self._index, step.number)
        later = next((each for each in step.totals if each.total.tensor in aliases), None)
        if later is not None and span is not None:
            visits = [each for each in index.visits.get(later.node, ()) if each >= span.first]
            added = [index.trace.steps[visit - 1] for visit in visits if visit < step.number]
            given = tuple(each.total for each in added if isinstance(each, AccumulateStep))
            place = TracePosition(step=step.number)
            return make_producer(place, "unseen", "", given[-1:], (later.total,))
        item = next((each for each in step.results if each.tensor in aliases), None)
        if item is None or span is None:
            return None
        steps = index.trace.steps[span.first - 1 : step.number]
        ran = {each.node for each in steps if isinstance(each, NodeStep)}
        arrived = {node: self._arrived(node, step.number) for node in index.arriving.keys() - ran}
        sums = [node for node, parts in arrived.items() if len(parts) > 1]
        named = [node for node in sums if index.node[node].variable_name == item.name]
        if len(named or sums) != 1:
            return None
        (node,) = named or sums
        place = TracePosition(step=step.number)
        return make_producer(place, "sum", index.node[node].name, arrived[node], (item,))

    def _by_accumulation(self, step: AccumulateStep, aliases: tuple[int, ...]) -> Producer | None:
        name = self._index.node[step.node].name
        place = TracePosition(step=step.number)
        if step.contribution.tensor in aliases:
            parts = self._arrived(step.node, step.number)
            return make_producer(place, "sum", name, parts, (step.contribution,)) if parts else None
        if step.total.tensor not in aliases:
            return None
        before = self._total_before(step)
        given = (step.contribution,) if before is None else (step.contribution, before)
        here = TracePosition(step=step.number, stage="accumulate")
        return make_producer(here, "accumulate", name, given, (step.total,))

    def _total_before(self, step: AccumulateStep) -> Item | None:
        """The last earlier tensor of the trace in the memory of a leaf's gradient."""
        tensor = step.total.tensor
        storage = None if tensor is None else self._index.tensor.bare(tensor).storage
        if tensor is None or storage is None:
            return None
        aliases = self._aliases.of(tensor)
        same = self._aliases.tensors_in_memory(storage)
        earlier = [each for each in same if each < tensor and each not in aliases]
        return tensor_item(step.total.name, earlier[-1]) if earlier else None


def step_inputs(index: TraceIndex, step: Step | None) -> tuple[Item, ...]:
    """The inputs of a step, including the values that its node saved."""
    if isinstance(step, NodeStep):
        saved = tuple(slot.item for slot in index.saved.get(step.node, ()))
        return (*(step.received or step.incoming), *saved)
    values = () if step is None else values_of(step)
    return tuple(item for role, item in values if role not in MADE)


def _called(
    place: TracePosition, name: str, step: ForwardStep | DispatchStep, aliases: tuple[int, ...]
) -> Producer | None:
    if not contains_any(step.outputs, aliases):
        return None
    return make_producer(place, "call", name, step.inputs, step.outputs)


def _by_update(step: OptimizerStep, aliases: tuple[int, ...]) -> Producer | None:
    """The update of one parameter, from its old value, its gradient and options like ``lr``."""
    for at, item in enumerate(step.after):
        if item.tensor in aliases and step.before[at].tensor not in aliases:
            gradient = replace(step.gradients[at], name=f"{item.name}.grad")
            given = (step.before[at], gradient, *step.settings)
            place = TracePosition(step=step.number)
            return make_producer(place, "update", step.optimizer, given, (item,))
    return None


class Producers:
    """Looks up producers of tensors, from any thread."""

    def __init__(self, index: TraceIndex) -> None:
        self._index = index
        self._lineage = TensorLineage(index)
        self._inner: dict[int, TracePosition] | None = None
        self._aliases = TensorAliases(index)
        self._steps = StepProducers(index, self._aliases)

    def first_step(self, tensor: int) -> int:
        """Number of the first step that mentions a tensor; 1 if none does."""
        first = self._lineage.first(tensor)
        return 1 if first is None else first.step

    def in_order(self) -> Iterator[tuple[int, str, int]]:
        """Tensors that steps mention, in order of the run: number, name and step of each."""
        for first in self._lineage.firsts():
            yield first.tensor, first.name, first.step

    def by_ops(self) -> Iterator[tuple[int, str, int]]:
        """Outputs of ops, in the same form and order; some are mentioned by steps, too."""
        for number in self._index.inside:
            for part, at, _ in self._ops(number):
                op = part.ops[at]
                for item in op.outputs:
                    if item.tensor is not None:
                        name = say("where.output", name=item.name, op=op.name)
                        yield item.tensor, name, number

    def tensors_in_memory(self, storage: int) -> list[int]:
        """The tensors that share a storage, ascending."""
        return self._aliases.tensors_in_memory(storage)

    def aliases(self, tensor: int) -> tuple[int, ...]:
        """All numbers of the same tensor in the trace, with this one first."""
        return self._aliases.of(tensor)

    def of(self, tensor: int, before: Moment, *, everywhere: bool = True) -> Producer | None:
        """What produced the contents of a tensor; None if it already existed.

        Args:
            tensor: Number of the tensor.
            before: Moment at which it is seen; the latest producer before it is returned.
            everywhere: Whether to search the ops of the whole run for a tensor that no step
                mentions, which is slow for a long run.
        """
        aliases = self.aliases(tensor)
        here = before[0]
        return (
            self._in_step(here, aliases, before)
            or self._by_steps(aliases, before)
            or (self._anywhere(aliases, before) if everywhere else None)
            or self._by_write(here, aliases, before)
            or self._unseen(aliases, before)
        )

    def _in_step(self, number: int, aliases: tuple[int, ...], before: Moment) -> Producer | None:
        """The last op of a step, before a moment, that output the tensor."""
        return self._last(number, before, lambda op: _makes(op, aliases))

    def _last(self, number: int, before: Moment, makes: Callable[[Op], bool]) -> Producer | None:
        for part, at, place in reversed([*self._ops(number)]):
            if op_moment(place) < before and makes(part.ops[at]):
                return self._made_by(part.ops[at], place)
        return None

    def _made_by(self, op: Op, place: TracePosition) -> Producer:
        if op.seen or any(item.tensor is not None for item in op.inputs):
            return make_producer(place, "op", op.name, op.inputs, op.outputs)
        given = step_inputs(self._index, step_at(self._index, place.step))
        return make_producer(place, "unseen", op.name, given, op.outputs)

    def _ops(self, number: int) -> Iterator[tuple[StageRecord, int, TracePosition]]:
        inside = self._index.inside.get(number)
        for part in () if inside is None else inside.parts:
            for at, op in enumerate(part.ops):
                yield part, at, TracePosition(step=number, stage=part.stage, line=op.line, op=at)

    def _by_steps(self, aliases: tuple[int, ...], before: Moment) -> Producer | None:
        """The step that output the tensor, or a finer producer inside that step."""
        found = [
            first
            for alias in aliases
            if (first := self._lineage.first(alias)) is not None and first.role not in VALUES - MADE
        ]
        # The latest first, since the same memory can be written several times.
        for first in sorted(found, key=lambda each: -each.step):
            nested = runs_within(self._index, first.step, before[0])
            until = (first.step, AFTER_STAGES, 0) if nested else before
            # Finest first: an op says more than the step that contains it.
            for search in (self._in_step, self._by_write, self._steps.find):
                made = search(first.step, aliases, until)
                if made is not None:
                    return made
        return None

    def _anywhere(self, aliases: tuple[int, ...], before: Moment) -> Producer | None:
        """The op that output a tensor that no step mentions, such as a saved value."""
        # Only when needed, because it goes through all ops of the run.
        if self._inner is None:
            inner: dict[int, TracePosition] = {}
            for number in self._index.inside:
                for part, at, place in self._ops(number):
                    for item in part.ops[at].outputs:
                        if item.tensor is not None:
                            inner[item.tensor] = place
            self._inner = inner
        places = [self._inner[alias] for alias in aliases if alias in self._inner]
        places = [place for place in places if op_moment(place) < before]
        if not places:
            return None
        place = max(places, key=op_moment)
        return self._in_step(place.step, aliases, before)

    def _by_write(self, number: int, aliases: tuple[int, ...], before: Moment) -> Producer | None:
        """The last op of a step that wrote to the memory through another view."""
        storage = self._index.tensor.bare(aliases[0]).storage

        def writes(op: Op) -> bool:
            written = (op.inputs[each].tensor for each in op.writes if each < len(op.inputs))
            known = (self._index.tensor.bare(each) for each in written if each is not None)
            return any(each.storage == storage for each in known)

        return None if storage is None else self._last(number, before, writes)

    def _unseen(self, aliases: tuple[int, ...], before: Moment) -> Producer | None:
        """The step whose code must have created a tensor that no recorded event outputs.

        The tensor appeared within the step, is not one of its inputs, and did not exist before.
        """
        step = step_at(self._index, before[0])
        given = step_inputs(self._index, step)
        if step is None or not given:
            return None
        earliest = self._index.tensor.bare(min(aliases)).id
        known = [item.tensor for item in given if item.tensor is not None]
        if contains_any(given, aliases) or not known or earliest < max(known):
            return None
        place, outputs = self._first_line(step.number, aliases)
        return make_producer(place, "unseen", "", given, outputs)

    def _first_line(
        self, number: int, aliases: tuple[int, ...]
    ) -> tuple[TracePosition, tuple[Item, ...]]:
        """The first line of a step after which a variable holds the tensor or equal elements.

        NumPy arrays get a different memory each time they are recorded.
        """
        inside = self._index.inside.get(number)
        for part in () if inside is None else inside.parts:
            for at, line in enumerate(part.lines):
                for item in line.changes:
                    if item.tensor is not None and self._aliases.are_equal(item.tensor, aliases[0]):
                        found = tuple(tensor_item(item.name, alias) for alias in aliases)
                        return TracePosition(step=number, stage=part.stage, line=at), found
        return TracePosition(step=number), tuple(tensor_item("", alias) for alias in aliases)


def _makes(op: Op, aliases: tuple[int, ...]) -> bool:
    """Whether an op created a tensor, and did not just return an input unchanged."""
    if not contains_any(op.outputs, aliases):
        return False
    return bool(op.writes) or not contains_any(op.inputs, aliases)
