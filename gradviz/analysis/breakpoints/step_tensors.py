"""Inputs and outputs of each step and line, as tensor numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gradviz.analysis.index.step_queries import pass_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.inside import ExecutedLine, StageRecord
from gradviz.model.item import Item
from gradviz.model.step import AccumulateStep, ForwardStep, NodeStep, PassBeginStep, Step

TensorIds = frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTensors:
    """The tensors of one step.

    Attributes:
        arrives: Inputs of the step.
        knows: Other tensors it can use: those that its node saved, or its call received or made.
        made: Tensors that the step itself created.
        engine: Tensors that the engine created from those.
    """

    arrives: TensorIds = frozenset()
    knows: TensorIds = frozenset()
    made: TensorIds = frozenset()
    engine: TensorIds = frozenset()


def tensors_in(items: Iterable[Item | None]) -> TensorIds:
    """Numbers of the tensors among the items."""
    return frozenset(
        [each.tensor for each in items if each is not None and each.tensor is not None]
    )


def tensors_of_step(index: TraceIndex, step: Step) -> StepTensors:
    """Inputs and outputs of a step on the node level."""
    match step:
        case ForwardStep():
            return StepTensors(arrives=tensors_in(step.inputs), made=tensors_in(step.outputs))
        case PassBeginStep():
            values = tensors_in(root.value for root in step.roots)
            return StepTensors(arrives=values | tensors_in(root.gradient for root in step.roots))
        case NodeStep():
            return _of_node(index, step)
        case AccumulateStep():
            return StepTensors(
                arrives=tensors_in([step.contribution]), made=tensors_in([step.total])
            )
        case _:
            return StepTensors()


def gradients_of(index: TraceIndex, step: Step) -> StepTensors:
    """Gradients among the inputs and outputs of a step."""
    match step:
        case ForwardStep():
            return StepTensors()
        case PassBeginStep():
            return StepTensors(arrives=tensors_in(root.gradient for root in step.roots))
        case NodeStep():
            made, passed = tensors_in(step.returned), _passed(step)
            arrives = tensors_in((*step.incoming, *step.received))
            return _parted(arrives, frozenset(), made, passed)
        case _:
            return tensors_of_step(index, step)


def _of_node(index: TraceIndex, step: NodeStep) -> StepTensors:
    knows = tensors_in(slot.item for slot in index.saved.get(step.node, ()))
    node = index.node.get(step.node)
    call = None if node is None or node.call is None else index.call.get(node.call)
    if call is not None:
        knows |= tensors_in((*call.arguments, *call.outputs, *call.attributes))
    arrives = tensors_in((*step.incoming, *step.received))
    return _parted(arrives, knows, tensors_in(step.returned), _passed(step))


def _parted(
    arrives: TensorIds, knows: TensorIds, returned: TensorIds, passed: TensorIds
) -> StepTensors:
    """For a custom Function, separate what it returned from what the engine created."""
    if not returned:
        return StepTensors(arrives=arrives, knows=knows, made=passed)
    return StepTensors(arrives=arrives, knows=knows, made=returned, engine=passed - returned)


def _passed(step: NodeStep) -> TensorIds:
    return tensors_in(passed.item for passed in step.passed)


def leaf_of(index: TraceIndex, node: int) -> tuple[str, int]:
    """A key for the leaf of a node, since torch may replace ``AccumulateGrad`` nodes."""
    variable = index.node[node].variable
    storage = None if variable is None else index.tensor.bare(variable).storage
    return ("node", node) if storage is None else ("storage", storage)


def sent_to(index: TraceIndex, step: Step) -> TensorIds:
    """The gradients that other nodes sent to the node of a step, before they are summed."""
    if not isinstance(step, NodeStep | AccumulateStep):
        return frozenset()
    span = pass_at(index, step.number)
    if span is None:
        return frozenset()
    sent = [
        flow.item
        for edge in index.arriving.get(step.node, ())
        for flow in index.flows.get(edge.id, ())
        if span.first <= flow.step < step.number
    ]
    return tensors_in([*sent, *[root.gradient for root in span.roots if root.node == step.node]])


def tensors_left_by_line(line: ExecutedLine) -> TensorIds:
    """Tensors that a line assigns to variables, or returns."""
    return tensors_in((*line.changes, line.result))


def variables_before(part: StageRecord) -> list[dict[str, int]]:
    """For each line, the tensors in the variables of its function before it ran, by name."""
    now = [
        {item.name: item.tensor for item in frame.arguments if item.tensor is not None}
        for frame in part.frames
    ]
    before: list[dict[str, int]] = []
    for line in part.lines:
        variables = now[line.frame]
        before.append(variables)
        # A copy, because ``before`` keeps the dict of this line.
        after = {name: at for name, at in variables.items() if name not in line.removed}
        for item in line.changes:
            after.pop(item.name, None)
            if item.tensor is not None:
                after[item.name] = item.tensor
        now[line.frame] = after
    return before


def callers(part: StageRecord, line: int | None) -> list[int | None]:
    """A line and its callers, innermost first, followed by None for the stage."""
    chain: list[int | None] = []
    while line is not None:
        chain.append(line)
        line = part.frames[part.lines[line].frame].caller
    return [*chain, None]
