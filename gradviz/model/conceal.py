"""The answer of a step: what a node computes, apart from what it was given to compute it from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gradviz.model.index import Index
from gradviz.model.item import Item
from gradviz.model.step import NodeStep, Step


def has_answer(step: Step | None) -> bool:
    """Whether a step computes gradients that a room can guess before they are shown."""
    return isinstance(step, NodeStep) and bool(
        step.returned or any(each.edge is not None for each in step.passed)
    )


def hidden_tensors(index: Index, step: Step | None) -> frozenset[int]:
    """Ids of the tensors that are the answer of a step.

    A gradient that is one of the given tensors itself (a node that hands on what it receives) is
    not among them, as it is known already; that it is the answer is kept back by whoever shows
    the step's values by their role.
    """
    if not isinstance(step, NodeStep) or not has_answer(step):
        return frozenset()
    answer = _tensors((*step.returned, *(each.item for each in step.passed)))
    return answer - _tensors(_given(index, step))


def _given(index: Index, step: NodeStep) -> Iterator[Item]:
    """What is known before the node runs: what arrives, and what its forward left for it."""
    yield from step.incoming
    yield from step.received
    for slot in index.saved.get(step.node, ()):
        yield slot.item
    node = index.node.get(step.node)
    call = None if node is None or node.call is None else index.call.get(node.call)
    if call is not None:
        yield from (*call.arguments, *call.outputs, *call.attributes)


def _tensors(items: Iterable[Item]) -> frozenset[int]:
    return frozenset(item.tensor for item in items if item.tensor is not None)
