"""Finds what a stop shows of its run: a place, and the node that it selects."""

from __future__ import annotations

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.position_paths import UnknownPositionError, position_at_path
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.lesson.lesson import LessonStop


def place_of(index: TraceIndex, stop: LessonStop) -> tuple[TracePosition, str]:
    """Return the place of a stop.

    A run recorded without lines may lack it; then it is the nearest place: its step if there is
    one, else the first step, with a sentence that says so.
    """
    try:
        return position_at_path(index, stop.step or "1"), ""
    except UnknownPositionError as error:
        step = stop.number if stop.number <= len(index.trace.steps) else 1
        return TracePosition(step=step), str(error)


def find_node(index: TraceIndex, name: str) -> int | None:
    """Return the id of a node by its name, or by that of its leaf.

    Args:
        index: The run.
        name: For example ``ExpBackward``, or ``ExpBackward#2`` for the second one.

    Returns:
        The id; None if there is no such node.
    """
    title, _, number = name.partition("#")
    # No run has a node of more digits, which might be too many for Python.
    at = int(number[:18]) - 1 if number.isdecimal() else 0
    nodes = index.trace.nodes
    found = [node.id for node in nodes if title and title in (node.name, node.variable_name)]
    return found[at] if 0 <= at < len(found) else None


def node_title(index: TraceIndex, node: int | None) -> str:
    """Return the name by which `find_node` finds a node; empty for None."""
    if node is None:
        return ""
    name = index.node[node].name
    same = [each.id for each in index.trace.nodes if each.name == name]
    at = same.index(node)
    return f"{name}#{at + 1}" if at else name
