"""The header of Presenter Mode: the number of the step, one sentence about it, and the time."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QElapsedTimer, QLocale, Qt, QTime, QTimer, Slot
from PySide6.QtGui import QHideEvent, QPalette, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from gradviz.analysis.index.step_queries import phase_of, step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.language import format_count
from gradviz.document.tag import Tag
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.lesson.facts import shown_text
from gradviz.lesson.lesson import LessonStop
from gradviz.model.step import ErrorStep
from gradviz.viewer.lesson.lesson_player import LessonPlayer
from gradviz.viewer.lesson.lesson_text import stop_title
from gradviz.viewer.presentation import PresentedIdea
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.timeline.timeline_text import now_text, position_text
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.fitted_text import FittedText
from gradviz.viewer.widgets.pill import Pill
from gradviz.viewer.window.message_bar import MessageBar, MessageTone

_TITLE_PIXELS, _TIME_PIXELS = 11, 11
_MOST_PIXELS, _LEAST_PIXELS = 16, 10
_LINES = 2.5
"""Height of the sentence in lines of the preferred size: four lines of the smallest one."""

_QUESTION: PaletteRole = "accent"
_TONES: dict[MessageTone, PaletteRole] = {"info": "text", "warning": "warning", "error": "error"}
_MINUTE_MS, _EXPLAINED_MS = 60_000, 3000


class PresenterHeader(QWidget):
    """Describes the current step, and the stop of a lesson; its height is always the same.

    Args:
        state: The viewer state.
        player: The player of lessons, if there is one.
        messages: The window's messages, which the header shows until the next step.
        parent: The parent widget.
    """

    def __init__(
        self,
        state: ViewerState,
        player: LessonPlayer | None = None,
        messages: MessageBar | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._state, self._player = state, player
        self._message: ColoredText | None = None
        self._since = QElapsedTimer()
        self._since.start()
        self.title = FittedText(
            state.theme, pixels=_TITLE_PIXELS, least=_LEAST_PIXELS, lines=1, bold=True
        )
        self.sentence = FittedText(
            state.theme, pixels=_MOST_PIXELS, least=_LEAST_PIXELS, lines=_LINES, bold=True
        )
        self.time = QLabel()
        self.time.setTextFormat(Qt.TextFormat.PlainText)
        self.time.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.time.setAccessibleDescription(self.tr("Time of day, and minutes since the start"))
        tip = self.tr("Each step hides its results; the next click reveals them (H)")
        self._quiz_tag = Tag(self.tr("quiz mode"), "accent", tip)
        self.quiz_mode = Pill(self._quiz_tag, state.theme)
        self._explained = QTimer(self, singleShot=True, interval=_EXPLAINED_MS)
        self._explained.timeout.connect(self._on_explained_timeout)
        self._minute = QTimer(self, singleShot=True)
        self._minute.timeout.connect(self._show_time)
        self._lay_out()
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        state.trace_changed.connect(self._on_state_trace_changed)
        state.place_changed.connect(self._on_state_place_changed)
        state.presentation.idea_changed.connect(self._show)
        if player is not None:
            player.lesson_changed.connect(self._on_player_lesson_changed)
            player.stop_changed.connect(self._show)
        if messages is not None:
            messages.said.connect(self._on_messages_said)
        set_theme_font(self.time, state.theme, _TIME_PIXELS)
        self.update_theme()

    def _lay_out(self) -> None:
        self._first = first = QHBoxLayout()
        first.addWidget(self.title, 1)
        first.addWidget(self.quiz_mode)
        first.addWidget(self.time)
        self._column = QVBoxLayout(self)
        self._column.addLayout(first)
        self._column.addWidget(self.sentence)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def explain_quiz_mode(self) -> None:
        """Say for a moment what quiz mode hides, as hiding again may change nothing else."""
        text = self.tr("later answers are hidden")
        if self._state.revealed.hides_answer:
            text = self.tr("hidden until the next click")
        self.quiz_mode.show_tag(replace(self._quiz_tag, text=text, tone="warning"))
        self._explained.start()

    def _show(self) -> None:
        self.quiz_mode.setVisible(self._state.quiz_mode)
        text = header_text(self._state, self._player)
        self.title.show_parts(text.title)
        if self._message is not None:
            self.sentence.show_text(*self._message)
            return
        asked = [(f"{text.question} ", _QUESTION)] if text.question else []
        self.sentence.show_parts([*asked, text.sentence])
        if asked and self.sentence.is_cut:
            self.sentence.show_text(*text.sentence)

    def _show_time(self) -> None:
        now = QTime.currentTime()
        clock = QLocale().toString(now, QLocale.FormatType.ShortFormat)
        lesson = None if self._player is None else self._player.lesson
        spent = self._since.elapsed()
        if self._player is not None and lesson is not None:
            spent = self._player.elapsed_ms
        minutes = format_count(int(spent) // _MINUTE_MS)
        self.time.setText(self.tr("{0} · {1} min").format(clock, minutes))
        self._minute.start(_MINUTE_MS - (now.second() * 1000 + now.msec()) + 20)

    @Slot(object)
    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        self._message = None
        self._show()

    @Slot(object)
    def _on_state_place_changed(self, place: TracePosition | None) -> None:
        self._message = None
        self.quiz_mode.show_tag(self._quiz_tag)
        self._show()

    @Slot(str, str)
    def _on_messages_said(self, text: str, tone: MessageTone) -> None:
        index = self._state.index
        last = index.trace.steps[-1:] if index is not None else ()
        # A step of its own says how a run ended with an error.
        if not any(isinstance(step, ErrorStep) for step in last):
            self._message = text, _TONES[tone]
            self._show()

    @Slot(object)
    def _on_player_lesson_changed(self, lesson: object) -> None:
        self._show()
        self._show_time()

    def update_theme(self) -> None:
        """Fit fonts, icons and sizes to the theme."""
        side, edge = self._state.theme.px(12), self._state.theme.px(3)
        self._column.setContentsMargins(side, edge, side, edge)
        self._column.setSpacing(0)
        self._first.setSpacing(self._state.theme.px(8))
        self._show()

    @Slot()
    def _on_explained_timeout(self) -> None:
        self.quiz_mode.show_tag(self._quiz_tag)

    def showEvent(self, event: QShowEvent) -> None:
        """Start the clock."""
        super().showEvent(event)
        self._show_time()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop the clock."""
        super().hideEvent(event)
        self._minute.stop()


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
    return player.has_arrived and state.number == stop.number


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
