"""The Breakpoints panel: fields for a new one, the list, and buttons to run to hits."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPalette, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QStackedWidget,
    QToolButton,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from gradviz.analysis.breakpoints.breakpoint import BreakpointTarget, WhenSign
from gradviz.analysis.breakpoints.hits import next_hit
from gradviz.viewer.actions import Actions, tip_of
from gradviz.viewer.breakpoints import KEYS
from gradviz.viewer.breakpoints.breakpoint_list import BreakpointList
from gradviz.viewer.breakpoints.breakpoint_model import BreakpointModel
from gradviz.viewer.commands.context_menu import ContextMenu, fill
from gradviz.viewer.local_keys import keys_of, pressed
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.icons import icon
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.focus_ring import FocusRing
from gradviz.viewer.widgets.header_font import set_header_font
from gradviz.viewer.widgets.plain_text import PlainLabel

if TYPE_CHECKING:
    from gradviz.viewer.breakpoints.condition_editor import ConditionEditor


class BreakpointMenu:
    """Menu to go to the next hit, enable, disable and remove breakpoints."""

    def __init__(
        self, panel: BreakpointPanel, breakpoints: BreakpointList, actions: Actions
    ) -> None:
        self._panel = panel
        self._breakpoints = breakpoints
        self._actions = actions
        self.menu = ContextMenu(panel.view, self._fill, self._place)

    def _fill(self, menu: QMenu, at: QPoint | None) -> None:
        panel, view, actions = self._panel, self._panel.view, self._actions
        place = view.currentIndex() if at is None else view.indexAt(at)
        if place.isValid():
            view.setCurrentIndex(place)
            point = panel.rows.points[place.row()]
            found = self._breakpoints.found(point.target)
            go = menu.addAction(translate("Breakpoints", "&Go to Next Hit"))
            go.setEnabled(found is not None and bool(found.places))
            go.triggered.connect(lambda: view.activated.emit(place))
            word = (
                translate("Breakpoints", "Di&sable")
                if point.enabled
                else translate("Breakpoints", "&Enable")
            )
            menu.addAction(word).triggered.connect(view.switch_pressed)
            menu.addAction(translate("Breakpoints", "Re&move")).triggered.connect(
                view.remove_pressed
            )
            menu.addSeparator()
        fill(
            menu,
            [
                actions.run_to_next_breakpoint,
                actions.run_to_previous_breakpoint,
                None,
                actions.clear_breakpoints,
            ],
        )

    def _place(self) -> QPoint:
        view = self._panel.view
        return view.visualRect(view.currentIndex()).center()


def sign_change_condition(state: ViewerState) -> WhenSign | None:
    """Return the sign-change condition for the pinned element; None if it has no name."""
    index, element, lineage = state.index, state.element, state.lineage
    if index is None or element is None or lineage is None:
        return None
    seen = lineage.at(element.tensor, state.number) or lineage.first.get(element.tensor)
    gradient = seen is not None and seen.kind != "value"
    for key in lineage.keys.get(element.tensor, frozenset()):
        name = index.node[key[0]].variable_name if key[0] in index.node else ""
        if name:
            return WhenSign(name=name, element=element.index, gradient=gradient)
    if seen is None:
        return None
    return WhenSign(name=seen.name, element=element.index, gradient=False)


_HITS = 130
"""Width of the column with the number of hits; the other columns share the rest."""

_ICON = 16


class BreakpointPanel(QWidget):
    """Shows and edits `BreakpointList`; Enter on one goes to its next hit."""

    def __init__(
        self,
        state: ViewerState,
        breakpoints: BreakpointList,
        actions: Actions,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._breakpoints = breakpoints
        self._actions = actions
        self.rows = BreakpointModel(state, breakpoints)
        self.view = _BreakpointTree(self)
        self.view.setModel(self.rows)
        for column in (0, 2):
            self.view.header().setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
        self.hint = PlainLabel(muted=True)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.back, self.on, self.remove = QToolButton(), QToolButton(), QToolButton()
        self._lay_out()
        self._connect()
        self.setAccessibleName(self.tr("Breakpoints"))
        self._on_state_theme_changed(state.theme)
        self._show()

    def _lay_out(self) -> None:
        self._top = top = QHBoxLayout()
        top.setSpacing(4)
        for button in (self.back, self.on, self.remove):
            button.setAutoRaise(True)
            top.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.hint)
        self._pages.addWidget(self.view)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 6)
        column.setSpacing(6)
        column.addLayout(top)
        column.addWidget(self._pages, 1)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)

    def _connect(self) -> None:
        state = self._state
        self.view.activated.connect(self._on_view_activated)
        self.view.remove_pressed.connect(self._on_remove_clicked)
        self.view.switch_pressed.connect(self._on_view_switch_pressed)
        self.view.selectionModel().currentChanged.connect(self._on_view_current_changed)
        self.remove.clicked.connect(self._on_remove_clicked)
        for button, action in (
            (self.back, self._actions.run_to_previous_breakpoint),
            (self.on, self._actions.run_to_next_breakpoint),
        ):
            button.clicked.connect(action.trigger)
            action.enabledChanged.connect(button.setEnabled)
            button.setEnabled(action.isEnabled())
        self._breakpoints.changed.connect(self._on_breakpoints_changed)
        state.trace_changed.connect(self._on_breakpoints_changed)
        state.place_changed.connect(self._on_breakpoints_changed)
        state.element_changed.connect(self._on_state_element_changed)
        state.theme_changed.connect(self._on_state_theme_changed)

    @cached_property
    def editor(self) -> ConditionEditor:
        """Fields for a new breakpoint, imported and built when the panel is first shown."""
        from gradviz.viewer.breakpoints.condition_editor import ConditionEditor

        editor = ConditionEditor(self._state.theme)
        editor.target_set.connect(self._on_editor_target_set)
        editor.kind.currentIndexChanged.connect(self._on_editor_kind_changed)
        self._state.theme_changed.connect(editor.set_theme)
        self._top.insertWidget(0, editor, 1)
        return editor

    def showEvent(self, event: QShowEvent) -> None:
        """Show the fields for a new breakpoint."""
        super().showEvent(event)
        self.editor.show()

    @property
    def target(self) -> BreakpointTarget | None:
        """Target of the selected row, or None."""
        row = self.view.currentIndex().row()
        return self.rows.points[row].target if 0 <= row < len(self.rows.points) else None

    def _show(self) -> None:
        target = self.target
        self.rows.refresh()
        points = self.rows.points
        if target is not None and self.target is None and points:
            kept = [at for at, point in enumerate(points) if point.target == target]
            self.view.setCurrentIndex(self.rows.index(kept[0] if kept else 0, 0))
        self._pages.setCurrentWidget(self.view if points else self.hint)
        if self.window().focusWidget() is self.hint:
            # Qt gives it the focus of the list, but nobody could see that.
            self.editor.kind.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.remove.setEnabled(self.target is not None)

    def _name_buttons(self) -> None:
        actions = self._actions
        texts = (
            (
                self.back,
                actions.run_to_previous_breakpoint,
                self.tr("Run back to the previous breakpoint"),
            ),
            (self.on, actions.run_to_next_breakpoint, self.tr("Run to the next breakpoint")),
        )
        for button, action, text in texts:
            button.setToolTip(tip_of(action, text))
            button.setAccessibleName(text)
        keys = ", ".join(keys_of(KEYS, "remove"))
        self.remove.setToolTip(self.tr("Remove the breakpoint ({keys})").format(keys=keys))
        self.remove.setAccessibleName(self.tr("Remove the breakpoint"))

    @Slot(object)
    def _on_editor_target_set(self, target: BreakpointTarget) -> None:
        self._breakpoints.add(target)
        row = [point.target for point in self.rows.points].index(target)
        self.view.setCurrentIndex(self.rows.index(row, 0))

    @Slot()
    def _on_editor_kind_changed(self) -> None:
        self.editor.offer(sign_change_condition(self._state))

    @Slot(object)
    def _on_state_element_changed(self, element: object) -> None:
        if self.isVisible():
            self.editor.offer(sign_change_condition(self._state))

    @Slot()
    def _on_breakpoints_changed(self) -> None:
        self._show()

    @Slot(QModelIndex, QModelIndex)
    def _on_view_current_changed(self, current: QModelIndex, before: QModelIndex) -> None:
        self.remove.setEnabled(current.isValid())

    @Slot(QModelIndex)
    def _on_view_activated(self, cell: QModelIndex) -> None:
        """Go to the next hit, and after the last one to the first."""
        place = self._state.place
        found = self._breakpoints.found(self.rows.points[cell.row()].target)
        if found is not None and found.places and place is not None:
            self._breakpoints.go_to(next_hit(found.places, place) or found.places[0])

    @Slot()
    def _on_view_switch_pressed(self) -> None:
        row = self.view.currentIndex().row()
        if self.target is not None:
            self._breakpoints.set_enabled(self.target, not self.rows.points[row].enabled)

    @Slot()
    def _on_remove_clicked(self) -> None:
        row = self.view.currentIndex().row()
        if self.target is not None:
            self._breakpoints.remove(self.target)
            left = len(self.rows.points)
            if left:
                self.view.setCurrentIndex(self.rows.index(min(row, left - 1), 0))

    @Slot(object)
    def _on_state_theme_changed(self, theme: Theme) -> None:
        self.hint.set_theme(theme)
        self.view.setFont(theme.font())
        set_header_font(self.view.header(), theme.font())
        self.view.setColumnWidth(1, theme.px(_HITS))
        self._name_buttons()
        side = QSize(theme.px(_ICON), theme.px(_ICON))
        signs = ((self.back, "previous"), (self.on, "next"), (self.remove, "cancel"))
        for button, name in signs:
            button.setIcon(icon(name, theme))
            button.setIconSize(side)
            button.setFont(theme.font())
        self.hint.setText(self._hint())

    def _hint(self) -> str:
        keys = self._actions.toggle_breakpoint.shortcuts()
        key = keys[0].toString(keys[0].SequenceFormat.NativeText) if keys else ""
        text = self.tr(
            "No breakpoints are set. {key} sets one at the selected node or the current "
            "line. To stop at something else, add a condition above."
        )
        return text.format(key=key)


class _BreakpointTree(QTreeView):
    """Tree view that emits `activated` on Enter on every platform.

    Signals:
        remove_pressed: The key that removes the current row was pressed.
        switch_pressed: The key that enables or disables the current row was pressed.
    """

    remove_pressed = Signal()
    switch_pressed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("breakpoints")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAllColumnsShowFocus(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAccessibleName(self.tr("Breakpoints"))
        self.setToolTip(self.tr("Enter: go to the next hit"))
        self.header().setStretchLastSection(False)
        FocusRing(self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        command = pressed(KEYS, event)
        if command == "go" and self.currentIndex().isValid():
            self.activated.emit(self.currentIndex())
        elif command == "remove":
            self.remove_pressed.emit()
        elif command == "switch":
            self.switch_pressed.emit()
        else:
            super().keyPressEvent(event)
