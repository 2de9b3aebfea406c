"""Controller of the search: connects the field, the list of matches and the commands."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtWidgets import QApplication, QHBoxLayout, QWidget

from gradviz.catalogue.language import format_count
from gradviz.viewer.actions import Actions, tip_of
from gradviz.viewer.background import PATIENCE_MS, Background
from gradviz.viewer.find.panel import FindField, FindPanel
from gradviz.viewer.find.trace_finder import FindResult, TraceFinder
from gradviz.viewer.state import ViewerState
from gradviz.viewer.view_requests import ViewRequests
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.screen_reader import announce

_LEAST_WIDTH, _EDGE = 420, 8


class FindController(QObject):
    """Owns the search field and the list below it.

    The field is in ``home``, which the window puts into its top bar. If the bar is hidden, as in
    presenter mode, the field appears above the list.
    """

    def __init__(
        self,
        state: ViewerState,
        requests: ViewRequests,
        background: Background,
        actions: Actions,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._state = state
        self._window = window
        self._before: QWidget | None = None
        self._last = ""
        self.finder = TraceFinder(state, requests, background, self)
        self.field = FindField(state.theme, window)
        self.panel = FindPanel(state.theme, window)
        self.home = QWidget(window)
        self._row = lay_out(QHBoxLayout(self.home), self.field)
        self._patience = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._patience.timeout.connect(self._on_patience_timeout)
        tip = self.tr("Find nodes, tensors and steps by name, shape, dtype, module and values")
        self.field.setToolTip(tip_of(actions.find, tip))
        self.field.textChanged.connect(self._on_field_text_changed)
        self.field.command_pressed.connect(self._on_field_command_pressed)
        self.field.focused.connect(self._on_field_focused)
        self.panel.hit_clicked.connect(self.finder.pick)
        self.panel.example_clicked.connect(self.field.setText)
        self.finder.answered.connect(self._on_finder_answered)
        self.finder.progressed.connect(self._on_finder_progressed)
        self.finder.row_changed.connect(self._on_finder_row_changed)
        actions.find.triggered.connect(self._on_find_triggered)
        actions.find_next.triggered.connect(lambda: self._go_on(1))
        actions.find_previous.triggered.connect(lambda: self._go_on(-1))
        window.installEventFilter(self)

    def _show_panel(self) -> None:
        if not self.field.hasFocus():
            return
        answer = self.finder.answer
        index, search_index = self.finder.index, self.finder.search_index
        if answer.problem:
            self.panel.show_sentence(answer.problem)
        elif self._state.index is None:
            self.panel.show_sentence(self.tr("There is nothing to search yet."))
        elif answer.found is None:
            if self.finder.busy:
                return
            self.panel.show_examples(self.tr("Find nodes, tensors and steps. Examples:"))
        elif not answer.hits or index is None or search_index is None:
            text = self.tr("Nothing matches {0}. Examples of searches:")
            self.panel.show_examples(text.format(answer.text.strip()))
        else:
            self.panel.show_hits(answer, index, search_index)
        self._place_panel()
        self.panel.list.go_to(self.finder.row)

    def _place_panel(self) -> None:
        """Align the panel with the field, or with the window's upper right corner."""
        theme = self._state.theme
        space = self._window.rect().adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE)
        corner = space.topRight()
        if self.field.parent() is self.home:
            corner = self.field.mapTo(self._window, QPoint(self.field.width(), self.field.height()))
            corner += QPoint(0, 4)
        width = min(max(self.field.width(), theme.px(_LEAST_WIDTH)), space.width())
        self.panel.resize(width, self.panel.height())
        self.panel.fit_height(space.bottom() - corner.y())
        self.panel.move(max(space.left(), corner.x() - width), corner.y())
        self.panel.show()
        self.panel.raise_()

    def _follow_window(self) -> None:
        if self.panel.isVisible():
            self._place_panel()

    def _show_count(self) -> None:
        answer, row = self.finder.answer, self.finder.row
        count = len(answer.hits)
        if answer.found is None:
            text = ""
        elif row >= 0:
            text = self.tr("{0} of {1}").format(format_count(row + 1), format_count(count))
        else:
            text = self.tr("%Ln match(es)", "", count) if count else self.tr("no matches")
        self.field.show_count(text)
        parts = [text, answer.problem]
        if row >= 0 and self.panel.isVisible():
            parts.append(self.panel.list.rows.document.row(row).sentence)
        sentence = ". ".join(part for part in parts if part)
        if sentence != self.field.accessibleDescription():
            self.field.setAccessibleDescription(sentence)
            announce(self.field, sentence)

    def _hide_panel(self) -> None:
        self.panel.hide()
        # Later, since the field may be about to lose the focus.
        QTimer.singleShot(0, self, self._bring_home)

    def _bring_home(self) -> None:
        if self.panel.isHidden() and self.field.parent() is not self.home:
            self.panel.detach_field(self.field)
            self._row.addWidget(self.field)

    def _leave(self) -> None:
        before = self._before
        # Also if the focus goes to another window, such as a floating panel: activation may take a
        # while.
        self.field.clearFocus()
        if before is not None and before.isVisible():
            before.window().activateWindow()
            before.setFocus(Qt.FocusReason.ShortcutFocusReason)
        # Clear it only now: an empty field shows examples while it has the focus.
        self.field.clear()
        self._hide_panel()

    def _on_find_triggered(self) -> None:
        focus = QApplication.focusWidget()
        if focus is not self.field:
            self._before = focus
        if not self.home.isVisible():
            self.panel.attach_field(self.field)
            self.panel.show()
        # The focus may be in a floating panel, which is a separate window.
        self.field.window().activateWindow()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def _go_on(self, by: int) -> None:
        if not self.field.text() and self._last:
            # It was cleared since the last search, which is repeated.
            self.field.setText(self._last)
        if self.field.text():
            self.finder.move(by)
        else:
            self._on_find_triggered()

    def _on_field_text_changed(self, text: str) -> None:
        self._last = text.strip() or self._last
        self._patience.start()
        self.finder.search(text)

    def _on_field_command_pressed(self, command: str) -> None:
        match command:
            case "next":
                self.finder.move(1)
            case "previous":
                self.finder.move(-1)
            case "step":
                self.finder.pick(max(self.finder.row, 0), to_step=True)
            case _:
                self._leave()

    def _on_field_focused(self, focused: bool) -> None:
        if focused:
            self._show_panel()
        else:
            self._hide_panel()

    def _on_finder_answered(self, answer: FindResult) -> None:
        if not self.finder.busy:
            self._patience.stop()
        self._show_panel()
        self._show_count()

    def _on_patience_timeout(self) -> None:
        if self.field.hasFocus() and self.finder.busy:
            self.panel.show_sentence(self.tr("Searching…"))
            self._place_panel()

    def _on_finder_progressed(self, done: int, total: int) -> None:
        if self.panel.isVisible() and self.finder.busy and not self._patience.isActive():
            text = self.tr("Searching the values: {0} of {1} tensors")
            self.panel.show_sentence(text.format(format_count(done), format_count(total)))
            self._place_panel()

    def _on_finder_row_changed(self, row: int) -> None:
        if self.panel.isVisible() and not self.finder.busy:
            self.panel.list.go_to(row)
        self._show_count()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Keep the list below its field, and on top, when the window's layout changes."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest) and (
            self.panel.isVisible()
        ):
            QTimer.singleShot(0, self, self._follow_window)
        return False
