"""Pair up the values at one place in two runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from msgspec.structs import replace

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition, line_at, op_at, stage_record_at
from gradviz.catalogue.messages import say
from gradviz.model.item import Item, object_item
from gradviz.model.step import ErrorStep, ForwardStep, PassEndStep, Step
from gradviz.model.step_values import StepRole, values_of

ItemRole = StepRole | Literal["saved", "local", "value", "raised"]
"""Role of a value in its step: a line sets ``local`` and returns ``value``."""

RoleItem = tuple[ItemRole, Item]


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuePair:
    """A value in two runs.

    Attributes:
        role: Role of the value in the step.
        name: Its name on the left, or on the right if only that side has it.
        left: The value on the left; None if there is none.
        right: The value on the right; None if there is none.
        target: Name of the leaf that a gradient goes to; empty if it does not go to a leaf.
        counts: Whether a value on only one side is a difference; False if the two steps compute the
            same in different ways.
    """

    role: ItemRole
    name: str
    left: Item | None
    right: Item | None
    target: str = ""
    counts: bool = True


def items_of_step(index: TraceIndex, step: Step) -> list[RoleItem]:
    """The values of a step with their roles, in order."""
    found: list[RoleItem] = [*values_of(step)]
    if isinstance(step, ForwardStep):
        slots = [slot for node in step.nodes for slot in index.saved.get(node, ())]
        found += _all("saved", tuple([slot.item for slot in slots]))
    elif isinstance(step, PassEndStep):
        found = [*_all("result", step.results), *_all("total", named_totals(index, step))]
    elif isinstance(step, ErrorStep):
        text = f"{step.exception}: {step.message}"
        found.append(("raised", object_item(say("item.exception"), text)))
    return found


def named_totals(index: TraceIndex, step: PassEndStep) -> tuple[Item, ...]:
    """Gradients that changed before a pass ended, named after their leaves."""
    names = [index.node[each.node].variable_name for each in step.totals]
    return tuple(
        replace(each.total, name=f"{name}.grad") if name else each.total
        for name, each in zip(names, step.totals, strict=True)
    )


def _all(role: ItemRole, items: tuple[Item, ...]) -> list[RoleItem]:
    return [(role, item) for item in items]


def items_at_position(index: TraceIndex, place: TracePosition) -> list[RoleItem]:
    """The values at a place: those of its op or line, otherwise those of the step."""
    op = op_at(index, place)
    if op is not None:
        return [*_all("input", op.inputs), *_all("output", op.outputs)]
    line = line_at(index, place)
    if line is not None:
        result = () if line.result is None else (line.result,)
        return [*_all("local", line.changes), *_all("value", result)]
    step = step_at(index, place.step)
    return [] if step is None else items_of_step(index, step)


def matching_position(
    old: TraceIndex, new: TraceIndex, place: TracePosition, old_step: int | None
) -> TracePosition | None:
    """The place in the old run for one in the new run; None if it has no such place.

    Args:
        old: The old run.
        new: The new run.
        place: Place in the new run.
        old_step: Step of the old run that corresponds to the step of the place.
    """
    if old_step is None:
        return None
    found = TracePosition(step=old_step, stage=place.stage, line=place.line, op=place.op)
    part, other = stage_record_at(new, place), stage_record_at(old, found)
    if place.line is not None and not (
        part is not None
        and other is not None
        and place.line < len(other.lines)
        and other.lines[place.line].location.line == part.lines[place.line].location.line
    ):
        return None
    if place.op is not None and not (
        part is not None
        and other is not None
        and place.op < len(other.ops)
        and other.ops[place.op].name == part.ops[place.op].name
    ):
        return None
    return found


def pairs_at_position(
    old: TraceIndex, new: TraceIndex, old_place: TracePosition | None, place: TracePosition
) -> list[ValuePair]:
    """The values at a place in both runs, those of the old run at its corresponding place."""
    before = [] if old_place is None else items_at_position(old, old_place)
    return list(pairs_of_items(before, items_at_position(new, place)))


def pairs_of_items(old: list[RoleItem], new: list[RoleItem]) -> Iterator[ValuePair]:
    """Pair values by role, name and occurrence; values only in the old run come last."""
    waiting: dict[tuple[str, str], list[Item]] = {}
    # Reversed, so that `pop` returns the first value with a name.
    for role, item in reversed(old):
        waiting.setdefault((role, item.name), []).append(item)
    for role, item in new:
        found = waiting.get((role, item.name))
        before = found.pop() if found else None
        yield ValuePair(role=role, name=item.name, left=before, right=item)
    for role, item in old:
        left = waiting.get((role, item.name))
        if left:
            yield ValuePair(role=role, name=item.name, left=left.pop(), right=None)
