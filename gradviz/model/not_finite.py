"""Where in a run values come up that are not finite: NaN and Inf, each tensor at its first step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gradviz.model.index import Index
from gradviz.model.item import Item
from gradviz.model.step import AccumulateStep, ForwardStep, NodeStep, PassBeginStep, Step


@dataclass(frozen=True, slots=True, kw_only=True)
class NotFinite:
    """A tensor that is not finite, where the run first has it.

    Attributes:
        step: Number of the step.
        name: What it is called there.
        nans: How many of its elements are NaN.
        infinities: How many are infinite.
    """

    step: int
    name: str
    nans: int
    infinities: int


def not_finite(
    index: Index, pause: Callable[[], bool] = lambda: False, every: int = 512
) -> tuple[NotFinite, ...]:
    """Looks into each tensor of a trace once, in the order of the run.

    A step's given values count only where no step before has had them: what is wrong with a
    gradient is told where it was made, not where it arrives.

    Args:
        index: The trace.
        pause: Called after every so many steps; ends the search by returning True.
        every: How many.
    """
    if not index.finite.look(cancelled=pause):
        return ()
    odd = set(index.finite.not_finite())
    found: list[NotFinite] = []
    for step in index.trace.steps:
        if not odd or (step.number % every == 0 and pause()):
            break
        for item in _items(step):
            if item.tensor in odd:
                odd.remove(item.tensor)
                known = _look(index, step.number, item)
                found += () if known is None else (known,)
    return tuple(found)


def _look(index: Index, step: int, item: Item) -> NotFinite | None:
    statistics = None if item.tensor is None else index.tensor[item.tensor].statistics
    if statistics is None or statistics.all_finite:
        return None
    return NotFinite(
        step=step, name=item.name, nans=statistics.nans, infinities=statistics.infinities
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
