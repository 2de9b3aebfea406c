"""Which steps of a run have to do with a node, and which gradients it has received in them."""

from __future__ import annotations

from gradviz.model.index import Index, PassSpan
from gradviz.model.item import Item
from gradviz.model.query import pass_at, step_at
from gradviz.model.step import AccumulateStep, NodeStep


def steps_of(index: Index, node: int) -> tuple[int, ...]:
    """Numbers of the steps that make or execute a node, ascending."""
    made = {index.made_at[node]} if node in index.made_at else set()
    return tuple(sorted(made | set(index.visits.get(node, ()))))


def next_step_of(index: Index, node: int, number: int) -> int | None:
    """The next step that makes or executes a node; after the last one the first again."""
    steps = steps_of(index, node)
    later = (step for step in steps if step > number)
    return next(later, next(iter(steps), None))


def visit_of(index: Index, node: int, number: int) -> int | None:
    """The step that executes a node in the pass of a step; outside of passes its first such."""
    visits = index.visits.get(node, ())
    span = pass_at(index, number)
    if span is None:
        return next(iter(visits), None)
    return next((visit for visit in visits if span.first <= visit <= span.last), None)


def received(index: Index, node: int, number: int) -> tuple[Item, ...]:
    """The gradients with which a node was executed by a step, in the pass of that step."""
    visit = visit_of(index, node, number)
    if visit is None or visit > number or pass_at(index, number) is None:
        return ()
    step = step_at(index, visit)
    if isinstance(step, NodeStep):
        return step.received or step.incoming
    return (step.contribution,) if isinstance(step, AccumulateStep) else ()


def senders(index: Index, node: int, number: int) -> tuple[int, ...]:
    """The steps that made the gradient with which a node is executed, in order of the run.

    Several, where it is a sum; the step that begins the pass, where the node is a root of it.

    Args:
        index: The trace.
        node: The node.
        number: A step; the node's execution in the pass of that step is meant, outside of passes
            the first one.
    """
    visit = visit_of(index, node, number)
    span = None if visit is None else pass_at(index, visit)
    if visit is None or span is None:
        return ()
    steps = {
        flow.step
        for edge in index.arriving.get(node, ())
        for flow in index.flows.get(edge.id, ())
        if span.first <= flow.step < visit
    }
    return tuple(sorted(steps | _begin(span, node)))


def _begin(span: PassSpan, node: int) -> set[int]:
    return {span.first} if any(root.node == node for root in span.roots) else set()
