"""Inputs and outputs of each step and line, as tensor numbers."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass, replace
from typing import Final

from gradviz.analysis.index.step_queries import pass_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.inside import ExecutedLine, StageRecord
from gradviz.model.item import Item
from gradviz.model.step import AccumulateStep, NodeStep, PassBeginStep, PassEndStep, Step
from gradviz.model.step_values import MADE, ROLES, VALUES, StepRole, values_of

TensorIds = frozenset[int]

_ENGINES: Final[frozenset[StepRole]] = frozenset(("passed",))
"""What the engine makes of the values that a step created."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTensors:
    """The tensors of one step.

    Attributes:
        arrives: Inputs of the step.
        knows: Other tensors it can use: those that its node saved, or its call received or made.
        made: Tensors that the step itself created.
        engine: Tensors that the engine created from those.
        beside: Tensors that it has but does not compute with, such as the leaf of a gradient.
    """

    arrives: TensorIds = frozenset()
    knows: TensorIds = frozenset()
    made: TensorIds = frozenset()
    engine: TensorIds = frozenset()
    beside: TensorIds = frozenset()

    @property
    def all(self) -> TensorIds:
        """All tensors that are values of the step itself."""
        return self.arrives | self.made | self.engine | self.beside


def tensors_in(items: Iterable[Item | None]) -> TensorIds:
    """Numbers of the tensors among the items."""
    return frozenset(
        [each.tensor for each in items if each is not None and each.tensor is not None]
    )


def tensors_of_step(index: TraceIndex, step: Step) -> StepTensors:
    """Inputs and outputs of a step on the node level."""
    found = _of_roles(step, frozenset(ROLES.values()))
    if not isinstance(step, NodeStep):
        return found
    knows = tensors_in(slot.item for slot in index.saved.get(step.node, ()))
    node = index.node.get(step.node)
    call = None if node is None or node.call is None else index.call.get(node.call)
    if call is not None:
        knows |= tensors_in((*call.arguments, *call.outputs, *call.attributes))
    return replace(found, knows=knows)


def gradients_of(index: TraceIndex, step: Step) -> StepTensors:
    """Gradients among the inputs and outputs of a step."""
    return _of_roles(step, frozenset(ROLES.values()) - VALUES)


def _of_roles(step: Step, roles: Set[StepRole]) -> StepTensors:
    """For a custom Function, what the engine created is separate from what it returned."""
    values = [(role, item) for role, item in values_of(step) if role in roles]
    made = tensors_in(item for role, item in values if role in MADE and role not in _ENGINES)
    engine = tensors_in(item for role, item in values if role in _ENGINES)
    beside = tensors_in(item for role, item in values if role == "leaf")
    arrives = tensors_in(item for role, item in values if role not in MADE and role != "leaf")
    if isinstance(step, PassBeginStep):
        # Where the gradient comes from that a pass starts with is not part of the run.
        return StepTensors(arrives=arrives | made)
    if not made:
        return StepTensors(arrives=arrives, made=engine, beside=beside)
    return StepTensors(arrives=arrives, made=made, engine=engine - made, beside=beside)


def leaf_of(index: TraceIndex, node: int) -> tuple[str, int]:
    """A key for the leaf of a node, since torch may replace ``AccumulateGrad`` nodes."""
    variable = index.node[node].variable
    storage = None if variable is None else index.tensor.bare(variable).storage
    return ("node", node) if storage is None else ("storage", storage)


def sent_to(index: TraceIndex, step: Step) -> TensorIds:
    """The gradients that other nodes sent to the node of a step, before they are summed.

    The end of a pass sums those for the inputs of ``autograd.grad``, whose nodes do not run.
    """
    span = pass_at(index, step.number)
    if span is None or not isinstance(step, NodeStep | AccumulateStep | PassEndStep):
        return frozenset()
    nodes = index.arriving.keys() if isinstance(step, PassEndStep) else (step.node,)
    sent = [
        flow.item
        for node in nodes
        for edge in index.arriving.get(node, ())
        for flow in index.flows.get(edge.id, ())
        if span.first <= flow.step < step.number
    ]
    if isinstance(step, PassEndStep):
        return tensors_in(sent)
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
