"""The line of a step at which two runs begin to differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from gradviz.analysis.compare.item_pairs import ValuePair
from gradviz.analysis.compare.run_comparison import ComparedValue, RunComparison
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.model.item import Item

PlacePair = tuple[TracePosition | None, TracePosition | None]


def differing_places(found: RunComparison, left: int | None, right: int | None) -> PlacePair:
    """The first lines of two steps whose variables or returned values differ.

    Variables are compared by name, in the order in which each run sets them.

    Args:
        found: The comparison.
        left: Step of the left run; None if it has no such step.
        right: Step of the right run.

    Returns:
        Both lines, or the whole steps if no line differs or none was recorded.
    """
    whole = _whole(left), _whole(right)
    if left is None or right is None:
        return whole
    others: defaultdict[tuple[str, str], list[tuple[TracePosition, Item]]] = defaultdict(list)
    for place, item in _values(found.right, right):
        others[place.stage or "", item.name].append((place, item))
    for place, item in _values(found.left, left):
        waiting = others[place.stage or "", item.name]
        if not waiting:
            continue
        other, value = waiting.pop(0)
        pair = ValuePair(role="local", name=item.name, left=item, right=value)
        if ComparedValue(pair=pair, difference=found.judge.difference(pair)).differs:
            return place, other
    return whole


def _whole(step: int | None) -> TracePosition | None:
    return None if step is None else TracePosition(step=step)


def _values(index: TraceIndex, step: int) -> Iterator[tuple[TracePosition, Item]]:
    """What the lines of a step computed, in order."""
    inside = index.inside.get(step)
    for part in () if inside is None else inside.parts:
        for number, line in enumerate(part.lines):
            place = TracePosition(step=step, stage=part.stage, line=number)
            for item in (*line.changes, *(() if line.result is None else (line.result,))):
                yield place, item
