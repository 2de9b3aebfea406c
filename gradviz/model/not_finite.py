"""Where in a run values come up that are not finite: NaN and Inf, each tensor at its first step."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace

from gradviz.model.columns import INFINITIES, NANS
from gradviz.model.index import Index
from gradviz.model.inside import Inside, Op
from gradviz.model.item import Item
from gradviz.model.messages import say
from gradviz.model.step import AccumulateStep, ForwardStep, NodeStep, PassBeginStep, Step


@dataclass(frozen=True, slots=True, kw_only=True)
class NotFinite:
    """A tensor that is not finite, where the run first has it.

    Attributes:
        step: Number of the step.
        name: What it is called there.
        tensor: Its number.
        nans: How many of its elements are NaN; None for some that nobody has counted.
        infinities: How many are infinite; None likewise.
    """

    step: int
    name: str
    tensor: int
    nans: int | None
    infinities: int | None


def not_finite(index: Index, cancelled: Callable[[], bool] = bool) -> tuple[NotFinite, ...]:
    """Looks into the tensors of a trace, and tells of those that are not finite in its order.

    A step's given values count only where no step before has had them: what is wrong with a
    gradient is told where it was made, not where it arrives. Of a step that tells of no NaN, the
    first op is told, if any, that made one of what had none; and likewise of Inf.

    Args:
        index: The trace.
        cancelled: Asked now and then; nothing is found if nobody waits.
    """
    if not index.finite.look(cancelled=cancelled):
        return ()
    known = index.finite.not_finite()
    odd = known.copy()
    found: list[NotFinite] = []
    for step in index.trace.steps if odd else ():
        for item in _items(step):
            flags = odd.pop(item.tensor, 0) if item.tensor is not None else 0
            if flags:
                found.append(_told(index, step.number, item, flags))
        if not odd or cancelled():
            break
    if odd and not cancelled():
        found += _within(index, known, found, cancelled)
    return tuple(sorted(found, key=lambda each: each.step))


def _within(
    index: Index,
    odd: dict[int, int],
    found: Sequence[NotFinite],
    cancelled: Callable[[], bool],
) -> list[NotFinite]:
    """What no step tells of, as ops have replaced it by something finite."""
    told = {NANS: {each.step for each in found if each.nans != 0}}
    told[INFINITIES] = {each.step for each in found if each.infinities != 0}
    more = []
    for kind, steps in told.items():
        having = {tensor for tensor, flags in odd.items() if flags & kind}
        for number in index.inside if having else ():
            if cancelled():
                return []
            item = None if number in steps else _first_made(index.inside[number], having)
            if item is not None:
                more.append(_told(index, number, item, kind))
    return more


def _first_made(inside: Inside, having: Container[int]) -> Item | None:
    ops = (op for part in inside.parts for op in part.ops)
    return next((item for op in ops for item in _made_by(op, having)), None)


def _made_by(op: Op, odd: Container[int]) -> Iterator[Item]:
    """What an op has made that is among these tensors, of what is not."""
    if not any(item.tensor in odd for item in op.inputs):
        for item in op.outputs:
            if item.tensor in odd:
                yield replace(item, name=say("where.output", name=item.name, op=op.name))


def _told(index: Index, step: int, item: Item, flags: int) -> NotFinite:
    assert item.tensor is not None
    known = index.tensor[item.tensor].statistics
    nans = infinities = None
    if known is not None:
        nans, infinities = known.nans, known.infinities
    return NotFinite(
        step=step,
        name=item.name,
        tensor=item.tensor,
        nans=nans if flags & NANS else 0,
        infinities=infinities if flags & INFINITIES else 0,
    )


def _items(step: Step) -> Iterator[Item]:
    match step:
        case ForwardStep():
            yield from (*step.inputs, *step.outputs)
        case PassBeginStep():
            for root in step.roots:
                yield from (root.value, root.gradient)
        case NodeStep():
            yield from (*step.incoming, *step.received, *step.returned)
            yield from (passed.item for passed in step.passed)
        case AccumulateStep():
            yield from (step.contribution, step.total)
        case _:
            return
