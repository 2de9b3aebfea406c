"""Pair up the values of two runs: at one place of the same program, or of two matching steps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from msgspec.structs import replace

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition, line_at, op_at, stage_record_at
from gradviz.catalogue.messages import say
from gradviz.model.item import Item, object_item
from gradviz.model.step import AccumulateStep, ErrorStep, ForwardStep, NodeStep, PassEndStep, Step
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


_SAVED: frozenset[ItemRole] = frozenset({"saved"})
"""Depends on how a step works; comparable only between steps of the same Function or op."""
_AIMED: frozenset[ItemRole] = frozenset({"passed", "contribution", "total"})
"""Gradients that go to a leaf, or may."""

_OWN_ROLES: frozenset[ItemRole] = _SAVED | {"received", "returned"}
"""Roles that only custom Functions have, in addition to saved values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepValue:
    """A value of a step and its role.

    Attributes:
        role: Role of the value in the step.
        item: The value.
        target: Name of the leaf that a gradient goes to; empty if it does not go to a leaf.
    """

    role: ItemRole
    item: Item
    target: str = ""


def same_kind(left: TraceIndex, right: TraceIndex, one: Step, other: Step) -> bool:
    """Whether two steps belong to the same Function or the same built-in op."""
    if isinstance(one, ForwardStep) and isinstance(other, ForwardStep):
        return one.op == other.op and (one.call is None) == (other.call is None)
    if isinstance(one, NodeStep) and isinstance(other, NodeStep):
        nodes = left.node[one.node], right.node[other.node]
        return (nodes[0].name, nodes[0].kind) == (nodes[1].name, nodes[1].kind)
    return type(one) is type(other)


def is_custom(index: TraceIndex, step: Step) -> bool:
    """Whether a step belongs to a custom Function."""
    if isinstance(step, NodeStep):
        return index.node[step.node].kind == "custom"
    return isinstance(step, ForwardStep) and step.call is not None


def value_pairs(left: TraceIndex, right: TraceIndex, one: Step, other: Step) -> list[ValuePair]:
    """The values of two matching steps: those of the left in order, then the rest."""
    alike = same_kind(left, right, one, other)
    before, after = _values_of(left, one), _values_of(right, other)
    if not alike:
        own = _SAVED if is_custom(left, one) and is_custom(right, other) else _OWN_ROLES
        before = [value for value in before if value.role not in own]
        after = [value for value in after if value.role not in own]
    partners = _partners(left, right, before, after, alike=alike)
    taken = {id(each) for each in partners.values()}
    pairs = [_pair(value, partners.get(id(value)), counts=alike) for value in before]
    pairs.extend([_pair(None, value, counts=alike) for value in after if id(value) not in taken])
    return pairs


def unpaired_values(index: TraceIndex, step: Step, *, left: bool) -> list[ValuePair]:
    """The values of a step that has no counterpart."""
    values = _values_of(index, step)
    if left:
        return [_pair(value, None, counts=True) for value in values]
    return [_pair(None, value, counts=True) for value in values]


def _pair(left: StepValue | None, right: StepValue | None, *, counts: bool) -> ValuePair:
    named = left or right
    assert named is not None
    return ValuePair(
        role=named.role,
        name=named.item.name,
        left=None if left is None else left.item,
        right=None if right is None else right.item,
        target=named.target,
        counts=counts or (left is not None and right is not None),
    )


def _values_of(index: TraceIndex, step: Step) -> list[StepValue]:
    targets = iter(_targets(index, step))
    return [
        StepValue(role=role, item=item, target=next(targets, "") if role in _AIMED else "")
        for role, item in items_of_step(index, step)
    ]


def _targets(index: TraceIndex, step: Step) -> list[str]:
    """Leaves that the values of the roles in `_AIMED` go to, or "" for none."""
    if isinstance(step, AccumulateStep):
        return 2 * [index.node[step.node].variable_name]
    if not isinstance(step, NodeStep):
        return []
    edges = [None if each.edge is None else index.edge.get(each.edge) for each in step.passed]
    return ["" if edge is None else index.node[edge.target].variable_name for edge in edges]


def _partners(
    left: TraceIndex,
    right: TraceIndex,
    before: list[StepValue],
    after: list[StepValue],
    *,
    alike: bool,
) -> dict[int, StepValue]:
    """The right value for each left one, matched by the most specific criterion first."""
    # By identity, since a step may have two equal values.
    found: dict[int, StepValue] = {}
    free = list(after)
    signs: tuple[Callable[[TraceIndex, StepValue], object], ...] = (
        lambda index, value: (value.role, value.item.name) if not value.target else None,
        lambda index, value: (value.role, value.target) if value.target else None,
        lambda index, value: (value.role, value.item.name),
        # The options of two different ops say nothing about each other.
        lambda index, value: (
            (value.role, value.item.kind, _shape(index, value.item))
            if alike or value.item.tensor is not None
            else None
        ),
    )
    for sign in signs:
        waiting = _by_sign(right, free, sign)
        for value in before:
            mark = sign(left, value)
            if id(value) not in found and mark is not None and waiting.get(mark):
                found[id(value)] = waiting[mark].pop(0)
        taken = {id(each) for each in found.values()}
        free = [value for value in free if id(value) not in taken]
    return found


def _by_sign(
    index: TraceIndex, values: Iterable[StepValue], sign: Callable[[TraceIndex, StepValue], object]
) -> dict[object, list[StepValue]]:
    waiting: dict[object, list[StepValue]] = {}
    for value in values:
        mark = sign(index, value)
        if mark is not None:
            waiting.setdefault(mark, []).append(value)
    return waiting


def _shape(index: TraceIndex, item: Item) -> tuple[int, ...] | None:
    return None if item.tensor is None else index.tensor.bare(item.tensor).shape
