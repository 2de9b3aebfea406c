"""Nested groups of a graph's nodes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldState:
    """Differences from the initial drawing; groups by their keys.

    Attributes:
        opened: Groups drawn with their contents.
        closed: Groups drawn as one box.
    """

    opened: frozenset[str] = frozenset()
    closed: frozenset[str] = frozenset()

    def opening(self, keys: Iterable[str]) -> FoldState:
        """Return a copy with these groups opened."""
        keys = frozenset(keys)
        return FoldState(opened=self.opened | keys, closed=self.closed - keys)

    def closing(self, keys: Iterable[str]) -> FoldState:
        """Return a copy with these groups closed."""
        keys = frozenset(keys)
        return FoldState(opened=self.opened - keys, closed=self.closed | keys)


GroupKind = Literal["root", "module", "repeat", "turn", "part", "leaves", "made"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Nodes that can be drawn as one box.

    Attributes:
        number: Position in `Hierarchy.groups`; 0 is the root, which contains everything.
        key: Stable for the same trace and safe as part of an id.
        kind: ``module`` is a module call (or a part of it, if other nodes came in between);
            ``repeat`` is a repetition, with a ``turn`` for each time if it repeats several items;
            ``part`` is an arbitrary part of something long; ``leaves`` are leaves with the same
            users; ``made`` is what the backward of a node made in one step.
        call: The module call; None for other kinds.
        parent: Number of the group around it; None for the root.
        groups: Numbers of its direct child groups, in forward order.
        nodes: Its direct nodes, in forward order, leaves before their users.
        span: First, last and total of the turns it represents, counted from 1; else None.
        node_count: Number of nodes in it at any depth, without leaves.
        leaf_count: Number of leaves in it at any depth.
        made_in: The step in which its nodes were made; None for other kinds.
    """

    number: int
    key: str
    kind: GroupKind
    call: int | None
    parent: int | None
    groups: tuple[int, ...]
    nodes: tuple[int, ...]
    span: tuple[int, int, int] | None
    node_count: int
    leaf_count: int
    made_in: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hierarchy:
    """All groups of a trace's graph, built by `hierarchy_of`.

    Whichever groups are drawn as single boxes, the drawing has no cycle unless the graph has one.

    Attributes:
        groups: The groups, outer ones first.
        home: Number of the innermost group around each node.
        position: Position of each node in forward order.
        groups_by_key: Number of each group by its key.
    """

    groups: tuple[Group, ...]
    home: dict[int, int]
    position: dict[int, int]
    groups_by_key: dict[str, int]

    def around(self, node: int) -> tuple[Group, ...]:
        """The groups that contain a node, outermost first, without the root."""
        number = self.home.get(node)
        return () if number is None else (*self.outside(number), *self._itself(number))

    def outside(self, number: int) -> tuple[Group, ...]:
        """The groups that contain a group, outermost first, without the root."""
        found: list[Group] = []
        parent = self.groups[number].parent
        while parent:
            found.append(self.groups[parent])
            parent = self.groups[parent].parent
        return tuple(reversed(found))

    def inside(self, number: int) -> tuple[int, ...]:
        """All nodes of a group in backward order: users before what they use."""
        found: list[int] = []
        waiting = [number]
        while waiting:
            group = self.groups[waiting.pop()]
            found += group.nodes
            waiting += group.groups
        return tuple(sorted(found, key=self.position.__getitem__, reverse=True))

    def _itself(self, number: int) -> tuple[Group, ...]:
        return (self.groups[number],) if number else ()


def folds_in(before: Hierarchy, after: Hierarchy, folds: FoldState) -> FoldState:
    """Open and close the same groups of a similar graph, such as that of another iteration."""
    if [each.kind for each in before.groups] != [each.kind for each in after.groups]:
        return FoldState()
    keys = {one.key: two.key for one, two in zip(before.groups, after.groups, strict=True)}
    return FoldState(
        opened=frozenset(keys[key] for key in folds.opened if key in keys),
        closed=frozenset(keys[key] for key in folds.closed if key in keys),
    )
