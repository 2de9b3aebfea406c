"""Texts about steps in the timeline, without what is still hidden."""

from __future__ import annotations

from collections.abc import Iterable

from gradviz.analysis.index.step_queries import phase_of, step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import Level, TracePosition
from gradviz.catalogue.language import format_count
from gradviz.document.facts.step_facts import title_of
from gradviz.document.location_text import location_words
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.text.narration import describe_revealed
from gradviz.viewer.state import ViewerState
from gradviz.viewer.timeline.timeline_marks import TimelineMark
from gradviz.viewer.translation import translate


def position_text(state: ViewerState) -> str:
    """Return ``backward · step 5 of 8``, within it ``backward · step 5 of 8 · line 24``."""
    index, place = state.index, state.place
    step = None if index is None or place is None else step_at(index, place.step)
    if index is None or place is None or step is None:
        return translate("Timeline", "no steps")
    if state.level == "pass":
        return _phase_text(index, place)
    texts = {
        "forward": translate("Timeline", "forward · step {0} of {1}"),
        "backward": translate("Timeline", "backward · step {0} of {1}"),
        "update": translate("Timeline", "optimizer · step {0} of {1}"),
    }
    phase = phase_of(step)
    whole = texts[phase].format(format_count(place.step), format_count(state.count))
    words = location_words(index, place)
    # The stage that is named like the phase says nothing new.
    words = words[1:] if words[:1] == (phase,) else words
    return " · ".join((whole, *words))


def count_text(state: ViewerState) -> str:
    """Return ``step 5 of 8``, without what the breadcrumb says."""
    if not state.count:
        return translate("Timeline", "no steps")
    text = translate("Timeline", "step {0} of {1}")
    return text.format(format_count(state.number), format_count(state.count))


def _phase_text(index: TraceIndex, place: TracePosition) -> str:
    phases = index.phases
    at = next(at for at, each in enumerate(phases) if each.first <= place.step <= each.last)
    kinds = {
        "forward": translate("Timeline", "forward"),
        "backward": translate("Timeline", "backward"),
        "update": translate("Timeline", "optimizer"),
    }
    kind = kinds[phases[at].kind]
    text = translate("Timeline", "phase {0} of {1} · {2} · steps {3}–{4}")
    return text.format(
        format_count(at + 1),
        format_count(len(phases)),
        kind,
        format_count(phases[at].first),
        format_count(phases[at].last),
    )


def revealed_sentence(state: ViewerState, place: TracePosition, level: Level) -> str:
    """Return the sentence for a place, or only a question or a name if it is hidden."""
    index = state.index
    step = None if index is None else step_at(index, place.step)
    if index is None or step is None:
        return ""
    return describe_revealed(state.revealed, place, level) or title_of(index, step)


def now_text(state: ViewerState) -> tuple[str, PaletteRole]:
    """Return the sentence for the current place, or the question about its hidden answer.

    Returns:
        The text and its color.
    """
    text = "" if state.place is None else revealed_sentence(state, state.place, state.level)
    return text, "accent" if state.revealed.hides_answer else "text"


def next_text(state: ViewerState) -> str:
    """Return what comes next; only its name if it is hidden."""
    if state.index is None or not state.count:
        return ""
    if state.revealed.hides_answer:
        return translate("Timeline", "next: the answer")
    if state.next_target is None:
        return translate("Timeline", "end of run")
    return translate("Timeline", "next: {0}").format(revealed_sentence(state, *state.next_target))


def hover_text(state: ViewerState, number: int, marks: Iterable[TimelineMark]) -> str:
    """Return a step's sentence and marks, or only its name if it is hidden."""
    step_text = revealed_sentence(state, TracePosition(step=number), "node")
    if not step_text:
        return ""
    shown = state.revealed.shows(number)
    notes = (mark.text for mark in marks if mark.number == number and shown)
    return "\n".join(
        (translate("Timeline", "step {0}: {1}").format(format_count(number), step_text), *notes)
    )
