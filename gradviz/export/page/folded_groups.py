"""The contents of the folded groups of a page's graph, as an outline with links to steps."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.messages import say_count
from gradviz.drawing.content.cards import leaf_name, node_name
from gradviz.drawing.content.drawn_graph import DrawnGraph
from gradviz.drawing.content.group_cards import GroupNames
from gradviz.drawing.grouping.groups import Group, Hierarchy
from gradviz.model.graph import Node

MOST_MEMBERS = 3_000
"""Nodes and groups that the outline of a page has at most."""


def outline_folded_groups(
    index: TraceIndex, hierarchy: Hierarchy, graph: DrawnGraph, numbers: Container[int]
) -> list[dict[str, Any]]:
    """Build the outline of the folded groups of a drawing.

    Args:
        index: The trace.
        hierarchy: Its groups.
        graph: The drawing.
        numbers: The steps that the page has.

    Returns:
        A ``{box, title, about, members, left}`` for each group, in forward order. A member is such
        a group, without a box, or the list ``[name, step, ...]`` of a node with the steps that
        created and executed it; ``left`` says how many nodes the page leaves out.
    """
    outline = _Outline(index, hierarchy, numbers)
    boxes = {node.group: node.id for node in graph.nodes if node.kind == "folded"}
    folded = (hierarchy.groups[hierarchy.groups_by_key[key]] for key in boxes)
    groups = sorted(folded, key=outline.position)
    return [outline.group(each) | {"box": boxes[each.key]} for each in groups]


class _Outline:
    """Builds the outline of groups, with at most `MOST_MEMBERS` members."""

    def __init__(self, index: TraceIndex, hierarchy: Hierarchy, numbers: Container[int]) -> None:
        self._index = index
        self._hierarchy = hierarchy
        self._numbers = numbers
        self._names = GroupNames(index, hierarchy)
        self._room = MOST_MEMBERS

    def position(self, group: Group) -> int:
        """Position of the first node of a group in forward order."""
        return min(map(self._hierarchy.position.__getitem__, self._hierarchy.inside(group.number)))

    def group(self, group: Group) -> dict[str, Any]:
        """Build a group with its members as far as there is room."""
        lines = *self._names.lines(group), self._names.counts(group)
        inside: list[tuple[int, Node | Group]] = [
            *((self._hierarchy.position[node], self._index.node[node]) for node in group.nodes),
            *((self.position(each), each) for each in map(self._group_at, group.groups)),
        ]
        members: list[Any] = []
        left = 0
        for _, member in sorted(inside, key=lambda each: each[0]):
            self._room -= 1
            if self._room < 0:
                left += member.node_count + member.leaf_count if isinstance(member, Group) else 1
            elif isinstance(member, Group):
                members.append(self.group(member))
            else:
                members.append(self._node(member))
        return {
            "title": self._names.title(group),
            "about": " · ".join(filter(None, lines)),
            "members": members,
            "left": say_count("page.groups.left", left) if left else "",
        }

    def _group_at(self, number: int) -> Group:
        return self._hierarchy.groups[number]

    def _node(self, node: Node) -> list[str | int]:
        name = leaf_name(node) if node.kind == "accumulate" else node_name(node)
        made = self._index.made_at.get(node.id)
        steps = {*self._index.visits.get(node.id, ()), *(() if made is None else (made,))}
        return [name, *sorted(number for number in steps if number in self._numbers)]
