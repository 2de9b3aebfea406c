"""The Lessons panel: the shipped lessons, or the stops of the lesson that is played."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.document.document import Field, Row, document_of
from gradviz.lesson.facts import shown_text, speaker_text
from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.lesson.shipped import LESSONS, shipped_lesson
from gradviz.model.graph_sketch import GraphSketch
from gradviz.viewer.commands.link_commands import LinkCommands
from gradviz.viewer.files.recent_controller import RecentFilesController
from gradviz.viewer.lesson import KEYS
from gradviz.viewer.lesson.controller import LessonController
from gradviz.viewer.lesson.lesson_bar import LessonBar
from gradviz.viewer.lesson.lesson_editor import LessonEditor
from gradviz.viewer.lesson.lesson_player import LessonPlayer
from gradviz.viewer.lesson.lesson_text import duration_text, minutes_text, stop_title
from gradviz.viewer.library.scene_sketches import scene_sketches
from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.rows.rows_view import RowsView
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.session.view_navigator import ViewNavigator
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import UI_PIXELS
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.focus_ring import focus_reason
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel


class LessonPanel(QWidget):
    """Lists what can be gone to: lessons, or the stops of the current one with their times.

    Signals:
        lesson_requested: Name of a shipped lesson.
    """

    lesson_requested = Signal(str)

    def __init__(self, state: ViewerState, player: LessonPlayer, editor: LessonEditor) -> None:
        super().__init__()
        self._player = player
        self._editor = editor
        self.setAccessibleName(self.tr("Lessons"))
        self.title = PlainLabel(pixels=UI_PIXELS, bold=True)
        self.list = RowsView(state.theme, keys=KEYS, wraps=True)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        layout = lay_out(QVBoxLayout(self), self.title, (self.list, 1), margins=(12, 8, 4, 4))
        self._buttons = QWidget()
        row = FlowLayout(self._buttons)
        row.setContentsMargins(0, 4, 0, 4)
        for text, name, slot in (
            (self.tr("Edit…"), self.tr("Edit stop"), self._on_edit_clicked),
            (self.tr("Up"), self.tr("Move stop up"), self._on_up_clicked),
            (self.tr("Down"), self.tr("Move stop down"), self._on_down_clicked),
            (self.tr("Remove"), self.tr("Remove stop"), self._on_remove_clicked),
        ):
            row.addWidget(_button(text, name, slot))
        layout.addWidget(self._buttons)
        self.list.chosen.connect(self._on_list_chosen)
        player.lesson_changed.connect(self._on_player_lesson_changed)
        player.stop_changed.connect(self._on_player_stop_changed)
        self._on_player_lesson_changed(player.lesson)

    def _times_text(self, at: int) -> str:
        """Return the planned time of a stop, and the time spent there once it was visited."""
        lesson = self._player.lesson
        assert lesson is not None
        planned, spent = minutes_text(lesson.stops[at].minutes), self._player.spent_ms(at)
        if spent < 1000 or at == self._player.at:
            return planned
        used = self.tr("{0} spent").format(duration_text(spent))
        return self.tr("{0}, {1}").format(planned, used) if planned else used

    def _fill(self, lesson: Lesson | None) -> None:
        if lesson is not None:
            self._show_rows(list(self._stop_rows(lesson)))
            # The buttons act on it, also while its run is awaited.
            self.list.go_to(self._player.at)
            return
        lessons = [shipped_lesson(name) for name in LESSONS]
        self._show_rows(
            [_row(each.title, minutes_text(each.minutes), each.stops[0]) for each in lessons]
        )
        # So that Enter opens one at once.
        self.list.go_to(0)

    def _show_rows(self, rows: Sequence[Row]) -> None:
        self.list.show_document(document_of(("",), rows))

    @property
    def _current(self) -> int:
        """Number of the current row."""
        return self.list.currentIndex().row()

    def _stop_rows(self, lesson: Lesson) -> Iterator[Row]:
        for at, stop in enumerate(lesson.stops):
            title = f"{at + 1}  {stop_title(stop)}"
            yield _row(title, self._times_text(at), stop)

    def _on_player_lesson_changed(self, lesson: Lesson | None) -> None:
        title = self.tr("Choose a lesson") if lesson is None else shown_text(lesson.title)
        self.title.setText(title)
        self._buttons.setVisible(lesson is not None)
        self.list.setAccessibleName(title)
        self._fill(lesson)

    def _on_player_stop_changed(self, at: int) -> None:
        lesson = self._player.lesson
        if lesson is None:
            return
        self._show_rows(list(self._stop_rows(lesson)))
        self.list.go_to(at)

    def _on_list_chosen(self, row: int) -> None:
        if self._player.lesson is None:
            self.lesson_requested.emit(LESSONS[row])
        else:
            self._player.go_to(row)

    def _on_edit_clicked(self) -> None:
        lesson, row = self._player.lesson, self._current
        if lesson is not None:
            self._edit(row, lesson.stops[row])

    def _edit(self, row: int, stop: LessonStop) -> None:
        from gradviz.viewer.lesson.stop_dialog import StopDialog

        dialog = StopDialog(stop, self)
        dialog.accepted.connect(lambda: self._replace(row, dialog.stop()))
        dialog.open()

    def _replace(self, row: int, stop: LessonStop) -> None:
        self._select(self._editor.replace_stop(row, stop))
        lesson = self._player.lesson
        if lesson is not None and lesson.stops[row] != stop:
            # No file was chosen, or it could not be written: the texts must not be lost.
            self._edit(row, stop)

    def _on_up_clicked(self) -> None:
        self._select(self._editor.move(self._current, -1))

    def _on_down_clicked(self) -> None:
        self._select(self._editor.move(self._current, 1))

    def _on_remove_clicked(self) -> None:
        self._select(self._editor.remove(self._current))

    def _select(self, row: int) -> None:
        """Select the stop that was changed, as it may be changed again."""
        self.list.go_to(row)


def _row(text: str, times: str, stop: LessonStop) -> Row:
    """A lesson that begins with a stop, or the stop itself, with a picture of the stop's graph."""
    sketch = scene_sketches().get(stop.scene, GraphSketch())
    field = Field(text=text, tip=speaker_text(stop), sketch=sketch)
    return Row(fields=(field,), note=times)


def _button(text: str, name: str, slot: Callable[[], None]) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setAccessibleName(name)
    button.setToolTip(name)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.clicked.connect(slot)
    return button


def make_panel(context: PanelContext) -> QWidget:
    """Build the panel, and put the bar above the central tabs."""
    parts, window = context.parts, context.window
    run = parts[RunController]
    player = parts.add(
        LessonPlayer(
            context.state,
            context.session,
            context.requests,
            (run, parts[ViewNavigator]),
            window,
        )
    )
    control = parts.add(LessonController(context, player))
    run.lesson_requested.connect(control.open)
    control.opened.connect(parts[RecentFilesController].add)
    bar = parts.add(LessonBar(context.state, player, context.actions))
    window.centre.insertWidget(1, bar)
    editor = parts.add(
        LessonEditor(context.state, context.session, player, parts[LinkCommands], window)
    )
    editor.failed.connect(lambda sentence: window.messages.say(sentence, "error"))
    context.actions.add_stop.triggered.connect(editor.add_view)
    panel = LessonPanel(context.state, player, editor)
    panel.lesson_requested.connect(control.open_shipped)

    def show_overview() -> None:
        window.show_part("lesson")
        panel.list.setFocus(focus_reason(bar.overview))

    bar.overview.clicked.connect(show_overview)
    return parts.add(panel)
