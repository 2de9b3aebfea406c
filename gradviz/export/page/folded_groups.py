"""Drawings of the contents of the folded groups of a page's graph."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass

from gradviz.analysis.index.step_queries import node_at_step, step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.content.cards import leaf_name, node_name
from gradviz.drawing.content.drawn_graph import DrawnGraph, DrawnNode, TooLarge, group_graph
from gradviz.drawing.content.graph_builder import drawn_graph
from gradviz.drawing.content.group_cards import GroupNames
from gradviz.drawing.content.node_problems import NodeProblems
from gradviz.drawing.grouping.groups import FoldState, Hierarchy
from gradviz.model.graph import Node
from gradviz.model.step import DispatchStep, ForwardStep, PassBeginStep

MOST_GROUPS = 100
"""Folded groups whose contents a page draws at most."""

MOST_SEARCHED = 2_000_000
"""Nodes of the trace, times drawings of its groups: each drawing goes through all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldedGroup:
    """A folded group and its contents.

    Attributes:
        key: Its key.
        parent: Key of the folded group that contains it; empty if there is none.
        title: Its title.
        about: Title, class, and number of nodes and leaves.
        graph: The contents, in which inner groups are folded.
    """

    key: str
    parent: str
    title: str
    about: str
    graph: DrawnGraph


def folded_groups(
    index: TraceIndex, hierarchy: Hierarchy, graph: DrawnGraph, node_problems: NodeProblems
) -> Iterator[FoldedGroup]:
    """Find the groups that are folded in a drawing, and those that are folded in these.

    Outer groups come before inner ones, and earlier parts of forward before later ones.

    Args:
        index: The trace.
        hierarchy: Its groups.
        graph: The drawing.
        node_problems: Known problems of its nodes.
    """
    names = GroupNames(index, hierarchy)
    around: dict[str, tuple[str, ...]] = {"": ()}
    waiting = deque(("", box) for box in _folded(hierarchy, graph))
    for _ in range(min(MOST_GROUPS, MOST_SEARCHED // len(index.node))):
        if not waiting:
            return
        parent, box = waiting.popleft()
        around[box.group] = (*around[parent], box.group)
        folds = FoldState(opened=frozenset(around[box.group]))
        whole = drawn_graph(index, hierarchy=hierarchy, folds=folds, node_problems=node_problems)
        if isinstance(whole, TooLarge):
            continue
        contents = group_graph(whole, box.group)
        waiting += ((box.group, inner) for inner in _folded(hierarchy, contents) if inner.frame)
        group = hierarchy.groups[hierarchy.groups_by_key[box.group]]
        title = names.title(group)
        lines = title, *names.lines(group), names.counts(group)
        yield FoldedGroup(
            key=box.group,
            parent=parent,
            title=title,
            about=" · ".join(filter(None, lines)),
            graph=contents,
        )


def _folded(hierarchy: Hierarchy, graph: DrawnGraph) -> list[DrawnNode]:
    """The folded groups of a drawing in forward order."""

    def first(box: DrawnNode) -> int:
        return min(map(hierarchy.position.__getitem__, box.nodes))

    return sorted((node for node in graph.nodes if node.kind == "folded"), key=first)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSteps:
    """Where the nodes of each step are drawn.

    Attributes:
        groups: For each step, the key of the innermost group with a drawing around its node; empty
            if there is none or the step concerns the whole graph, None if it has no node.
        nodes: For each such group and for the graph around them, by key, the list
            ``[name, step, ...]`` of each node with the steps that created and executed it, in
            forward order.
    """

    groups: list[str | None]
    nodes: dict[str, list[list[str | int]]]


def group_steps(
    index: TraceIndex, hierarchy: Hierarchy, drawn: Container[str], numbers: Sequence[int]
) -> GroupSteps:
    """Find in which drawing the nodes of steps are.

    Args:
        index: The trace.
        hierarchy: Its groups.
        drawn: Keys of the groups with a drawing.
        numbers: The steps.
    """

    def innermost(node: int) -> str:
        keys = [group.key for group in hierarchy.around(node) if group.key in drawn]
        return keys[-1] if keys else ""

    groups = [_group_of_step(index, number, innermost) for number in numbers]
    steps: defaultdict[int, set[int]] = defaultdict(set)
    for number in numbers:
        step = step_at(index, number)
        nodes = step.nodes if isinstance(step, ForwardStep) else (node_at_step(index, number),)
        for node in nodes:
            if node is not None and not isinstance(step, PassBeginStep):
                steps[node].add(number)
    found: defaultdict[str, list[list[str | int]]] = defaultdict(list)
    for node in sorted(steps, key=hierarchy.position.__getitem__):
        found[innermost(node)].append([_name(index.node[node]), *sorted(steps[node])])
    return GroupSteps(groups=groups, nodes=dict(found))


def _group_of_step(index: TraceIndex, number: int, innermost: Callable[[int], str]) -> str | None:
    node = node_at_step(index, number)
    if node is not None:
        return innermost(node)
    return None if isinstance(step_at(index, number), ForwardStep | DispatchStep) else ""


def _name(node: Node) -> str:
    return leaf_name(node) if node.kind == "accumulate" else node_name(node)
