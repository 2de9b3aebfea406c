"""What the timeline says of steps, and what it keeps back while a room guesses."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication

from gradviz.model.index import Index
from gradviz.model.narrate import question, sentence
from gradviz.model.query import phase_of, step_at
from gradviz.viewer.inspector.step_facts import title_of
from gradviz.viewer.state import ViewerState
from gradviz.viewer.timeline.marks import Mark


def where_text(index: Index, number: int) -> str:
    """Like ``step 5 of 8 · BACKWARD``."""
    step, count = step_at(index, number), len(index.trace.steps)
    if step is None:
        return _tr("no steps")
    if phase_of(step) == "forward":
        return _tr("step {0:,} of {1:,} · FORWARD").format(number, count)
    return _tr("step {0:,} of {1:,} · BACKWARD").format(number, count)


def told_sentence(state: ViewerState, number: int) -> str:
    """The sentence of any step; only a question, or its name, where it is still to be guessed."""
    index = state.index
    step = None if index is None else step_at(index, number)
    if index is None or step is None:
        return ""
    if number <= state.told:
        return sentence(index, step)
    return question(index, step) if number == state.number else title_of(index, step)


def now_text(state: ViewerState) -> str:
    """The sentence of the step, or the question that it is to a room."""
    return told_sentence(state, state.number)


def next_text(state: ViewerState) -> str:
    """What comes next; of what has still to be guessed only its name."""
    index = state.index
    if index is None or not state.count:
        return ""
    if state.concealed:
        return _tr("next: the answer")
    following = step_at(index, state.number + 1)
    if following is None:
        return _tr("the run ends here")
    return _tr("next: {0}").format(told_sentence(state, following.number))


def hover_text(state: ViewerState, number: int, marks: Iterable[Mark]) -> str:
    """Of any step: its sentence and its marks, or only its name where it is to be guessed."""
    said = told_sentence(state, number)
    if not said:
        return ""
    told = (mark.text for mark in marks if mark.number == number <= state.told)
    return "\n".join((_tr("step {0:,}: {1}").format(number, said), *told))


def _tr(text: str) -> str:
    return QCoreApplication.translate("Timeline", text)
