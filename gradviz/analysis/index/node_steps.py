"""The steps that create and execute a node, and the gradients it receives in them."""

from __future__ import annotations

from gradviz.analysis.index.step_queries import pass_at, step_at
from gradviz.analysis.index.trace_index import PassSpan, TraceIndex
from gradviz.model.item import Item
from gradviz.model.step import AccumulateStep, ForwardStep, NodeStep


def steps_of(index: TraceIndex, node: int) -> tuple[int, ...]:
    """Numbers of the steps that create or execute a node, ascending."""
    made = {index.made_at[node]} if node in index.made_at else set()
    return tuple(sorted(made | set(index.visits.get(node, ()))))


def next_step_of(index: TraceIndex, node: int, number: int) -> int | None:
    """The next step that creates or executes a node; wraps around after the last one."""
    steps = steps_of(index, node)
    later = (step for step in steps if step > number)
    return next(later, next(iter(steps), None))


def execution_step(index: TraceIndex, node: int, number: int) -> int | None:
    """The step that executes a node in the pass of a step.

    Outside of passes, this is the first step that executes it; None if there is none.
    """
    visits = index.visits.get(node, ())
    span = pass_at(index, number)
    if span is None:
        return next(iter(visits), None)
    return next((visit for visit in visits if span.first <= visit <= span.last), None)


def received_gradients(index: TraceIndex, node: int, number: int) -> tuple[Item, ...]:
    """Gradients that a node has received up to a step, in the pass of that step."""
    visit = execution_step(index, node, number)
    if visit is None or visit > number or pass_at(index, number) is None:
        return ()
    step = step_at(index, visit)
    if isinstance(step, NodeStep):
        return step.received or step.incoming
    return (step.contribution,) if isinstance(step, AccumulateStep) else ()


def sending_steps(index: TraceIndex, node: int, number: int) -> tuple[int, ...]:
    """The steps that computed the gradient that a node receives, in order of the run.

    There are several if it is a sum. For a root, the step that begins the pass is included.

    Args:
        index: The trace.
        node: The node.
        number: Number of a step; the node's execution in its pass is meant, or its first execution
            outside of passes.
    """
    visit = execution_step(index, node, number)
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


def node_duration(index: TraceIndex, node: int) -> int:
    """Nanoseconds of the steps that created and executed a node, including their recording."""
    numbers = (index.made_at.get(node, 0), *index.visits.get(node, ()))
    steps = [step_at(index, number) for number in numbers]
    # A step that creates several nodes counts for the last one.
    return sum(
        step.duration_ns
        for step in steps
        if isinstance(step, ForwardStep | NodeStep | AccumulateStep) and step.node == node
    )
