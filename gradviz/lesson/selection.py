"""Finds the node that a stop selects."""

from __future__ import annotations

from gradviz.analysis.index.trace_index import TraceIndex


def find_node(index: TraceIndex, name: str) -> int | None:
    """Return the id of a node by its name, or by that of its leaf.

    Args:
        index: The run.
        name: For example ``ExpBackward``, or ``ExpBackward#2`` for the second one.

    Returns:
        The id; None if there is no such node.
    """
    title, _, number = name.partition("#")
    at = int(number) - 1 if number.isdecimal() else 0
    nodes = index.trace.nodes
    found = [node.id for node in nodes if title and title in (node.name, node.variable_name)]
    return found[at] if 0 <= at < len(found) else None
