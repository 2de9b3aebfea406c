"""Finds the tensor to query for a node or a step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gradviz.model.index import Index
from gradviz.model.lineage import named_tensors_in
from gradviz.model.query import node_now, step_at
from gradviz.model.visits import steps_of
from gradviz.viewer.sights import Suspect


def suspect_of_node(index: Index, node: int, until: int) -> Suspect | None:
    """Return a query for the first non-finite tensor of a node, or else its last tensor.

    Args:
        index: The trace.
        node: Id of the node.
        until: Number of the last revealed step.
    """
    steps = [number for number in steps_of(index, node) if number <= until]
    return suspect_of_steps(index, steps) or _last_of(index, steps)


def suspect_of_steps(index: Index, numbers: Iterable[int]) -> Suspect | None:
    """Return a query for the first non-finite tensor of some steps; None if there is none."""
    odd = index.finite.not_finite()
    found = (each for each in _suspects(index, numbers) if each.tensor in odd)
    return next(found, None)


def _last_of(index: Index, numbers: Iterable[int]) -> Suspect | None:
    found = list(_suspects(index, numbers))
    return found[-1] if found else None


def _suspects(index: Index, numbers: Iterable[int]) -> Iterator[Suspect]:
    for number in numbers:
        step = step_at(index, number)
        if step is not None:
            for name, tensor in named_tensors_in(index, step):
                yield Suspect(tensor=tensor, name=name, step=number)


def node_of(index: Index | None, selection: int | None, number: int) -> int | None:
    """Return the node that a command acts on: the selected one, or that of the step."""
    if index is None or selection is not None:
        return selection
    return node_now(index, number)
