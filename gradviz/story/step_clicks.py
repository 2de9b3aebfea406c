"""The clicks of a lesson's stop, and of a step: its sentence, graph, values, sums and code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gradviz.analysis.arithmetic.element_arithmetic import step_names
from gradviz.analysis.arithmetic.telling_elements import telling_elements
from gradviz.analysis.index.step_queries import phase_of, step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.named_values import ROLES, items_in_role
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.analysis.training.training_curves import is_training
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.document.source_excerpt import lines_at_position
from gradviz.lesson.facts import shown_text
from gradviz.lesson.lesson import LessonStop
from gradviz.story.click import Click
from gradviz.story.run import StoryRun
from gradviz.text.narration import describe_position, describe_revealed
from gradviz.text.provenance import element_name

_MOST_VALUES = 3
"""Values in one picture, unless those of one role are more."""


def step_clicks(run: StoryRun, place: TracePosition, *, asks: bool) -> tuple[Click, ...]:
    """What is shown at a place of a run, click by click.

    Args:
        run: The run.
        place: The place.
        asks: Whether what the step computes is hidden.
    """
    if not asks:
        return _stop_clicks(LessonStop(), run, place)
    asked = describe_revealed(RevealedTrace.before_answer(run.index, place.step), place)
    topic = _where(run.index, place)
    return (Click(topic=topic, headline=asked, text="graph", is_asked=True, is_recorded=True),)


def later_clicks(stop: LessonStop, clicks: tuple[Click, ...]) -> tuple[Click, ...]:
    """What a step between two stops shows: its picture and sentence at the first one's headline.

    Args:
        stop: The first stop.
        clicks: What the step shows by itself; the further clicks say the same in more detail.
    """
    headline, click = shown_text(stop.headline), clicks[0]
    if not headline:
        return (click,)
    # Above the headline, as a graph needs all the space below it.
    return (replace(click, topic=click.headline, headline=headline, is_recorded=False),)


def _below(stop: LessonStop, click: Click, told: str) -> Click:
    """A click with what was recorded below the picture, as the headline keeps its size."""
    headline = shown_text(stop.headline)
    if not headline:
        return replace(click, headline=told, is_recorded=True)
    return replace(click, headline=headline, note=told, is_recorded=False)


def stop_clicks(stop: LessonStop, run: StoryRun, place: TracePosition) -> tuple[Click, ...]:
    """What a stop of a lesson shows, click by click; what its author left open is as in a step.

    What the author says of the recorded numbers is not said of a run with other ones.
    """
    clicks = _stop_clicks(stop, run, place)
    if not run.index.trace.changes:
        return clicks
    told = describe_position(run.index, place)
    return tuple([each if each.is_asked else _below(stop, each, told) for each in clicks])


def _stop_clicks(stop: LessonStop, run: StoryRun, place: TracePosition) -> tuple[Click, ...]:
    topic, question = shown_text(stop.headline), shown_text(stop.question)
    answer = shown_text(stop.answer or stop.solution)
    asked = stop.ask or _asked(stop)
    shown = stop.show or tuple(dict.fromkeys(_shown(stop, run, place)))
    if not question:
        where = "" if topic else _where(run.index, place)
        told = topic or describe_position(run.index, place)
        return tuple(
            Click(topic=where, headline=told, text=each, is_recorded=not topic)
            for each in shown or ("",)
        )
    clicks = [Click(topic=topic, headline=question, text=asked, is_asked=True)]
    # With the answer, the places of values that were left open are filled.
    filled = asked.replace("{?", "{")
    if shown[:1] == (filled,):
        shown = shown[1:]
    if answer:
        clicks.append(Click(topic=question, headline=answer, text=filled))
    told = answer or question
    return (*clicks, *(Click(topic=question, headline=told, text=each) for each in shown))


def _asked(stop: LessonStop) -> str:
    return "" if stop.tab == "jacobians" else "graph"


def _shown(stop: LessonStop, run: StoryRun, place: TracePosition) -> Iterator[str]:
    if stop.tab == "jacobians":
        yield "{check numerical}"
        yield "{check analytical} {check numerical}"
        yield "{check analytical} − {check numerical} = {check difference}"
        if any(each.function_curves for each in run.index.trace.reports[-1:]):
            yield "curve"
        return
    yield from _pictures(run, place)


def _where(index: TraceIndex, place: TracePosition) -> str:
    step = step_at(index, place.step)
    if step is None:
        return ""
    number, total = format_count(place.step), format_count(len(index.trace.steps))
    return say("drawing.step", number=number, total=total, phase=phase_of(step))


def _pictures(run: StoryRun, place: TracePosition) -> Iterator[str]:
    index = run.index
    has_code = lines_at_position(index, place) is not None
    if place.line is not None and has_code:
        yield "code"
        return
    if index.trace.nodes:
        yield "graph"
    yield from _values(index, place.step)
    names = step_names(index, place.step).named
    for tensor, element in telling_elements(index, run.finder, place):
        yield f"sum {element_name(names.get(tensor, ''), element)}"
    if has_code:
        yield "code"
    if is_training(index) and run.training is not None and run.training.loss.points:
        yield "losses"


def _values(index: TraceIndex, number: int) -> Iterator[str]:
    """What the step was given and made, a row for each role; many values are several pictures."""
    step = step_at(index, number)
    if step is None:
        return
    rows: list[str] = []
    count, shown = 0, set[int]()
    for role in ROLES:
        row = []
        for place, item in enumerate(items_in_role(index, step, role)):
            if item.tensor is not None and item.tensor not in shown:
                shown.add(item.tensor)
                row.append(f"{{step {number} {role} {place}}}")
        if rows and row and count + len(row) > _MOST_VALUES:
            yield "\n".join(rows)
            rows, count = [], 0
        if row:
            rows.append(" ".join(row))
            count += len(row)
    if rows:
        yield "\n".join(rows)
