"""Sentences on a phase of the run: forward steps, a backward pass or an optimizer step."""

from __future__ import annotations

from gradviz.analysis.history_cuts import missing_sentences
from gradviz.analysis.index.phases import RunPhase
from gradviz.analysis.index.step_queries import phase_number, step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.messages import say
from gradviz.model.columns import ACCUMULATE, FORWARD, NODE, IntColumn
from gradviz.model.step import OptimizerStep, PassBeginStep, PassEndStep
from gradviz.text.punctuation import join_sentences
from gradviz.text.sentences.endings import exception_text, run_error
from gradviz.text.sentences.second_order import order_sentences
from gradviz.text.sentences.training import optimizer_sentence
from gradviz.text.sentences.values import count_text, named_value, short_text, some_of_list

_MOST_LEAVES = 4


def phase_sentence(index: TraceIndex, number: int) -> str:
    """What happens in the phase that contains a step; empty if there is no such step."""
    phases = index.phases
    at = next((at for at, phase in enumerate(phases) if phase.first <= number <= phase.last), None)
    if at is None:
        return ""
    phase = phases[at]
    if phase.kind == "update":
        parts = [_update(index, phase)]
    elif phase.pass_id is None:
        parts = [_forward(index, phases, phase)]
    else:
        parts = [_backward(index, phase), *_course(index, phases, at)]
    return join_sentences([*parts, *_ending(index, phases, phase)])


def _nodes_of(index: TraceIndex, phase: RunPhase, kind: int) -> IntColumn:
    """The nodes of a phase's steps of one kind, in order; 0 for a step without a node."""
    span = slice(phase.first - 1, phase.last)
    nodes: IntColumn = index.steps.nodes[span][index.steps.kinds[span] == kind]
    return nodes


def _made(index: TraceIndex, phase: RunPhase) -> int:
    """How many nodes the forward steps of a phase created."""
    made = set(_nodes_of(index, phase, FORWARD).tolist()) - {0}
    for number, nodes in index.steps.several.items():
        if phase.first <= number <= phase.last:
            made.update(nodes)
    return len(made)


def _forward(index: TraceIndex, phases: tuple[RunPhase, ...], phase: RunPhase) -> str:
    forward = [each.first for each in phases if each.kind == "forward"]
    name = say("phase.forward")
    if len(forward) > 1:
        name = say("phase.forward.number", number=phase_number(index, phase))
    steps = count_text("step", phase.last - phase.first + 1)
    made = _made(index, phase)
    if not made:
        return say("phase.steps", phase=name, steps=steps)
    return say("phase.makes", phase=name, steps=steps, nodes=count_text("node", made))


def _update(index: TraceIndex, phase: RunPhase) -> str:
    steps = [step_at(index, number) for number in range(phase.first, phase.last + 1)]
    told = [optimizer_sentence(index, step) for step in steps if isinstance(step, OptimizerStep)]
    return say("phase.update", number=phase_number(index, phase), told=join_sentences(told))


def _backward(index: TraceIndex, phase: RunPhase) -> str:
    key = "phase.backward.number" if index.numbers_passes else "phase.backward"
    name = say(key, number=_name(index, phase.pass_id))
    executed = len(_nodes_of(index, phase, NODE))
    leaves = list(dict.fromkeys(_nodes_of(index, phase, ACCUMULATE).tolist()))
    if not leaves:
        key = "phase.nodes" if executed else "phase.nothing"
        return say(key, phase=name, nodes=count_text("node", executed))
    return say(
        "phase.leaves" if executed else "phase.only_leaves",
        phase=name,
        nodes=count_text("node", executed),
        leaves=_leaves(index, leaves),
    )


def _leaves(index: TraceIndex, leaves: list[int]) -> str:
    """The number of leaves, and the names of those that have one."""
    count = count_text("leaf", len(leaves))
    names = [index.node[leaf].variable_name for leaf in leaves]
    known = [short_text(name) for name in names if name]
    if not known:
        return count
    key = "leaves.named" if len(known) == len(names) else "leaves.some"
    return say(key, leaves=count, names=some_of_list(known, _MOST_LEAVES))


def _course(index: TraceIndex, phases: tuple[RunPhase, ...], at: int) -> list[str]:
    """How a backward pass begins, is interrupted, resumes and ends."""
    phase, parts = phases[at], []
    first, last = step_at(index, phase.first), step_at(index, phase.last)
    if isinstance(first, PassBeginStep) and first.parent is not None:
        parts.append(say("begin.parent", number=_name(index, first.parent)))
    if at and _is_within(index, phases[at - 1].pass_id, phase.pass_id):
        parts.append(say("phase.goes_on", number=_name(index, phases[at - 1].pass_id)))
    if isinstance(first, PassBeginStep):
        parts += order_sentences(index, first)
        parts += [say("begin.create_graph")] if first.create_graph else []
    made = _made(index, phase)
    if made:
        parts.append(say("phase.made", nodes=count_text("node", made)))
    if at + 1 < len(phases) and _is_within(index, phases[at + 1].pass_id, phase.pass_id):
        parts.append(say("phase.waits", number=_name(index, phases[at + 1].pass_id)))
    if isinstance(last, PassEndStep) and last.results:
        parts.append(
            say(
                "phase.results", results=some_of_list([named_value(index, r) for r in last.results])
            )
        )
    if isinstance(last, PassEndStep):
        parts += missing_sentences(index, last.pass_id)
    return parts


def _name(index: TraceIndex, pass_id: int | None) -> str:
    return "" if pass_id is None else index.pass_name(pass_id)


def _is_within(index: TraceIndex, inner: int | None, outer: int | None) -> bool:
    span = index.span.get(inner or 0)
    begin = None if span is None else step_at(index, span.first)
    return isinstance(begin, PassBeginStep) and begin.parent == outer


def _ending(index: TraceIndex, phases: tuple[RunPhase, ...], phase: RunPhase) -> list[str]:
    error = run_error(index)
    if error is not None and phase.first <= error.number <= phase.last:
        return [say("phase.raised", exception=exception_text(error))]
    last = step_at(index, phase.last)
    if phase.pass_id is None:
        return [] if getattr(last, "finished", True) else [say("phase.unfinished")]
    goes_on = any(each.pass_id == phase.pass_id and each.first > phase.last for each in phases)
    if goes_on or isinstance(last, PassEndStep):
        return []
    return [say("phase.unfinished")]
