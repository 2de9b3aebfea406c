"""Which nodes of a graph something went wrong in, so that no folded group hides it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from gradviz.model.columns import INFINITIES, NANS
from gradviz.model.index import Index
from gradviz.model.item import Item
from gradviz.model.messages import say
from gradviz.model.step import AccumulateStep, ErrorStep, NodeStep

Trouble = Literal["error", "warning", "nan", "infinity"]

_GRAVEST_FIRST: tuple[Trouble, ...] = ("error", "nan", "infinity", "warning")

QUICK = 16 << 20
"""Bytes of tensors looked into before the first picture; the others, while it is shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Troubles:
    """What is known to have gone wrong.

    Attributes:
        of: Nodes with trouble, in the order in which it came up.
        complete: Whether all gradients were looked into, as far as they were recorded.
    """

    of: dict[int, frozenset[Trouble]]
    complete: bool = True


NONE = Troubles(of={})


def troubles_of(
    index: Index, most: int | None = None, cancelled: Callable[[], bool] = bool
) -> Troubles:
    """Collects errors, findings that are no mere hints, and gradients that are not finite.

    Args:
        index: The trace.
        most: Look into so many bytes of tensors only.
        cancelled: Asked now and then; the result is then not complete.
    """
    found: dict[int, set[Trouble]] = {}
    for node, trouble in _told(index):
        found.setdefault(node, set()).add(trouble)
    complete = index.finite.look(most, cancelled)
    odd = index.finite.not_finite()
    for node, tensor in _gradients(index) if odd else ():
        if tensor in odd:
            found.setdefault(node, set()).update(_named(odd[tensor]))
    of = {node: frozenset(each) for node, each in found.items() if each}
    return Troubles(of=of, complete=complete)


def word_of(troubles: Troubles, nodes: Iterable[int]) -> str:
    """What went wrong in some nodes, in a word or two; empty for nothing."""
    found = {each for node in nodes for each in troubles.of.get(node, ())}
    return ", ".join(say(f"trouble.{each}") for each in _GRAVEST_FIRST if each in found)


def _told(index: Index) -> Iterator[tuple[int, Trouble]]:
    for step in index.trace.steps[-1:]:
        if isinstance(step, ErrorStep) and step.node is not None:
            yield step.node, "error"
    for finding in index.trace.findings:
        if finding.node is not None and finding.severity != "info":
            yield finding.node, finding.severity


def _gradients(index: Index) -> Iterator[tuple[int, int]]:
    """Each node with the gradients that it received and made, in the order of the run."""
    for step in index.trace.steps:
        items: tuple[Item, ...] = ()
        if isinstance(step, NodeStep):
            made = (each.item for each in step.passed)
            items = (*step.incoming, *step.received, *step.returned, *made)
        elif isinstance(step, AccumulateStep):
            items = (step.contribution, step.total)
        else:
            continue
        for item in items:
            if item.tensor is not None:
                yield step.node, item.tensor


def _named(flags: int) -> Iterator[Trouble]:
    if flags & NANS:
        yield "nan"
    if flags & INFINITIES:
        yield "infinity"
