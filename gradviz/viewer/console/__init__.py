"""The Console panel: the output of a run, linked to its steps, and that of a check below it."""

from __future__ import annotations

from collections.abc import Hashable

from PySide6.QtCore import QItemSelectionModel, QObject, QTimer
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from gradviz.catalogue.language import format_count
from gradviz.document.console import ConsoleOutput
from gradviz.model.console import ConsoleText
from gradviz.store.errors import TraceError
from gradviz.viewer.background import Background
from gradviz.viewer.local_keys import KeyScope, LocalKey
from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.panel_spec import PanelSpec
from gradviz.viewer.rows.rows_view import ColumnWidth, RowsView
from gradviz.viewer.session.session import Session
from gradviz.viewer.session.trace_opening import printed_in
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import SMALL_PIXELS
from gradviz.viewer.translation import QT_TRANSLATE_NOOP, translate
from gradviz.viewer.widgets.layouts import lay_out

KEYS = KeyScope(
    QT_TRANSLATE_NOOP("Keys", "In the console"),
    (
        LocalKey(
            "step", ("Enter",), QT_TRANSLATE_NOOP("Keys", "Go to the step that printed the line")
        ),
    ),
)
PANEL = PanelSpec(
    name="console",
    title=QT_TRANSLATE_NOOP("Panels", "&Console"),
    area="right",
    tab_of="source",
    keys=KEYS,
    factory="gradviz.viewer.console:make_panel",
)

_STEP, _PADDING = 64, 16


_POLL_MS = 500


class ConsolePanel(QWidget):
    """Shows the console output of a trace; clicking a line goes to the step that printed it."""

    def __init__(self, state: ViewerState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = state
        self._live: tuple[ConsoleText, ...] | None = None
        self.output = ConsoleOutput(state.revealed)
        self.view = RowsView(state.theme, (ColumnWidth(_STEP),) * 2, KEYS, of_lines=True)
        self.view.setAccessibleName(self.tr("Output of the run"))
        self.view.add_to_menu(self._fill_menu)
        lay_out(QVBoxLayout(self), self.view)
        self.setAccessibleName(self.tr("Console"))
        self.view.chosen.connect(self._go)
        state.reports_changed.connect(self._show)
        state.revealed_changed.connect(self._show)
        state.step_changed.connect(self._show_step)
        self._show()

    def show_live(self, texts: tuple[ConsoleText, ...] | None) -> None:
        """Show what a run prints that is not shown yet, and its last line; None for no such run."""
        if texts == self._live:
            return
        bar = self.view.verticalScrollBar()
        follows = self._live is None or bar.value() == bar.maximum()
        self._live = texts
        self._show()
        if texts is not None and follows:
            self.view.scrollToBottom()

    def _show(self) -> None:
        theme = self._state.theme
        self.output = ConsoleOutput(self._state.revealed, self._live)
        font = theme.font(SMALL_PIXELS, bold=True, mono=True)
        width = QFontMetrics(font).horizontalAdvance(self.output.longest()) / theme.scale
        self.view.set_widths((ColumnWidth(_STEP), ColumnWidth(int(width) + _PADDING)))
        self._show_step(self._state.number)

    def _show_step(self, number: int) -> None:
        """Mark the lines of a step, and bring the first one into view."""
        self.view.show_document(self.output.document(number))
        first = self.output.run.first_of(number)
        if first is not None and self.output.step_of(self.view.current_key) != number:
            place = self.view.rows.place_of(first)
            flag = QItemSelectionModel.SelectionFlag.NoUpdate
            self.view.selectionModel().setCurrentIndex(place, flag)
            self.view.scrollTo(place)

    def _go(self, key: Hashable) -> None:
        """Go to the step of a line, or show what is below a heading."""
        step = self.output.step_of(key)
        if step is not None:
            self._state.go_to(step)
        elif isinstance(key, str):
            self.view.toggle(key)

    def _fill_menu(self, menu: QMenu, key: Hashable) -> None:
        step = self.output.step_of(key)
        if step is not None:
            text = translate("ContextMenus", "&Go to Step {0}").format(format_count(step))
            menu.addAction(text).triggered.connect(lambda: self._state.go_to(step))


class LiveOutput(QObject):
    """Shows in the panel what a run has printed, while it goes on."""

    def __init__(
        self, panel: ConsolePanel, state: ViewerState, session: Session, background: Background
    ) -> None:
        super().__init__(panel)
        self._panel, self._state = panel, state
        self._session, self._background = session, background
        self._timer = QTimer(self, interval=_POLL_MS)
        self._timer.timeout.connect(self._read)
        session.activity_changed.connect(self._on_session_activity_changed)

    def _on_session_activity_changed(self, activity: str) -> None:
        if activity == "running":
            self._timer.start()
            return
        self._timer.stop()
        # Until its trace is open, the lines stay.
        if activity != "opening":
            self._panel.show_live(None)

    def _read(self) -> None:
        path = self._session.written_path
        # What a run prints would tell results that are hidden.
        if path is not None and self._state.revealed.is_complete and self._panel.isVisible():
            self._background.start(
                lambda _: printed_in(path),
                self._show,
                lambda _: None,
                lane="printed",
                expected=(TraceError,),
            )

    def _show(self, texts: tuple[ConsoleText, ...]) -> None:
        if texts and self._timer.isActive():
            self._panel.show_live(texts)


def make_panel(context: PanelContext) -> QWidget:
    """Build the panel."""
    panel = context.parts.add(ConsolePanel(context.state))
    LiveOutput(panel, context.state, context.session, context.background)
    return panel
