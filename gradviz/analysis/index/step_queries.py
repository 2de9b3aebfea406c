"""Questions about a trace at one of its steps, as pure functions."""

from __future__ import annotations

from bisect import bisect_right
from typing import Literal

from gradviz.analysis.index.gradient_flows import GradientFlow
from gradviz.analysis.index.phases import PhaseKind, RunPhase
from gradviz.analysis.index.trace_index import PassSpan, TraceIndex
from gradviz.model.step import (
    AccumulateStep,
    DispatchStep,
    ErrorStep,
    ForwardStep,
    NodeStep,
    OptimizerStep,
    PassBeginStep,
    Step,
)

NodeStatus = Literal["made", "done", "now", "to come", "untouched"]


def step_at(index: TraceIndex, number: int) -> Step | None:
    """The step with this number, or None if it does not exist."""
    steps = index.trace.steps
    return steps[number - 1] if 1 <= number <= len(steps) else None


def runs_within(index: TraceIndex, later: int, outer: int) -> bool:
    """Whether a step ran during an earlier one, as a Function within another.

    Judged by their times, so it also holds for steps that other threads ran meanwhile.
    """
    if later <= outer:
        return False
    inner, outer_step = step_at(index, later), step_at(index, outer)
    if inner is None or not isinstance(outer_step, ForwardStep | NodeStep | DispatchStep):
        return False
    return inner.started_ns < outer_step.started_ns + outer_step.duration_ns


def pass_at(index: TraceIndex, number: int) -> PassSpan | None:
    """The innermost backward pass of a step, or None in a forward phase."""
    step = step_at(index, number)
    return None if step is None else index.span.get(step.pass_id or 0)


def node_at_step(index: TraceIndex, number: int) -> int | None:
    """The node that a step executes, creates, or fails in; the first root of a new pass."""
    step = step_at(index, number)
    if isinstance(step, PassBeginStep):
        return step.roots[0].node if step.roots else None
    if isinstance(step, NodeStep | AccumulateStep | ForwardStep | ErrorStep):
        return step.node
    return None


def node_status(index: TraceIndex, node: int, number: int) -> NodeStatus:
    """Progress of a node at a step.

    In a forward phase: ``made`` if the node exists, else ``to come``. In a backward pass: whether
    the pass has executed it; ``untouched`` if the pass never does.
    """
    if node_at_step(index, number) == node and not _at_begin(index, number):
        return "now"
    span = pass_at(index, number)
    if span is None:
        return _status_in_forward(index, node, number)
    visits = index.visits.get(node, ())
    within = [visit for visit in visits if span.first <= visit <= span.last]
    if not within:
        return "untouched"
    return "done" if within[0] < number else "to come"


def _at_begin(index: TraceIndex, number: int) -> bool:
    return isinstance(step_at(index, number), PassBeginStep)


def _status_in_forward(index: TraceIndex, node: int, number: int) -> NodeStatus:
    return "made" if made_step(index, node) <= number else "to come"


def made_step(index: TraceIndex, node: int) -> int:
    """Number of the step that made a node, or one that uses it; 0 for before the first one."""
    made = index.made_at.get(node, index.node[node].made_in)
    if made is None:
        uses = [edge.source for edge in index.arriving.get(node, ())]
        made = min((index.made_at.get(use, 0) for use in uses), default=0)
    return made


def flow_at(index: TraceIndex, edge: int, number: int) -> GradientFlow | None:
    """The gradient that has flowed along an edge up to a step, in the pass of that step."""
    flows = index.flows.get(edge, ())
    span = pass_at(index, number)
    if span is None:
        return None
    position = bisect_right(flows, number, key=lambda flow: flow.step) - 1
    if position < 0 or flows[position].step < span.first:
        return None
    return flows[position]


def module_path(index: TraceIndex, node: int) -> str:
    """Path of the module that created a node, such as ``layers.0.linear``, or empty."""
    call = index.node[node].module_call
    return "" if call is None else index.module[call].path


def phase_of(step: Step) -> PhaseKind:
    """The phase under which the timeline shows a step."""
    if isinstance(step, OptimizerStep):
        return "update"
    return "forward" if step.pass_id is None else "backward"


def steps_of_pass(index: TraceIndex, number: int) -> range | None:
    """The steps of a recorded pass, from the forward before it to the updates after it.

    Passes that run inside of another one belong to that one.
    """
    steps = index.trace.steps
    first = 1
    for span in index.passes:
        if span.numbers[1:]:
            continue
        end = span.last
        while end < len(steps) and isinstance(steps[end], OptimizerStep):
            end += 1
        if span.numbers[0] == number:
            return range(first, end + 1)
        first = end + 1
    return None


def phase_number(index: TraceIndex, phase: RunPhase) -> int:
    """The number of a phase among those of its kind, or of its pass if passes are missing."""
    alike = [each.first for each in index.phases if each.kind == phase.kind]
    if index.begins_with_the_run and not index.trace.scope.kept:
        return alike.index(phase.first) + 1
    passes = [
        (each.first, index.span[each.pass_id].numbers[0])
        for each in index.phases
        if each.pass_id in index.span
    ]
    before = max((number for first, number in passes if first <= phase.first), default=0)
    if phase.kind == "forward":
        return next((number for first, number in passes if first > phase.last), before + 1)
    return before


def is_outside_scope(index: TraceIndex, node: int) -> bool:
    """Whether a node is only known as the target of an edge, because its call is not recorded."""
    return (
        bool(index.trace.scope.only)
        and node not in index.made_at
        and index.node[node].kind != "accumulate"
        and not index.leaving.get(node)
    )
