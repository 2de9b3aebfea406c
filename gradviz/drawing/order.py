"""Order in which forward made the nodes: users come after what they use."""

from __future__ import annotations

from collections import deque

from gradviz.model.index import Index

_NEVER = 1 << 62


def forward_order(index: Index) -> list[int]:
    """Sort the nodes of a trace as forward made them, which is also a topological order.

    Nodes that one backward step made stay together. A node whose creation was not recorded, such
    as a leaf, comes right before its first user. Any interval of a topological order can be folded
    into one box without making a cycle.

    Returns:
        Ids of all nodes. Nodes on a cycle, which torch never makes, come last.
    """
    users_first = _users_first(index)
    made: dict[int, int] = {}
    for node in users_first:
        uses = [made[edge.source] for edge in index.arriving.get(node, ()) if edge.source in made]
        made[node] = min((_when(index, node), *uses))
    place = {node: -at for at, node in enumerate(users_first)}
    ordered = sorted(users_first, key=lambda node: (made[node], place[node]))
    return ordered + [node for node in index.node if node not in made]


def _when(index: Index, node: int) -> int:
    """Step in which a node was made: a backward step, or else its forward step."""
    made_in = index.node[node].made_in
    return index.made_at.get(node, _NEVER) if made_in is None else made_in


def _users_first(index: Index) -> list[int]:
    waiting = {node: len(index.arriving.get(node, ())) for node in index.node}
    ready = deque(node for node, count in waiting.items() if not count)
    found: list[int] = []
    while ready:
        node = ready.popleft()
        found.append(node)
        for edge in index.leaving.get(node, ()):
            waiting[edge.target] -= 1
            if not waiting[edge.target]:
                ready.append(edge.target)
    return found
