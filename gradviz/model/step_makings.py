"""Find what produced a tensor if no op is recorded: a call, a node, or the engine."""

from __future__ import annotations

from gradviz.model.index import Index
from gradviz.model.item import Item, tensor_item
from gradviz.model.making import Making, Moment, holds, making_of
from gradviz.model.places import Place
from gradviz.model.query import pass_at, step_at
from gradviz.model.step import AccumulateStep, ForwardStep, NodeStep, PassBeginStep, Step
from gradviz.model.twins import Twins


class StepMakings:
    """Finds producers within single steps."""

    def __init__(self, index: Index, twins: Twins) -> None:
        """Use a trace and its groups of identical tensors."""
        self._index = index
        self._twins = twins

    def find(self, number: int, twins: tuple[int, ...], before: Moment) -> Making | None:
        """The part of a step that output the tensor before a moment; None if there is none."""
        step = step_at(self._index, number)
        made: Making | None = None
        match step:
            case ForwardStep() if holds(step.outputs, twins):
                made = _call(step)
            case NodeStep():
                made = self._by_node(step, twins)
            case AccumulateStep():
                made = self._by_accumulation(step, twins)
            case PassBeginStep():
                started = tuple(root.gradient for root in step.roots)
                if holds(started, twins):
                    made = making_of(Place(step=number), "start", "", (), started)
        return made if made is not None and made.ended < before else None

    def _by_node(self, step: NodeStep, twins: tuple[int, ...]) -> Making | None:
        index, place = self._index, Place(step=step.number)
        name = index.node[step.node].name
        if holds(step.incoming, twins):
            return self._sum(step, twins)
        if holds(step.received, twins):
            return making_of(place, "zeros", name, (), step.received)
        given = (*(step.received or step.incoming), *self._saved(step))
        if holds(step.returned, twins):
            here = Place(step=step.number, stage="backward")
            return making_of(here, "node", name, given, step.returned)
        for passed in step.passed:
            if passed.item.tensor in twins:
                if passed.argument is None or passed.argument >= len(step.returned):
                    items = tuple(each.item for each in step.passed)
                    here = Place(step=step.number, stage="backward")
                    return making_of(here, "node", name, given, items)
                returned = (step.returned[passed.argument],)
                here = Place(step=step.number, stage="engine")
                return making_of(here, "engine", passed.change, returned, (passed.item,))
        return None

    def _saved(self, step: NodeStep) -> tuple[Item, ...]:
        return tuple(slot.item for slot in self._index.saved.get(step.node, ()))

    def _sum(self, step: NodeStep, twins: tuple[int, ...]) -> Making | None:
        """The sum of gradients that arrived along several edges."""
        index = self._index
        span = pass_at(index, step.number)
        slot = next(at for at, item in enumerate(step.incoming) if item.tensor in twins)
        parts = [
            flow.item
            for edge in index.arriving.get(step.node, ())
            if edge.target_slot == slot
            for flow in index.flows.get(edge.id, ())
            if span is not None and span.first <= flow.step < step.number
        ]
        if not parts:
            return None
        name = index.node[step.node].name
        return making_of(Place(step=step.number), "sum", name, tuple(parts), (step.incoming[slot],))

    def _by_accumulation(self, step: AccumulateStep, twins: tuple[int, ...]) -> Making | None:
        name = self._index.node[step.node].name
        place = Place(step=step.number)
        if step.contribution.tensor in twins:
            edges = self._index.arriving.get(step.node, ())
            span = pass_at(self._index, step.number)
            parts = tuple(
                flow.item
                for edge in edges
                for flow in self._index.flows.get(edge.id, ())
                if span is not None and span.first <= flow.step < step.number
            )
            return making_of(place, "sum", name, parts, (step.contribution,)) if parts else None
        before = self._total_before(step)
        given = (step.contribution,) if before is None else (step.contribution, before)
        here = Place(step=step.number, stage="accumulate")
        return making_of(here, "accumulate", name, given, (step.total,))

    def _total_before(self, step: AccumulateStep) -> Item | None:
        """The last earlier tensor of the trace in the memory of a leaf's gradient."""
        tensor = step.total.tensor
        storage = None if tensor is None else self._index.tensor.bare(tensor).storage
        if tensor is None or storage is None:
            return None
        twins = self._twins.of(tensor)
        same = self._twins.sharing(storage)
        earlier = [each for each in same if each < tensor and each not in twins]
        return tensor_item(step.total.name, earlier[-1]) if earlier else None


def inputs_of(index: Index, step: Step | None) -> tuple[Item, ...]:
    """The inputs of a step, including the values that its node saved."""
    match step:
        case ForwardStep():
            return step.inputs
        case NodeStep():
            saved = tuple(slot.item for slot in index.saved.get(step.node, ()))
            return (*(step.received or step.incoming), *saved)
        case _:
            return ()


def _call(step: ForwardStep) -> Making:
    place = Place(step=step.number, stage="forward")
    return making_of(place, "call", step.op, step.inputs, step.outputs)
