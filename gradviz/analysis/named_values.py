"""Finds the recorded value that a query of a lesson or of the guide names.

    step N ROLE NAME             ROLE is one of `ROLES`; NAME may be a position
    value NAME [at PLACE]        the tensor where it is recorded first, or at a step or line
    tensor N                     the tensor of that number in the trace
    grad NAME                    the .grad of a leaf as the run leaves it

An element such as ``[1, 0]`` may follow.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from gradviz.analysis.compare.item_pairs import items_of_step
from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.position_paths import UnknownPositionError, position_at_path
from gradviz.analysis.position.trace_position import stage_record_at
from gradviz.model.item import Item, tensor_item
from gradviz.model.step import AccumulateStep, Step

ROLES = (
    "input",
    "output",
    "saved",
    "incoming",
    "received",
    "returned",
    "passed",
    "contribution",
    "total",
    "result",
)

_WRITTEN = {"root": "input", "root_gradient": "incoming", "gradient": "incoming"}
"""Roles that queries call by another name."""


_STEP = re.compile(rf"step (\d+) ({'|'.join(ROLES)}) (.+)")
_VALUE = re.compile(r"value (.+?)(?: at (\d\S*))?")
_GRADIENT = re.compile(r"grad (.+)")
_NUMBER = re.compile(r"tensor (\d+)")
_ELEMENT = re.compile(r"(.+?)\[(-?\d+(?:, ?-?\d+)*)\]")


class NotFoundError(LookupError):
    """The recorded run has no such value."""


def named_value(index: TraceIndex, query: str) -> tuple[Item, tuple[int, ...] | None]:
    """The value that a query names, and which of its elements; None for all of it.

    Raises:
        NotFoundError: If it names none.
    """
    try:
        return _whole(index, query), None
    except NotFoundError:
        match = _ELEMENT.fullmatch(query)
        if match is None:
            raise
        place = tuple(int(each) for each in match[2].split(","))
        return _whole(index, match[1]), place


def _whole(index: TraceIndex, query: str) -> Item:
    if (match := _STEP.fullmatch(query)) is not None:
        return item_of_step(index, int(match[1]), match[2], match[3])
    if (match := _GRADIENT.fullmatch(query)) is not None:
        return gradient_of(index, match[1])
    if (match := _NUMBER.fullmatch(query)) is not None and int(match[1]) in index.tensor:
        return tensor_item("", int(match[1]))
    if (match := _VALUE.fullmatch(query)) is not None:
        return item_of_value(index, match[1], match[2] or "")
    raise NotFoundError(f"{query!r} names no value")


def item_of_step(index: TraceIndex, number: int, role: str, name: str) -> Item:
    """What a step was given, or what it made.

    Args:
        index: Of the run.
        number: Of the step.
        role: One of `ROLES`.
        name: As the source names it, or its position from 0.
    """
    step = step_at(index, number)
    if step is None:
        raise NotFoundError(f"there is no step {number}")
    items = items_in_role(index, step, role)
    if name.isdigit() and int(name) < len(items):
        return items[int(name)]
    return _named(items, name, f"step {number} has no {role}")


def item_of_value(index: TraceIndex, name: str, place: str) -> Item:
    """A tensor or object of that name: where it is recorded first, or at a place.

    Args:
        index: Of the run.
        name: As the source names it.
        place: A step or a line, like ``5/backward/line2``; empty for anywhere.
    """
    if "/" in place:
        return _named(tuple(_local(index, place)), name, f"at {place} there is no value")
    for step in index.trace.steps:
        if place and str(step.number) != place:
            continue
        for role in ROLES:
            for item in items_in_role(index, step, role):
                if item.name == name:
                    return item
    raise NotFoundError(f"nothing is called {name}" + (f" in step {place}" if place else ""))


def gradient_of(index: TraceIndex, name: str) -> Item:
    """The ``.grad`` of a leaf as the run leaves it."""
    found = [
        step.total
        for step in index.trace.steps
        if isinstance(step, AccumulateStep)
        and name in (index.node[step.node].variable_name, step.contribution.name)
    ]
    if not found:
        raise NotFoundError(f"no gradient arrives at {name}")
    return found[-1]


def _named(items: Iterable[Item], name: str, problem: str) -> Item:
    for item in items:
        if item.name == name:
            return item
    names = ", ".join(item.name for item in items) or "nothing"
    raise NotFoundError(f"{problem} {name}; there is {names}")


def items_in_role(index: TraceIndex, step: Step, role: str) -> tuple[Item, ...]:
    """What a step has in one of `ROLES`; nothing where that kind of step has none."""
    found = items_of_step(index, step)
    return tuple(item for each, item in found if _WRITTEN.get(each, each) == role)


def _local(index: TraceIndex, path: str) -> Iterator[Item]:
    """Local variables as they are after a line, the last change first."""
    try:
        place = position_at_path(index, path)
    except UnknownPositionError as error:
        raise NotFoundError(str(error)) from None
    part = stage_record_at(index, place)
    if part is None or place.line is None:
        raise NotFoundError(f"{path} is no line")
    frame = part.lines[place.line].frame
    for line in reversed(part.lines[: place.line + 1]):
        if line.frame == frame:
            yield from line.changes
            if line.result is not None and line is part.lines[place.line]:
                yield line.result
    yield from part.frames[frame].arguments
