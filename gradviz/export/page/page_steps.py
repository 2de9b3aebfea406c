"""Which steps of a run its page contains: of a long training, those of chosen iterations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.training.iterations import Iteration, iteration_at, iterations_of
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.text.scope import ranges_text

MOST_STEPS = 1_000
"""Steps that a page has at most."""

MOST_ITERATIONS = 60
"""Iterations that a page has at most."""

_MOST_MARKED = 5
"""Iterations with a warning or an error that come before all others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePart:
    """Successive steps of a page.

    Attributes:
        numbers: Numbers of the steps.
        iteration: The iteration that they are in; None if the run has no iterations.
    """

    numbers: range
    iteration: Iteration | None = None

    @property
    def left(self) -> int:
        """Number of steps of the iteration that the page does not have."""
        each = self.iteration
        return 0 if each is None else each.last + 1 - each.first - len(self.numbers)


def page_parts(index: TraceIndex, start: int | None = None) -> tuple[PagePart, ...]:
    """Choose the steps of a page, in ascending order.

    A page of a training has all steps of some iterations, and the last step of others.

    Args:
        index: The trace.
        start: A step whose iteration comes first; None for none.
    """
    iterations = iterations_of(index)
    if not iterations:
        return (PagePart(numbers=range(1, min(len(index.trace.steps), MOST_STEPS) + 1)),)
    wanted = dict.fromkeys(_by_importance(index, iterations, start))
    shown = [*islice(wanted, MOST_ITERATIONS)]
    parts = {each: range(each.last, each.last + 1) for each in shown}
    room = MOST_STEPS - len(shown)
    for each in shown:
        more = each.last - each.first
        # Of the most important one, a page has at least a part.
        if more <= room or each is shown[0]:
            parts[each] = range(max(each.first, each.last - room), each.last + 1)
            room -= len(parts[each]) - 1
    return tuple(
        PagePart(numbers=parts[each], iteration=each)
        for each in sorted(shown, key=lambda each: each.first)
    )


def _by_importance(
    index: TraceIndex, iterations: Sequence[Iteration], start: int | None
) -> Iterator[Iteration]:
    steps = (each.step for each in index.trace.findings if each.severity != "info")
    marked = (iteration_at(iterations, each) for each in steps if each is not None)
    chosen = None if start is None else iteration_at(iterations, start)
    first = (chosen, *islice(dict.fromkeys(marked), _MOST_MARKED))
    yield from (each for each in first if each is not None)
    # From both ends, as the values of a training change most at its beginning.
    yield from chain.from_iterable(zip(iterations, reversed(iterations), strict=True))


def parts_notes(index: TraceIndex, parts: Sequence[PagePart]) -> list[str]:
    """What steps the page leaves out, and how to get them."""
    count, total = sum(len(each.numbers) for each in parts), len(index.trace.steps)
    shown = [each.iteration.number for each in parts if each.iteration is not None]
    if count == total:
        return []
    if not shown:
        counts = {"count": format_count(count), "total": format_count(total)}
        return [say("page.first_steps", **counts)]
    found, recorded = [], len(iterations_of(index))
    if len(shown) < recorded:
        counts = {"count": format_count(len(shown)), "total": format_count(recorded)}
        found.append(say("page.iterations.shown", numbers=_numbers_text(shown), **counts))
    whole = [each.iteration.number for each in parts if each.iteration and not each.left]
    if whole and len(whole) < len(shown):
        found.append(say("page.iterations.whole", numbers=_numbers_text(whole)))
    elif not whole:
        most = max(parts, key=lambda each: len(each.numbers))
        assert most.iteration is not None
        counts = {"count": format_count(len(most.numbers)), "number": str(most.iteration.number)}
        found.append(say("page.iterations.last", **counts))
    return found


def _numbers_text(numbers: Sequence[int]) -> str:
    """Ascending numbers, with successive ones as a row."""
    rows = groupby(enumerate(numbers), key=lambda each: each[1] - each[0])
    found = ([number for _, number in row] for _, row in rows)
    return ranges_text((each[0], each[-1]) for each in found)
