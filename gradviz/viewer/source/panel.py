"""The source pane: the current line and the lines that ran."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPalette, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QStackedLayout, QWidget

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import Level, TracePosition
from gradviz.model.item import Item
from gradviz.model.source import Location
from gradviz.model.tensor import TensorValue
from gradviz.viewer.actions import Actions
from gradviz.viewer.arithmetic.code_names import code_names
from gradviz.viewer.background import Background
from gradviz.viewer.local_keys import pressed
from gradviz.viewer.source import KEYS, empty_reasons
from gradviz.viewer.source.code_column import CodeColumn, WidthSplitter, head_of
from gradviz.viewer.source.external_editor import is_own_file, named_file
from gradviz.viewer.source.line_marks import LineMarks
from gradviz.viewer.source.locals_panel import LocalsPanel
from gradviz.viewer.source.source_editor import EditableCode, SourceEditor
from gradviz.viewer.source.source_passages import SourceContent, SourcePassage, source_content_at
from gradviz.viewer.source.source_text import SourceTextCache
from gradviz.viewer.state import ViewerState
from gradviz.viewer.tensor_refs import TensorRef
from gradviz.viewer.tensor_view.tensor_loader import TensorLoader
from gradviz.viewer.view_requests import ViewRequests
from gradviz.viewer.widgets.plain_text import PlainLabel
from gradviz.viewer.widgets.screen_reader import announce

NARROW = 900
"""Width in unscaled pixels below which only one half of a Function is shown."""

_LEAST = (220, 70)
"""Minimum width and height, before the theme's scale factor."""


