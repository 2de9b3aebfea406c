"""The bar above the graph while a lesson is played: headline and question of the stop."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout

from gradviz.lesson.facts import shown_text
from gradviz.text.punctuation import join_sentences
from gradviz.viewer.actions import Actions, tip_of
from gradviz.viewer.lesson.lesson_player import LessonPlayer
from gradviz.viewer.lesson.lesson_text import stop_title
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import UI_PIXELS
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel
from gradviz.viewer.widgets.screen_reader import announce

_HEADLINE_PIXELS, _QUESTION_PIXELS = 17, 15


class LessonBar(QFrame):
    """Shows the current stop; hidden while no lesson is played.

    Attributes:
        overview: Shows the list of all stops.
    """

    def __init__(self, state: ViewerState, player: LessonPlayer, actions: Actions) -> None:
        super().__init__()
        self._player = player
        self._presentation, self._theme = state.presentation, state.theme
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.headline = PlainLabel(pixels=_HEADLINE_PIXELS, bold=True)
        self.question = PlainLabel(pixels=_QUESTION_PIXELS)
        self.problem = PlainLabel(pixels=UI_PIXELS)
        # The color of a problem in the top bar, too.
        self.problem.setForegroundRole(QPalette.ColorRole.BrightText)
        self.count = QLabel()
        self.count.setTextFormat(Qt.TextFormat.PlainText)
        self.count.setAccessibleDescription(self.tr("Number of the stop and of all stops"))
        self._buttons = (
            self._button(actions.previous_stop, "back", self.tr("Previous Stop")),
            self._button(actions.next_stop, "forward", self.tr("Next Stop")),
            self._button(actions.leave_lesson, "cancel", self.tr("Leave Lesson")),
        )
        self.overview = QToolButton()
        self.overview.setAutoRaise(True)
        self.overview.setText(self.tr("Overview"))
        self.overview.setToolTip(self.tr("Show all stops"))
        self._lay_out()
        self.hide()
        player.lesson_changed.connect(self._show_where_wanted)
        player.stop_changed.connect(self._on_player_stop_changed)
        state.presentation.presenting_changed.connect(self._show_where_wanted)
        set_theme_font(self.count, state.theme, _QUESTION_PIXELS)
        set_theme_font(self.overview, state.theme, UI_PIXELS)

    def _button(self, action: QAction, image: str, text: str) -> QToolButton:
        button = QToolButton()
        button.setAutoRaise(True)
        button.setAccessibleName(text)
        button.setToolTip(tip_of(action, text))
        set_theme_icon(button, self._theme, image, side=16)
        button.setEnabled(action.isEnabled())
        button.clicked.connect(action.trigger)
        action.enabledChanged.connect(button.setEnabled)
        return button

    def _lay_out(self) -> None:
        words = lay_out(QVBoxLayout(), self.headline, self.question, self.problem, gap=2)
        lay_out(
            QHBoxLayout(self),
            (words, 1),
            (self.count, 0, Qt.AlignmentFlag.AlignTop),
            *[(button, 0, Qt.AlignmentFlag.AlignTop) for button in (self.overview, *self._buttons)],
            margins=(14, 6, 8, 6),
            gap=8,
        )

    def _show_where_wanted(self) -> None:
        # In Presenter Mode, the header shows the stop.
        self.setVisible(self._player.lesson is not None and not self._presentation.presenting)

    def _on_player_stop_changed(self, at: int) -> None:
        stop, lesson, problem = self._player.stop, self._player.lesson, self._player.problem
        if stop is None or lesson is None:
            return
        title = stop_title(stop)
        is_new = title != self.headline.text()
        self.headline.setText(title)
        self.question.setText(shown_text(stop.question))
        self.question.setVisible(bool(stop.question))
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        self.count.setText(self.tr("{0} / {1}").format(at + 1, len(lesson.stops)))
        if is_new or problem:
            announce(self, join_sentences((title, self.question.text(), problem)))
