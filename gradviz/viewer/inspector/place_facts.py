"""Facts about a place inside a step: a stage, a line or an op."""

from __future__ import annotations

from gradviz.model.index import Index
from gradviz.model.inside import Part, StageKind
from gradviz.model.places import Place, part_at
from gradviz.model.query import step_at
from gradviz.model.step import AccumulateStep, DispatchStep, ForwardStep, NodeStep, Step
from gradviz.viewer.inspector.backward_facts import (
    accumulate_sections,
    given_sections,
    incoming_section,
    returned_sections,
)
from gradviz.viewer.inspector.builtin_facts import builtin_node, differentiation_sections
from gradviz.viewer.inspector.dispatch_facts import dispatch_sections
from gradviz.viewer.inspector.facts import PlacesRow, Section, tr, values
from gradviz.viewer.inspector.line_facts import MOST_PLACES, inner_section, line_sections
from gradviz.viewer.inspector.node_facts import call_sections, context_section, saved_section
from gradviz.viewer.inspector.op_facts import op_sections
from gradviz.viewer.places import crumb_of


def sections_at(index: Index, place: Place) -> tuple[Section, ...]:
    """Sections on everything that is known about a place inside a step."""
    part = part_at(index, place)
    if part is not None and place.op is not None:
        return op_sections(index, part.ops[place.op])
    if part is not None and place.line is not None:
        return line_sections(index, place, part, place.line)
    step = step_at(index, place.step)
    if step is None or place.stage is None:
        return ()
    own = _of_stage(index, step, place.stage)
    return (*own, *_changes(index, place, part), *_inner(index, place))


def is_finished(index: Index, place: Place) -> bool:
    """Whether a place was left neither by an exception nor by the end of the run."""
    part = part_at(index, place)
    if part is None:
        return True
    if place.op is not None:
        return part.ops[place.op].finished
    return part.finished if place.line is None else part.lines[place.line].finished


def _of_stage(index: Index, step: Step, stage: StageKind) -> tuple[Section, ...]:
    match step:
        case ForwardStep(call=None):
            return _of_builtin(index, step, stage)
        case ForwardStep():
            return _of_call(index, step, stage)
        case NodeStep() if stage == "engine":
            return returned_sections(index, step)
        case NodeStep():
            call = index.node[step.node].call
            context = context_section(index.call[call]) if call in index.call else ()
            saved = saved_section(index, step.node)
            how = differentiation_sections(index, index.node[step.node], step.number)
            return (incoming_section(step), *given_sections(index, step), *saved, *context, *how)
        case AccumulateStep():
            return accumulate_sections(index, step)
        case DispatchStep():
            return dispatch_sections(index, step)
        case _:
            return ()


def _of_builtin(index: Index, step: ForwardStep, stage: StageKind) -> tuple[Section, ...]:
    how = differentiation_sections(index, builtin_node(index, step.number), step.number)
    if stage == "save":
        return (*saved_section(index, step.node), *how)
    return (
        Section(key="arguments", title=tr("inputs"), rows=values(step.inputs)),
        Section(key="outputs", title=tr("outputs"), rows=values(step.outputs)),
    )


def _of_call(index: Index, step: ForwardStep, stage: StageKind) -> tuple[Section, ...]:
    call = None if step.call is None else index.call.get(step.call)
    if call is None:
        return ()
    if stage == "save":
        return saved_section(index, step.node)
    if stage == "setup_context":
        return (*context_section(call), *call_sections(index, call))
    return call_sections(index, call)


def _changes(index: Index, place: Place, part: Part | None) -> tuple[Section, ...]:
    """Links to the ops of a stage that write in place."""
    writing = [] if part is None else [at for at, op in enumerate(part.ops) if op.writes]
    if part is None or not writing:
        return ()
    shown = tuple(
        crumb_of(index, Place(step=place.step, stage=place.stage, line=part.ops[at].line, op=at))
        for at in writing[:MOST_PLACES]
    )
    text = tr("{count:,} ops write").format(count=len(writing))
    if len(writing) == 1:
        text = tr("1 op writes")
    rows = (PlacesRow(text=text, places=shown),)
    return (Section(key="stage-writes", title=tr("changed in place"), rows=rows),)


def _inner(index: Index, place: Place) -> tuple[Section, ...]:
    section = inner_section(index, place)
    return (section,) if section.rows else ()
