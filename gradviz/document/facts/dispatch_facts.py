"""Facts about a call that a type overrides with ``__torch_function__``."""

from __future__ import annotations

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.messages import say
from gradviz.document.facts.fact_rows import (
    FactRow,
    FactSection,
    PlacesRow,
    TextRow,
    values,
)
from gradviz.document.facts.node_facts import place_text
from gradviz.document.location_text import Breadcrumb, location_title
from gradviz.model.source import Location, source_lines
from gradviz.model.step import DispatchAnswer, DispatchStep


def dispatch_sections(index: TraceIndex, step: DispatchStep) -> tuple[FactSection, ...]:
    """Sections on the inputs, the types that torch asked, their answers, and the result."""
    sections = [
        FactSection(key="arguments", title=say("facts.inputs"), rows=values(step.inputs)),
        _handler_facts(index, step),
    ]
    if step.outputs:
        sections.append(
            FactSection(key="outputs", title=say("facts.returns"), rows=values(step.outputs))
        )
    if step.error:
        row = TextRow(text=step.error, block=True, tone="error")
        sections.append(
            FactSection(key="dispatch-error", title=say("facts.answer.raised"), rows=(row,))
        )
    if step.location is not None:
        rows = (TextRow(text=place_text(step.location)),)
        sections.append(FactSection(key="dispatch-line", title=say("facts.called_at"), rows=rows))
    return tuple(sections)


def answer_text(answer: DispatchAnswer | None) -> str:
    """The answer of a type in a few words; None for a type that torch did not ask."""
    if answer is None:
        return say("facts.not_asked")
    names_handler = answer.by and answer.how in ("handler", "raised")
    how = f"{answer.how}_by" if names_handler else answer.how
    return say(f"facts.answer.{how}", by=answer.by)


def answers_by_type(step: DispatchStep) -> tuple[tuple[str, DispatchAnswer | None], ...]:
    """Each type in the order in which torch asks them, with its answer."""
    # Types can share a name. Answers come in the order of the types, so match them by position.
    left = list(step.answers)
    found: list[tuple[str, DispatchAnswer | None]] = []
    for name in step.types:
        is_answered = bool(left) and left[0].type == name
        found.append((name, left.pop(0) if is_answered else None))
    return tuple(found)


def _handler_facts(index: TraceIndex, step: DispatchStep) -> FactSection:
    rows: list[FactRow] = []
    for number, (name, answer) in enumerate(answers_by_type(step), start=1):
        sentence = say("facts.value", number=number, type=name, answer=answer_text(answer))
        raised = answer is not None and answer.how == "raised"
        rows.append(TextRow(text=sentence, tone="error" if raised else "plain"))
        if answer is not None and answer.location is not None:
            rows += _place(index, step, answer.location)
    return FactSection(
        key="dispatch-types",
        title=say("facts.types_asked"),
        hint=say("facts.order"),
        rows=tuple(rows),
    )


def _place(index: TraceIndex, step: DispatchStep, location: Location) -> list[FactRow]:
    """Where an answer is defined, with a link to its lines if they were recorded."""
    line = _definition(index, location)
    rows: list[FactRow] = [TextRow(text=line, block=True)] if line else []
    inside = index.inside.get(step.number)
    part = None if inside is None else inside.part("forward")
    lines, frames = ((), ()) if part is None else (part.lines, part.frames)
    own = (at for at, each in enumerate(lines) if frames[each.frame].function == location)
    first = next(own, None)
    if first is None:
        return [*rows, TextRow(text=place_text(location))]
    place = TracePosition(step=step.number, stage="forward", line=first)
    crumb = Breadcrumb(location_title(lines[first].location), place)
    return [*rows, PlacesRow(text=place_text(location), places=(crumb,))]


def _definition(index: TraceIndex, location: Location) -> str:
    """The line that defines a function, after its decorators; empty if unknown."""
    source = None if location.source is None else index.source.get(location.source)
    lines = (
        () if source is None else source_lines(source.text)[location.line - 1 : location.line + 9]
    )
    return next((line.strip() for line in lines if line.lstrip().startswith("def ")), "")
