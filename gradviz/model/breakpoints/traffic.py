"""What goes into each step and each line, and what comes out, as numbers of tensors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gradviz.model.index import Index
from gradviz.model.inside import Line, Part
from gradviz.model.item import Item
from gradviz.model.query import pass_at
from gradviz.model.step import AccumulateStep, ForwardStep, NodeStep, PassBeginStep, Step

Tensors = frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """The tensors of one step.

    Attributes:
        arrives: What it is handed.
        knows: What else it can compute from: what its node saved.
        made: What it makes itself.
        engine: What the engine makes of that.
    """

    arrives: Tensors = frozenset()
    knows: Tensors = frozenset()
    made: Tensors = frozenset()
    engine: Tensors = frozenset()


def tensors_in(items: Iterable[Item | None]) -> Tensors:
    """Numbers of the tensors among some items."""
    return frozenset(
        [each.tensor for each in items if each is not None and each.tensor is not None]
    )


def traffic_of(index: Index, step: Step) -> Traffic:
    """What goes in and comes out of a step on the node level."""
    match step:
        case ForwardStep():
            return Traffic(arrives=tensors_in(step.inputs), made=tensors_in(step.outputs))
        case PassBeginStep():
            values = tensors_in(root.value for root in step.roots)
            return Traffic(arrives=values | tensors_in(root.gradient for root in step.roots))
        case NodeStep():
            return _of_node(index, step)
        case AccumulateStep():
            return Traffic(arrives=tensors_in([step.contribution]), made=tensors_in([step.total]))
        case _:
            return Traffic()


def gradients_of(index: Index, step: Step) -> Traffic:
    """The gradients among what goes in and comes out of a step."""
    match step:
        case ForwardStep():
            return Traffic()
        case PassBeginStep():
            return Traffic(arrives=tensors_in(root.gradient for root in step.roots))
        case NodeStep():
            made, passed = tensors_in(step.returned), _passed(step)
            arrives = tensors_in((*step.incoming, *step.received))
            return _parted(arrives, frozenset(), made, passed)
        case _:
            return traffic_of(index, step)


def _of_node(index: Index, step: NodeStep) -> Traffic:
    knows = tensors_in(slot.item for slot in index.saved.get(step.node, ()))
    node = index.node.get(step.node)
    call = None if node is None or node.call is None else index.call.get(node.call)
    if call is not None:
        knows |= tensors_in((*call.arguments, *call.outputs, *call.attributes))
    arrives = tensors_in((*step.incoming, *step.received))
    return _parted(arrives, knows, tensors_in(step.returned), _passed(step))


def _parted(arrives: Tensors, knows: Tensors, returned: Tensors, passed: Tensors) -> Traffic:
    """Of a custom Function, what it returned is told from what the engine made of that."""
    if not returned:
        return Traffic(arrives=arrives, knows=knows, made=passed)
    return Traffic(arrives=arrives, knows=knows, made=returned, engine=passed - returned)


def _passed(step: NodeStep) -> Tensors:
    return tensors_in(passed.item for passed in step.passed)


def leaf_of(index: Index, node: int) -> tuple[str, int]:
    """A key for the leaf of an ``AccumulateGrad``: torch may make another one for each pass."""
    variable = index.node[node].variable
    storage = None if variable is None else index.tensor.bare(variable).storage
    return ("node", node) if storage is None else ("storage", storage)


def sent_to(index: Index, step: Step) -> Tensors:
    """The gradients that other nodes sent to the node of a step, whose sum arrives there."""
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


def left_by(line: Line) -> Tensors:
    """What a line leaves in variables, or returns."""
    return tensors_in((*line.changes, line.result))


def variables_before(part: Part) -> list[dict[str, int]]:
    """Of each line the tensors in the variables of its function, by name, when it began."""
    now = [
        {item.name: item.tensor for item in frame.arguments if item.tensor is not None}
        for frame in part.frames
    ]
    before: list[dict[str, int]] = []
    for line in part.lines:
        variables = now[line.frame]
        before.append(variables)
        after = {name: at for name, at in variables.items() if name not in line.removed}
        for item in line.changes:
            after.pop(item.name, None)
            if item.tensor is not None:
                after[item.name] = item.tensor
        now[line.frame] = after
    return before


def callers(part: Part, line: int | None) -> list[int | None]:
    """A line with the lines that it was called from, innermost first, and the stage as None."""
    chain: list[int | None] = []
    while line is not None:
        chain.append(line)
        line = part.frames[part.lines[line].frame].caller
    return [*chain, None]
