"""The ops panel: every op in the current step, with its inputs, outputs and time."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtGui import QGuiApplication, QPalette, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from gradviz.model.index import Index
from gradviz.model.places import Place, line_at
from gradviz.viewer.actions import Actions
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.ops.absent import AbsentOps
from gradviz.viewer.ops.head import BuiltinHead
from gradviz.viewer.ops.model import LINE, OpsModel
from gradviz.viewer.ops.view import OpsView
from gradviz.viewer.sights import Sight
from gradviz.viewer.state import ViewerState
from gradviz.viewer.widgets.pill import Jump
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip

_LOW = 170
"""Height below which only the table and one line above it fit."""

_NO_LIMIT = 16_777_215
"""Qt's maximum widget size (QWIDGETSIZE_MAX)."""


class OpsPanel(QWidget):
    """Lists the ops of the current step; not updated while hidden, as there may be many."""

    def __init__(
        self, state: ViewerState, actions: Actions | None = None, parent: QWidget | None = None
    ) -> None:
        """Follow the state; with the actions, also offer to record ops and run again."""
        super().__init__(parent)
        self._state = state
        self.rows = OpsModel(state.theme, self)
        self.view = OpsView(self.rows, state.theme)
        self.head = BuiltinHead(state.theme)
        self.absent = AbsentOps(state, actions)
        self._note = PlainLabel(muted=True)
        self._note.setContentsMargins(8, 2, 8, 4)
        self._lay_out()
        self._connect()
        self._on_state_theme_changed(state.theme)
        self._refresh()

    @property
    def note(self) -> str:
        """The note below the table, which applies to all ops; empty while hidden."""
        return self._note.text() if not self._note.isHidden() else ""

    def go_to_row(self, row: int, column: int = 0) -> None:
        """Go to the place of a row, or from the line column to the line that called the op."""
        place = self.rows.place_at(row)
        if place is None:
            return
        if column == LINE and place.op is not None and place.line is not None:
            place = Place(step=place.step, stage=place.stage, line=place.line)
        self._state.go_to_place(place, place.level)

    def sights_in(self, row: int) -> tuple[Sight, ...]:
        """Return the distinct tensors of a row's op."""
        op = self.rows.op_in(row)
        items = () if op is None else (*op.inputs, *op.outputs)
        found = {item.tensor: item.name for item in reversed(items) if item.tensor is not None}
        number = self._state.number
        return tuple(
            Sight(tensor=tensor, name=name, step=number) for tensor, name in reversed(found.items())
        )

    def see(self, sight: Sight) -> None:
        """Show a tensor enlarged."""
        self._state.seek_tensor(sight)

    def _lay_out(self) -> None:
        self._table = QWidget()
        column = QVBoxLayout(self._table)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.view, 1)
        column.addWidget(self._note)
        below = QWidget()
        self._pages = QStackedLayout(below)
        self._pages.addWidget(self.absent)
        self._pages.addWidget(self._table)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.head)
        whole.addWidget(below, 1)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("Ops"))

    def _connect(self) -> None:
        state = self._state
        state.trace_changed.connect(self._on_state_trace_changed)
        state.reports_changed.connect(self._on_state_reports_changed)
        state.place_changed.connect(self._on_state_place_changed)
        state.concealment_changed.connect(self._on_state_concealment_changed)
        state.theme_changed.connect(self._on_state_theme_changed)
        self.view.row_requested.connect(self._on_view_row_requested)
        self.view.command_pressed.connect(self._on_view_command_pressed)
        self.head.jump_requested.connect(self._on_head_jump_requested)

    def _refresh(self) -> None:
        """Update from the state if the panel is visible."""
        if not self.isVisible():
            return
        state = self._state
        index = None if state.concealed else state.index
        self.rows.show_step(index, state.number)
        self.head.show_step(index, state.number)
        self.absent.show_reason()
        there = bool(self.rows.ops or self.rows.dropped)
        self._pages.setCurrentWidget(self._table if there else self.absent)
        if there:
            self.rows.show_place(state.place)
            self._show_note()
            self._bring_place()

    def _fit(self) -> None:
        low = self.height() < self._state.theme.px(_LOW)
        self.head.set_low(low)
        self._note.setMaximumHeight(0 if low else _NO_LIMIT)

    def _bring_place(self) -> None:
        if self.rows.now >= 0:
            self.view.bring(self.rows.now)
        elif self._state.place is not None and self._state.place.stage is None:
            self.view.scrollToTop()

    def _show_note(self) -> None:
        usual, missing, ops = self.rows.usual, self.rows.unmeasured, self.rows.ops
        notes = [self._note_on_place()] if self.rows.now < 0 else []
        if usual.dtype:
            text = self.tr("Tensors are {dtype} on {device} unless noted.")
            notes.append(text.format(dtype=usual.dtype, device=usual.device))
        if missing:
            some = self.tr("A dash means that the time was not measured.")
            none = self.tr("Times were not measured.")
            notes.append(none if missing == ops else some)
        text = " ".join(note for note in notes if note)
        self._note.setText(text)
        self._note.setVisible(bool(text))
        # In a low panel, the note is hidden, so repeat it as a tooltip.
        self.view.horizontalHeader().setToolTip(plain_tooltip(text))

    def _note_on_place(self) -> str:
        """Say why the current line has no row."""
        index, place = self._state.index, self._state.place
        line = None if index is None or place is None else line_at(index, place)
        if line is None:
            return ""
        return self.tr("No ops were recorded in line {number}.").format(number=line.location.line)

    @Slot(object)
    def _on_state_trace_changed(self, index: Index | None) -> None:
        # Drop everything that refers to the closed trace.
        self.rows.show_step(None, 0)

    @Slot(object)
    def _on_state_reports_changed(self, reports: object) -> None:
        # The trace was reopened, and its old reader is closed.
        self._refresh()

    @Slot(object)
    def _on_state_place_changed(self, place: Place | None) -> None:
        self._refresh()

    @Slot(bool)
    def _on_state_concealment_changed(self, concealed: bool) -> None:
        self._refresh()

    @Slot(object)
    def _on_state_theme_changed(self, theme: Theme) -> None:
        self.rows.set_theme(theme)
        self.view.set_theme(theme)
        self.head.set_theme(theme)
        self.absent.set_theme(theme)
        self._note.set_theme(theme)
        self._fit()

    @Slot(int, int)
    def _on_view_row_requested(self, row: int, column: int) -> None:
        self.go_to_row(row, column)

    @Slot(str)
    def _on_view_command_pressed(self, command: str) -> None:
        if command == "next":
            self._state.next_step()
        elif command == "previous":
            self._state.previous_step()
        else:
            QGuiApplication.clipboard().setText(self.rows.text_of(self.view.currentIndex().row()))

    @Slot(object)
    def _on_head_jump_requested(self, jump: Jump) -> None:
        if jump.step is not None:
            self._state.go_to(jump.step)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide everything but the table if the panel is low."""
        super().resizeEvent(event)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        """Update what changed while the panel was hidden."""
        super().showEvent(event)
        self._refresh()
