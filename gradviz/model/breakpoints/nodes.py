"""Find the places of a run that belong to a node, a function or an op."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from gradviz.model.breakpoints.changing import parts_of
from gradviz.model.breakpoints.facts import Facts
from gradviz.model.breakpoints.point import AtFunction, Direction
from gradviz.model.columns import FORWARD
from gradviz.model.index import Index
from gradviz.model.places import Place
from gradviz.model.step import ForwardStep


def steps_about(index: Index, nodes: Iterable[int], direction: Direction) -> set[int]:
    """Numbers of the steps that create, execute or fail in one of the nodes."""
    wanted, columns = set(nodes), index.steps
    about = np.isin(columns.nodes, list(wanted))
    forward = columns.kinds == FORWARD
    found: set[int] = set()
    if direction != "backward":
        found |= set((np.flatnonzero(about & forward) + 1).tolist())
        found |= {number for number, made in columns.several.items() if wanted & set(made)}
    if direction != "forward":
        found |= set((np.flatnonzero(about & ~forward) + 1).tolist())
    return found


def named(facts: Facts, target: AtFunction) -> tuple[bool, Iterator[Place]]:
    """Places of a named function, node or inner op, and whether anything has that name."""
    index = facts.index
    nodes = {node.id for node in index.trace.nodes if target.name in (node.name, _short(node.name))}
    nodes |= {
        call.node
        for call in index.trace.calls
        if call.function == target.name and call.node is not None
    }
    steps: set[int] = set()
    forward = np.flatnonzero(index.steps.kinds == FORWARD) + 1
    for at in facts.paused(len(forward)):
        step = index.trace.steps[int(forward[at]) - 1]
        if isinstance(step, ForwardStep) and step.op == target.name:
            nodes.update(step.nodes)
            steps.add(step.number)
    ops = list(_ops(facts, target.name))
    known = bool(nodes or steps or ops)
    if target.direction == "backward":
        steps.clear()
    steps |= steps_about(index, nodes, target.direction)
    return known, _places(index, steps, ops, target.direction)


def _places(
    index: Index, steps: set[int], ops: list[Place], direction: Direction
) -> Iterator[Place]:
    yield from (Place(step=number) for number in steps)
    for place in ops:
        is_forward = index.steps.kinds[place.step - 1] == FORWARD
        if direction == "both" or (direction == "forward") == is_forward:
            yield place


def _short(name: str) -> str:
    """The usual name of torch's own nodes, without their namespace."""
    return name.removeprefix("torch::autograd::")


def _ops(facts: Facts, name: str) -> Iterator[Place]:
    for stage, part in parts_of(facts):
        for at, op in enumerate(part.ops):
            if op.name == name:
                yield Place(step=stage.step, stage=stage.stage, line=op.line, op=at)
