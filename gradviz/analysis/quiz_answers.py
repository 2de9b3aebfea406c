"""The answer that Quiz Mode hides: what a node computes, as opposed to what it receives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.item import Item
from gradviz.model.step import NodeStep, Step


def quiz_answer_items(step: Step | None) -> tuple[Item, ...]:
    """The gradients of a step that an audience can guess before they are shown.

    For a built-in node, only what it passed on is known.
    """
    if not isinstance(step, NodeStep):
        return ()
    return step.returned or tuple(each.item for each in step.passed if each.edge is not None)


def has_quiz_answer(step: Step | None) -> bool:
    """Whether a step computes gradients that an audience can guess before they are shown."""
    return bool(quiz_answer_items(step))


def quiz_answer_tensors(index: TraceIndex, step: Step | None) -> frozenset[int]:
    """Ids of the tensors to hide as the answer of a step.

    A gradient that is itself one of the given tensors, because the node passes on what it receives,
    is not included: it is visible elsewhere. The view that lists the step's values hides it by
    role.
    """
    if not isinstance(step, NodeStep) or not has_quiz_answer(step):
        return frozenset()
    answer = _tensors((*step.returned, *(each.item for each in step.passed)))
    return answer - _tensors(_given(index, step))


def _given(index: TraceIndex, step: NodeStep) -> Iterator[Item]:
    """What is known before the node runs: incoming gradients and what forward left for it."""
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
