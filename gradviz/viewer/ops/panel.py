"""The ops panel: every op in the current step, with its inputs, outputs and time."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import line_at, stages_of
from gradviz.document.document import Document
from gradviz.document.ops import OpRow, StepOps
from gradviz.document.tag import DocumentLink
from gradviz.model.inside import records_lines, records_ops
from gradviz.text.punctuation import join_sentences
from gradviz.viewer.actions import Actions
from gradviz.viewer.ops import KEYS
from gradviz.viewer.ops.builtin_header import BuiltinHeader
from gradviz.viewer.panel_context import PanelContext
from gradviz.viewer.rows.rows_view import ColumnWidth, RowsView
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import TensorRef
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.translation import translate
from gradviz.viewer.view_requests import ViewRequests
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip, show_text

_EDGE, _GAP = 16, 8


class NoOpsNotice(QWidget):
    """A sentence, and a button if another recording would include ops."""

    def __init__(self, state: ViewerState, actions: Actions | None) -> None:
        super().__init__()
        self._state = state
        self._actions = actions
        self._sentence = PlainLabel(muted=True)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.button = QPushButton(self.tr("Record Ops and Run Again"))
        self.button.clicked.connect(self._on_button_clicked)
        lay_out(
            QVBoxLayout(self),
            1,
            self._sentence,
            (self.button, 0, Qt.AlignmentFlag.AlignHCenter),
            1,
            margins=(_EDGE, _GAP, _EDGE, _GAP),
            gap=_GAP,
        )
        if actions is not None:
            actions.run.changed.connect(self._on_run_changed)
        set_theme_font(self.button, state.theme)
        set_theme_icon(self.button, state.theme, "run")
        self.show_reason()

    @property
    def text(self) -> str:
        """The sentence shown."""
        return self._sentence.text()

    def show_reason(self) -> None:
        """Update the reason why the current step has no ops."""
        shallow = self._is_shallow()
        can_run = self._actions is not None and self._actions.run.isEnabled()
        self.button.setVisible(shallow and can_run)
        self._sentence.setText(self._reason(can_run=can_run))

    def _is_shallow(self) -> bool:
        """Return whether the run was recorded without ops, and the step is not hidden."""
        index = self._state.index
        shallow = index is not None and not records_ops(index.trace.origin.level)
        return shallow and not self._state.revealed.hides_answer

    def _reason(self, *, can_run: bool) -> str:
        state = self._state
        index = state.index
        if index is None:
            return self.tr("The ops within a step are listed here.")
        if state.revealed.hides_answer:
            return self.tr("The contents of this step are hidden until the answer is revealed.")
        level = index.trace.origin.level
        if not records_ops(level) and can_run:
            return self.tr("This run was recorded without the ops within nodes.")
        if not records_ops(level):
            return self.tr(
                "This run was recorded without the ops within nodes. To record them, use "
                "gradviz record --level {level}."
            ).format(level="all" if records_lines(level) else "ops")
        if not stages_of(index, step_at(index, state.number)):
            return self.tr("This step only marks a point in the run; it computes nothing.")
        return self.tr("No ops were recorded in this step.")

    def _on_run_changed(self) -> None:
        if self.isVisible():
            self.show_reason()

    def _on_button_clicked(self) -> None:
        if self._actions is not None:
            self._actions.record_lines.trigger()


_LOW = 170
"""Height below which only the table and one line above it fit."""

_NO_LIMIT = 16_777_215
"""Qt's maximum widget size (QWIDGETSIZE_MAX)."""


_WIDTHS = (
    ColumnWidth(150, grows=0.2),
    ColumnWidth(110, grows=0.5),
    ColumnWidth(60, grows=0.1),
    ColumnWidth(100, grows=0.2, drop=2),
    ColumnWidth(68),
    ColumnWidth(72, drop=1),
)


