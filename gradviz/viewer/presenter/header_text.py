"""Texts of the header in Presenter Mode: of a step, of a page's idea, and of a lesson's stop."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.analysis.index.step_queries import phase_of, step_at
from gradviz.catalogue.language import format_count
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.lesson.facts import shown_text
from gradviz.lesson.lesson import LessonStop
from gradviz.viewer.lesson.lesson_player import LessonPlayer
from gradviz.viewer.lesson.lesson_text import stop_title
from gradviz.viewer.presentation import PresentedIdea
from gradviz.viewer.state import ViewerState
from gradviz.viewer.timeline.timeline_text import now_text, position_text
from gradviz.viewer.translation import translate

_PHASE_COLORS: dict[str, PaletteRole] = {
    "forward": "forward",
    "backward": "backward",
    "update": "accent",
}

ColoredText = tuple[str, PaletteRole]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderText:
    """What the header says.

    Attributes:
        title: The parts of the small line: where one is.
        sentence: What happens, or the question to answer.
        question: The question of a lesson's stop, which is shown in front; may be empty.
    """

    title: tuple[ColoredText, ...]
    sentence: ColoredText
    question: str = ""


def header_text(state: ViewerState, player: LessonPlayer | None = None) -> HeaderText:
    """Return the texts for the current place, and for the current stop while a lesson is played."""
    place, sentence = _place_text(state)
    stop = None if player is None else player.stop
    if player is None or player.lesson is None or stop is None:
        return HeaderText(title=(place,) if place[0] else (), sentence=sentence)
    progress = translate("Presenter", "stop {0} of {1}").format(
        format_count(player.at + 1), format_count(len(player.lesson.stops))
    )
    title: list[ColoredText] = [(stop_title(stop), "text"), (f" · {progress}", "text_muted")]
    if player.problem:
        return HeaderText(title=tuple(title), sentence=(player.problem, "error"))
    if place[0]:
        title += [(" · ", "text_muted"), place]
    question = shown_text(stop.question) if _asks(state, stop, player) else ""
    if question and state.revealed.hides_answer:
        return HeaderText(title=tuple(title), sentence=(question, "accent"))
    return HeaderText(title=tuple(title), sentence=sentence, question=question)


def _asks(state: ViewerState, stop: LessonStop, player: LessonPlayer) -> bool:
    """Whether the question is still open: the clicker has not gone on to other steps."""
    return player.has_arrived and state.number == int(stop.step.partition("/")[0] or 1)


def _place_text(state: ViewerState) -> tuple[ColoredText, ColoredText]:
    """Return where one is, and what happens there."""
    idea = state.presentation.idea
    if idea is not None:
        return (_idea_title(idea), idea.role), (idea.sentence, "text")
    step = None if state.index is None else step_at(state.index, state.number)
    if step is None:
        return ("", "text"), (translate("Presenter", "Nothing to show yet."), "text_muted")
    return (position_text(state), _PHASE_COLORS[phase_of(step)]), now_text(state)


def _idea_title(idea: PresentedIdea) -> str:
    if idea.count <= 1:
        return idea.title
    text = translate("Presenter", "{title} · {at} of {count}")
    at, count = format_count(idea.at + 1), format_count(idea.count)
    return text.format(title=idea.title, at=at, count=count)
