"""The header of Presenter Mode: the number of the step, one sentence about it, and the time."""

from __future__ import annotations

from PySide6.QtCore import QLocale, Qt, QTime, QTimer, Slot
from PySide6.QtGui import QHideEvent, QPalette, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from gradviz.analysis.index.step_queries import phase_of, step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.language import format_count
from gradviz.drawing.appearance.palette import PaletteRole
from gradviz.viewer.presentation import PresentedIdea
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.timeline.timeline_text import now_text, where_text
from gradviz.viewer.widgets.fitted_text import FittedText
from gradviz.viewer.widgets.pill import Pill, Tag

_TITLE_PIXELS, _TIME_PIXELS = 11, 11
_MOST_PIXELS, _LEAST_PIXELS = 16, 10
_MINUTE_MS = 60_000

_PHASE_COLORS: dict[str, PaletteRole] = {
    "forward": "forward",
    "backward": "backward",
    "update": "accent",
}


class PresenterHeader(QWidget):
    """Describes the current step; its height is the same at every step."""

    def __init__(self, state: ViewerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self.title = FittedText(state.theme, pixels=_TITLE_PIXELS, lines=1, bold=True)
        self.sentence = FittedText(
            state.theme, pixels=_MOST_PIXELS, least=_LEAST_PIXELS, lines=2.1, bold=True
        )
        self.time = QLabel()
        self.time.setTextFormat(Qt.TextFormat.PlainText)
        self.time.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.time.setAccessibleDescription(self.tr("Time of day"))
        tip = self.tr("Each step hides its results; the next click reveals them (H)")
        self.quiz_mode = Pill(Tag(self.tr("quiz mode"), "accent", tip), state.theme)
        self._minute = QTimer(self, singleShot=True)
        self._minute.timeout.connect(self._on_minute_timeout)
        self._lay_out()
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        state.trace_changed.connect(self._on_state_trace_changed)
        state.place_changed.connect(self._on_state_place_changed)
        state.theme_changed.connect(self._on_state_theme_changed)
        state.presentation.idea_changed.connect(self._on_presentation_idea_changed)
        self._on_state_theme_changed(state.theme)

    def _lay_out(self) -> None:
        first = QHBoxLayout()
        first.addWidget(self.title, 1)
        first.addWidget(self.quiz_mode)
        first.addWidget(self.time)
        self._column = QVBoxLayout(self)
        self._column.addLayout(first)
        self._column.addWidget(self.sentence)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def _show(self) -> None:
        index, number = self._state.index, self._state.number
        step = None if index is None else step_at(index, number)
        self.quiz_mode.setVisible(self._state.quiz_mode)
        idea = self._state.presentation.idea
        if idea is not None:
            self._show_idea(idea)
            return
        if index is None or step is None:
            self.title.show_text("")
            self.sentence.show_text(self.tr("Nothing to show yet."), "text_muted")
            return
        self.title.show_text(where_text(self._state), _PHASE_COLORS[phase_of(step)])
        self.sentence.show_text(*now_text(self._state))

    def _show_idea(self, idea: PresentedIdea) -> None:
        text = self.tr("{title} · {at} of {count}") if idea.count > 1 else "{title}"
        at, count = format_count(idea.at + 1), format_count(idea.count)
        self.title.show_text(text.format(title=idea.title, at=at, count=count), idea.role)
        self.sentence.show_text(idea.sentence)

    def _show_time(self) -> None:
        now = QTime.currentTime()
        self.time.setText(QLocale().toString(now, QLocale.FormatType.ShortFormat))
        self._minute.start(_MINUTE_MS - (now.second() * 1000 + now.msec()) + 20)

    @Slot(object)
    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        self._show()

    @Slot(object)
    def _on_state_place_changed(self, place: TracePosition | None) -> None:
        self._show()

    @Slot(object)
    def _on_presentation_idea_changed(self, idea: PresentedIdea | None) -> None:
        self._show()

    @Slot(object)
    def _on_state_theme_changed(self, theme: Theme) -> None:
        side, edge = theme.px(12), theme.px(6)
        self._column.setContentsMargins(side, edge, side, edge)
        self._column.setSpacing(theme.px(2))
        self.title.set_theme(theme)
        self.sentence.set_theme(theme)
        self.quiz_mode.set_theme(theme)
        self.time.setFont(theme.font(_TIME_PIXELS))
        self._show()

    @Slot()
    def _on_minute_timeout(self) -> None:
        self._show_time()

    def showEvent(self, event: QShowEvent) -> None:
        """Start the clock."""
        super().showEvent(event)
        self._show_time()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop the clock."""
        super().hideEvent(event)
        self._minute.stop()