class OpsPanel(QWidget):
    """Lists the ops of the current step; not updated while hidden, as there may be many."""

    def __init__(
        self, state: ViewerState, requests: ViewRequests, actions: Actions | None = None
    ) -> None:
        """Follow the state; with the actions, also offer to record ops and run again."""
        super().__init__()
        self._state = state
        self._requests = requests
        self._shown: tuple[TraceIndex | None, int] = (None, 0)
        self.step: StepOps | None = None
        self.view = RowsView(state.theme, _WIDTHS, KEYS)
        self.view.setObjectName("ops")
        self.view.setAccessibleName(self.tr("Ops in the step"))
        self.view.add_to_menu(self._fill_menu)
        self.head = BuiltinHeader(state.theme)
        self.absent = NoOpsNotice(state, actions)
        self._note = PlainLabel(muted=True)
        self._note.setContentsMargins(8, 2, 8, 4)
        self._lay_out()
        self._connect()
        self._refresh()

    @property
    def note(self) -> str:
        """The note below the table, which applies to all ops; empty while hidden."""
        return self._note.text() if not self._note.isHidden() else ""

    def _go_to(self, row: OpRow, column: int = 0) -> None:
        if self.step is not None:
            place = self.step.place_of(row, column)
            self._state.go_to_place(place, place.level)

    def _fill_menu(self, menu: QMenu, key: Hashable) -> None:
        row = cast("OpRow", key)
        op = None if self.step is None else self.step.op_of(row)
        op_text, text = (
            translate("ContextMenus", "&Go to Op"),
            translate("ContextMenus", "&Go There"),
        )
        menu.addAction(text if op is None else op_text).triggered.connect(lambda: self._go_to(row))
        menu.addSeparator()
        items = () if op is None else (*op.inputs, *op.outputs)
        # The first name of a tensor that is listed twice.
        named = {item.tensor: item.name for item in reversed(items) if item.tensor is not None}
        for tensor, name in reversed(named.items()):
            ref = TensorRef(tensor=tensor, name=name, step=self._state.number)
            text = translate("ContextMenus", "&Enlarge {0}").format(name.replace("&", "&&"))
            see = partial(self._requests.show_tensor, ref)
            menu.addAction(text).triggered.connect(lambda checked, see=see: see())

    def _lay_out(self) -> None:
        self._table = QWidget()
        lay_out(QVBoxLayout(self._table), (self.view, 1), self._note, gap=0)
        below = QWidget()
        self._pages = QStackedLayout(below)
        self._pages.addWidget(self.absent)
        self._pages.addWidget(self._table)
        lay_out(QVBoxLayout(self), self.head, (below, 1), gap=0)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("Ops"))

    def _connect(self) -> None:
        state = self._state
        state.trace_changed.connect(self._on_state_trace_changed)
        state.reports_changed.connect(self._refresh)
        state.place_changed.connect(self._refresh)
        self.view.chosen.connect(self._on_view_chosen)
        self.view.command_pressed.connect(self._on_view_command_pressed)
        self.head.jump_requested.connect(self._on_head_jump_requested)

    def _refresh(self) -> None:
        """Update from the state if the panel is visible."""
        # Qt calls a tab behind others visible, but no part of it is.
        if self.isVisible() and not self.visibleRegion().isEmpty():
            self._show_state()

    def _show_state(self) -> None:
        state = self._state
        index = None if state.revealed.hides_answer else state.index
        if (index, state.number) != self._shown:
            self._shown = (index, state.number)
            self.step = None if index is None else StepOps(index, state.number)
        self.head.show_step(index, state.number)
        self.absent.show_reason()
        step = self.step
        has_rows = step is not None and step.has_rows
        self._pages.setCurrentWidget(self._table if has_rows else self.absent)
        document = Document() if step is None else step.document(state.place)
        is_new = document.keys != self.view.rows.document.keys
        self.view.show_document(document)
        if is_new:
            self.view.expandAll()
        if step is not None and has_rows:
            self._show_note(step)
            self._bring_place(step)

    def update_theme(self) -> None:
        """Fit fonts, icons and sizes to the theme."""
        low = self.height() < self._state.theme.px(_LOW)
        self.head.set_low(low)
        self._note.setMaximumHeight(0 if low else _NO_LIMIT)

    def _bring_place(self, step: StepOps) -> None:
        row = step.key_of(self._state.place)
        if row is not None:
            self.view.go_to(row, 0)
        elif self._state.place is not None and self._state.place.stage is None:
            self.view.scrollToTop()

    def _show_note(self, step: StepOps) -> None:
        usual, missing, ops = step.usual, step.unmeasured, step.ops
        notes = [] if step.key_of(self._state.place) else [self._location_note()]
        if usual.dtype:
            text = self.tr("Tensors are {dtype} on {device} unless noted.")
            notes.append(text.format(dtype=usual.dtype, device=usual.device))
        if missing:
            some = self.tr("A dash means that the time was not measured.")
            none = self.tr("Times were not measured.")
            notes.append(none if missing == ops else some)
        text = join_sentences(notes)
        show_text(self._note, text)
        # In a low panel, the note is hidden, so repeat it as a tooltip.
        self.view.header().setToolTip(plain_tooltip(text))

    def _location_note(self) -> str:
        """Say why the current line has no row."""
        index, place = self._state.index, self._state.place
        line = None if index is None or place is None else line_at(index, place)
        if line is None:
            return ""
        return self.tr("No ops were recorded in line {number}.").format(number=line.location.line)

    def on_dock_visibility_changed(self, visible: bool) -> None:
        """Update what changed while the panel was behind another tab."""
        if visible:
            self._show_state()

    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        # Drop everything that refers to the closed trace.
        self._shown, self.step = (None, 0), None
        self.view.show_document(Document())

    def _on_view_chosen(self, key: Hashable, column: int) -> None:
        self._go_to(cast("OpRow", key), column)

    def _on_view_command_pressed(self, command: str) -> None:
        if command == "next":
            self._state.next_step()
        elif command == "previous":
            self._state.previous_step()

    def _on_head_jump_requested(self, jump: DocumentLink) -> None:
        if jump.step is not None:
            self._state.go_to(jump.step)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide everything but the table if the panel is low."""
        super().resizeEvent(event)
        self.update_theme()

    def showEvent(self, event: QShowEvent) -> None:
        """Update what changed while the panel was hidden."""
        super().showEvent(event)
        self._refresh()


def make_panel(context: PanelContext) -> QWidget:
    """Build the panel."""
    panel = context.parts.add(OpsPanel(context.state, context.requests, context.actions))
    context.dock.visibilityChanged.connect(panel.on_dock_visibility_changed)
    return panel
