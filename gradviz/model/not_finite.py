"""Where in a run values come up that are not finite: NaN and Inf, each tensor at its first step."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass, replace

from gradviz.model.columns import INFINITIES, NANS
from gradviz.model.index import Index
from gradviz.model.inside import Op
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
    gradient is told where it was made, not where it arrives. Of a step whose own values are all
    finite, the first op is told, if any, that made what is not of what is.

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
        found += _within(index, known, {each.step for each in found}, cancelled)
    return tuple(sorted(found, key=lambda each: each.step))


def _within(
    index: Index, odd: dict[int, int], told: Container[int], cancelled: Callable[[], bool]
) -> Iterator[NotFinite]:
    """What no step tells of, as ops have replaced it by something finite."""
    for number in index.inside:
        if cancelled():
            return
        if number in told:
            continue
        ops = (op for part in index.inside[number].parts for op in part.ops)
        item = next((item for op in ops for item in _made_by(op, odd)), None)
        if item is not None and item.tensor is not None:
            yield _told(index, number, item, odd[item.tensor])


def _made_by(op: Op, odd: Container[int]) -> Iterator[Item]:
    """What an op has made that is not finite, of what is."""
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