class SourcePanel(QWidget):
    """Shows the source at the current step.

    Args:
        state: The viewer state to follow and to change.
        requests: Receives requests for enlarged tensors.
        parent: The parent widget.
        background: Parses long sources and reads large tensors; without it, that blocks.
        actions: The window's commands, for recording again; None to leave that out.

    Signals:
        breakpoint_toggled: Path of a source, as recorded, and the number of one of its lines.
        edit_requested: The `Location` to open in an editor.
        edit_here_requested: The `Location` to edit in this pane.
        shown_changed: The new `SourceContent`.

    Attributes:
        forward: The source of the forward, or of what has no other half.
        backward: The source of the backward.
        editor: Takes the place of the source while a file is edited.
        locals: The local variables, which the window shows in a panel of their own.
        shown: The content of the pane at the current step, up to date even if the pane is hidden.
        code: The part that shows the recorded source.
    """

    breakpoint_toggled = Signal(str, int)
    edit_requested = Signal(object)
    edit_here_requested = Signal(object)
    shown_changed = Signal(object)

    def __init__(
        self,
        state: ViewerState,
        requests: ViewRequests,
        parent: QWidget | None = None,
        *,
        background: Background | None = None,
        actions: Actions | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._requests = requests
        self._actions = actions
        self._texts = SourceTextCache(state, background, self)
        self._loader = TensorLoader(state, background, self)
        self.shown = SourceContent()
        self._stale = self._locals_stale = True
        self._turned = False
        self._page: QWidget = self
        self._preview: EditableCode | None = None
        self._breakpoints: dict[str, dict[int, bool]] = {}
        self.forward = CodeColumn(state.theme)
        self.backward = CodeColumn(state.theme)
        self.locals = LocalsPanel(state.theme, self._elements)
        self.editor = SourceEditor(state.theme)
        self._hint = PlainLabel(muted=True)
        self._lay_out()
        self._connect()
        self.update_theme()
        self._follow()

    def _lay_out(self) -> None:
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.code = WidthSplitter((self.forward, self.backward))
        self._pages = QStackedLayout(self)
        self._page = self._hint
        self._pages.addWidget(self._hint)
        self._pages.addWidget(self.code)
        self._pages.addWidget(self.editor)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("Source"))

    def _connect(self) -> None:
        state = self._state
        state.place_changed.connect(self._follow)
        state.arithmetic_changed.connect(self._on_state_arithmetic_changed)
        self.locals.became_visible.connect(self._show)
        self._texts.ready.connect(self._refresh)
        self._loader.loaded.connect(self._refresh)
        for column in (self.forward, self.backward):
            column.other.clicked.connect(self._on_other_clicked)
            column.edit.clicked.connect(partial(self._request_edit, column, here=False))
            column.edit_here.clicked.connect(partial(self._request_edit, column, here=True))
            column.view.line_chosen.connect(partial(self._go_to_line, column, None))
            column.view.line_entered.connect(partial(self._go_to_line, column, "line"))
            column.view.gutter.clicked.connect(partial(self.toggle_breakpoint, column))
        self.locals.item_chosen.connect(self._on_locals_item_chosen)
        self.locals.frames.frame_chosen.connect(self._on_frames_frame_chosen)
        if self._actions is not None:
            self.locals.again.clicked.connect(self._actions.record_lines.trigger)

    @property
    def hint(self) -> str:
        """The sentence shown instead of source; empty if there is source."""
        return "" if self._pages.currentWidget() is self.code else self._hint.text()

    @property
    def columns(self) -> tuple[CodeColumn, ...]:
        """The visible columns, the one with the current step first."""
        active = self._column(self.shown.active)
        columns = sorted((self.forward, self.backward), key=lambda each: each is not active)
        return tuple(each for each in columns if not each.isHidden())

    def set_breakable(self) -> None:
        """Let clicks in the gutter request breakpoints."""
        for column in (self.forward, self.backward):
            column.view.gutter.set_breakable()

    def show_breakpoints(self, breakpoints: Mapping[tuple[str, int], bool]) -> None:
        """Show breakpoints, including in sources that are shown later.

        Args:
            breakpoints: Whether each breakpoint is enabled, by recorded source path and line.
        """
        self._breakpoints = {}
        for (path, line), counts in breakpoints.items():
            self._breakpoints.setdefault(path, {})[line] = counts
        self._mark_breakpoints()

    def toggle_breakpoint(self, column: CodeColumn, line: int) -> None:
        """Request adding or removing a breakpoint at the statement that contains a line."""
        rows = column.view.rows
        if rows is not None:
            first = rows.text.statement_at(line)[0]
            self.breakpoint_toggled.emit(rows.passage.source.path, first)

    def current_line(self) -> tuple[str, int] | None:
        """Return the source path and statement line at the cursor of the focused column."""
        focused = self.backward if self.backward.view.hasFocus() else self.forward
        column = focused if focused.view.hasFocus() else self._column(self.shown.active)
        rows = column.view.rows
        if rows is None or self.shown.active is None:
            return None
        line = column.view.cursor_line
        return rows.passage.source.path, rows.text.statement_at(line)[0]

    def location_of(self, column: CodeColumn) -> Location | None:
        """Return the highlighted line of a column."""
        rows = column.view.rows
        if rows is None or self.shown.active is None:
            return None
        if column is self._column(self.shown.active):
            return self.shown.where
        return rows.passage.definitions[0]

    def current_location(self) -> Location | None:
        """Return the line that the current step refers to."""
        return self.shown.where

    def place_of(self, column: CodeColumn, line: int) -> TracePosition | None:
        """Return the place where a line last ran up to now, or else where it first runs."""
        rows = column.view.rows
        if rows is None:
            return None
        return rows.passage.place_of(rows.text.statement_at(line)[0])

    def _elements(self, tensor: int) -> TensorValue | None:
        loaded = self._loader.get(tensor)
        if loaded is None:
            return None
        return loaded.value if loaded.thin is None else loaded.thin[1]

    def _follow(self) -> None:
        """Update the content even if the pane is hidden, as commands depend on it."""
        place, before = self._state.place, self.shown
        self.shown = SourceContent()
        if place is not None:
            self.shown = source_content_at(self._state.revealed, place)
        if _phase(before) != _phase(self.shown):
            self._turned = False
        self.shown_changed.emit(self.shown)
        self._refresh()

    def _refresh(self) -> None:
        self._stale = self._locals_stale = True
        self._show()

    def _show(self) -> None:
        """Refresh the widgets, but wait until they are visible."""
        if self._locals_stale and self.locals.is_in_front:
            self._locals_stale = False
            self._show_locals()
        if self._stale and self.isVisible():
            self._stale = False
            self._show_columns()
            self._mark_breakpoints()
            self._announce()

    def _show_columns(self) -> None:
        index, shown = self._state.index, self.shown
        if index is None and self._preview is not None:
            self._show_page(self._preview)
            return
        if index is None or shown.active is None:
            self._hint.setText(empty_reasons.no_source_text(index, shown))
            self._show_page(self._hint)
            return
        self._show_page(self.code)
        active = self._column(shown.active)
        rows = self._rows(index, shown.active)
        active.show_rows(rows, *head_of(shown.where, shown.about), active=True)
        self._offer_editor(active)
        if shown.other is not None:
            other = self._column(shown.other)
            title, note = empty_reasons.other_half_text(shown.other)
            other.show_rows(self._rows(index, shown.other), title, note, active=False)
            self._offer_editor(other)
        self._mark_names()
        self._arrange()

    def _mark_names(self) -> None:
        """Mark the operands of the arithmetic where the code computed it."""
        index = self._state.index
        for column in (self.forward, self.backward):
            rows, names = column.view.rows, None
            if rows is not None and index is not None:
                source = rows.passage.source
                # The code may still be that of the run before.
                if index.source.get(source.id) == source:
                    names = code_names(rows.text, source.id, self._state.arithmetic)
            column.view.show_names(names)

    def _show_page(self, page: QWidget) -> None:
        """Show the source or why there is none, unless a file is being edited."""
        self._page = page
        if self._pages.currentWidget() is not self.editor:
            self._pages.setCurrentWidget(page)

    def preview(self, text: str, line: int) -> None:
        """Show the text of a file that has not run, at a line, until there is a trace."""
        if self._preview is None:
            self._preview = EditableCode(self._state.theme)
            self._preview.setReadOnly(True)
            self._preview.setAccessibleName(self.tr("Source"))
            self._pages.addWidget(self._preview)
        self._preview.show_text(text)
        self._preview.go_to(line)
        self._refresh()

    def show_editor(self, shown: bool) -> None:
        """Show the editor, or the source instead."""
        self._pages.setCurrentWidget(self.editor if shown else self._page)

    def _mark_breakpoints(self) -> None:
        for column in (self.forward, self.backward):
            rows = column.view.rows
            path = "" if rows is None else rows.passage.source.path
            column.view.gutter.show_breakpoints(self._breakpoints.get(path, {}))

    def _offer_editor(self, column: CodeColumn) -> None:
        location = self.location_of(column)
        file = None if location is None else named_file(location.path)
        name = "" if file is None else file.name
        column.set_editable(name, here=file is not None and is_own_file(file))

    def _rows(self, index: TraceIndex, passage: SourcePassage) -> LineMarks:
        return LineMarks(index, passage, self._texts.get(passage.source), self._elements)

    def _column(self, passage: SourcePassage | None) -> CodeColumn:
        backward = passage is not None and passage.phase == "backward"
        return self.backward if backward else self.forward

    def _arrange(self) -> None:
        """Show both halves side by side if there is space, else the requested one."""
        shown = self.shown
        active = self._column(shown.active)
        other = None if shown.other is None else self._column(shown.other)
        narrow = self.width() < self._state.theme.px(NARROW)
        seen = {active, other} - {None}
        if narrow and other is not None:
            seen = {other if self._turned else active}
        for column, name in (
            (self.forward, self.tr("Backward")),
            (self.backward, self.tr("Forward")),
        ):
            column.setVisible(column in seen)
            column.offer(name if narrow and other is not None else "")
        self.code.share()

    def _show_locals(self) -> None:
        index, shown = self._state.index, self.shown
        if index is None or shown.active is None:
            self.locals.show_reason(empty_reasons.no_source_text(index, shown))
        elif shown.reach is not None and shown.reach.stack():
            self.locals.show_reach(index, shown.reach)
        else:
            again = empty_reasons.needs_lines(index, shown)
            runs = self._actions is not None and self._actions.run.isEnabled()
            self.locals.show_reason(
                empty_reasons.no_locals_text(index, shown), again=again and runs
            )

    def _announce(self) -> None:
        """Announce the line if the focus is here; elsewhere the step's sentence is announced."""
        column = self._column(self.shown.active)
        rows = column.view.rows
        focus: QWidget | None = self.window().focusWidget()
        if focus is None or not self.isAncestorOf(focus):
            return
        if self.shown.active is None or rows is None:
            return
        first = rows.block[0]
        code = "".join(rows.text.lines[first - 1 : first]).strip()
        text = self.tr("line {line}: {code}").format(line=first, code=code)
        note = rows.mark(first).note
        if note:
            text = self.tr("{text}; {note}").format(text=text, note=note)
        announce(column.view, text)

    def update_theme(self) -> None:
        """Fit fonts, icons and sizes to the theme."""
        if self.shown.active is not None:
            self._arrange()

    def _on_state_arithmetic_changed(self, arithmetic: object) -> None:
        if self.isVisible():
            self._mark_names()

    def _on_other_clicked(self) -> None:
        self._turned = not self._turned
        self._arrange()

    def _request_edit(self, column: CodeColumn, checked: bool = False, *, here: bool) -> None:
        location = self.location_of(column)
        if location is not None:
            (self.edit_here_requested if here else self.edit_requested).emit(location)

    def _go_to_line(self, column: CodeColumn, level: Level | None, line: int) -> None:
        place = self.place_of(column, line)
        if place is not None:
            self._state.go_to_place(place, level)

    def _on_locals_item_chosen(self, item: Item) -> None:
        if item.tensor is not None:
            ref = TensorRef(tensor=item.tensor, name=item.name, step=self._state.number)
            self._requests.show_tensor(ref)

    def _on_frames_frame_chosen(self, at: int) -> None:
        """Go to the line of the call that made the next inner call."""
        reach, place = self.shown.reach, self._state.place
        if reach is None or place is None:
            return
        stack = reach.stack()
        if at + 1 < len(stack):
            caller = reach.ran.part.frames[stack[at + 1]].caller
            self._state.go_to_place(
                TracePosition(step=place.step, stage=place.stage, line=caller), "line"
            )

    def sizeHint(self) -> QSize:
        """Return the minimum size, so that the side panels keep their width."""
        return self.minimumSizeHint()

    def minimumSizeHint(self) -> QSize:
        """Return a fixed size, so that the dock does not grow with its content."""
        return QSize(self._state.theme.px(_LEAST[0]), self._state.theme.px(_LEAST[1]))

    def showEvent(self, event: QShowEvent) -> None:
        """Refresh what changed while the pane was hidden."""
        super().showEvent(event)
        self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show one half or both, depending on the width."""
        super().resizeEvent(event)
        if self.shown.active is not None:
            self._arrange()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Step with the arrow keys; Home and End go to the first and last step."""
        state = self._state
        moves = {
            "next": state.next_step,
            "previous": state.previous_step,
            "first": state.first_step,
            "last": state.last_step,
            "into": state.into,
            "out": state.out,
        }
        command = pressed(KEYS, event)
        if command in moves:
            moves[command]()
        else:
            super().keyPressEvent(event)


def _phase(shown: SourceContent) -> tuple[int, str]:
    return (0, "") if shown.active is None else (shown.active.step, shown.active.phase)
