"""The groups in which the nodes of a graph lie, one in another, and what can be asked of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

GroupKind = Literal["root", "module", "repeat", "turn", "part", "leaves", "made"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Nodes that can be drawn as one box.

    Attributes:
        number: Position in `Hierarchy.groups`; 0 is the root, which holds everything.
        key: Stable for the same trace, and safe as a part of an id.
        kind: ``module`` is a call of a module (or a part of it, where other nodes came between);
            ``repeat`` the same items over and over, each time a ``turn`` where they are several;
            ``part`` an arbitrary part of something long; ``leaves`` are leaves with the same users;
            ``made`` is what the backward of a node made in one step.
        call: The module call; None for the other kinds.
        parent: Number of the group around it; None for the root.
        groups: Numbers of the groups directly in it, in the order of the forward.
        nodes: Nodes directly in it, in the order of the forward, leaves before their users.
        span: First, last and count of the turns that it stands for, from 1; None for none.
        node_count: Nodes in it at any depth, without leaves.
        leaf_count: Leaves in it at any depth.
        made_in: The step in which its nodes were made; None for the other kinds.
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
    """All groups of a trace's graph. Make it with `hierarchy_of`.

    Whichever groups are drawn as one box each, the picture has no cycle unless the graph has.

    Attributes:
        groups: Each after the one around it.
        home: Number of the innermost group around each node.
        position: Of each node in the order of the forward.
        keyed: Numbers of the groups by key.
    """

    groups: tuple[Group, ...]
    home: dict[int, int]
    position: dict[int, int]
    keyed: dict[str, int]

    def around(self, node: int) -> tuple[Group, ...]:
        """The groups that hold a node, outermost first, without the root."""
        number = self.home.get(node)
        return () if number is None else (*self.outside(number), *self._itself(number))

    def outside(self, number: int) -> tuple[Group, ...]:
        """The groups that hold a group, outermost first, without the root."""
        found: list[Group] = []
        parent = self.groups[number].parent
        while parent:
            found.append(self.groups[parent])
            parent = self.groups[parent].parent
        return tuple(reversed(found))

    def inside(self, number: int) -> tuple[int, ...]:
        """All nodes of a group in the order of the backward: users before what they use."""
        found: list[int] = []
        waiting = [number]
        while waiting:
            group = self.groups[waiting.pop()]
            found += group.nodes
            waiting += group.groups
        return tuple(sorted(found, key=self.position.__getitem__, reverse=True))

    def _itself(self, number: int) -> tuple[Group, ...]:
        return (self.groups[number],) if number else ()
