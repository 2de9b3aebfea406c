"""The Breakpoints panel: fields for a new one, the list, and buttons to run to hits."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property, partial
from typing import Any, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QPushButton,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.analysis.breakpoints.breakpoint import (
    AtFunction,
    BreakpointTarget,
    WhenDtype,
    WhenNorm,
    WhenNotFinite,
    WhenPrinted,
    WhenRaised,
    WhenShape,
    WhenSign,
)
from gradviz.analysis.breakpoints.hits import next_hit
from gradviz.document.breakpoints import BreakpointsNow
from gradviz.viewer.actions import Actions, tip_of
from gradviz.viewer.breakpoints import KEYS
from gradviz.viewer.breakpoints.breakpoint_list import BreakpointList
from gradviz.viewer.commands.context_menu import fill
from gradviz.viewer.forms.controls import FieldError, FormComboBox, FormDecimalField, FormTextField
from gradviz.viewer.forms.form import FieldForm
from gradviz.viewer.local_keys import keys_of
from gradviz.viewer.rows.rows_view import ColumnWidth, RowsView
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.theme.theme_update import set_theme_font, set_theme_icon
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip

_TARGETS: dict[str, tuple[Callable[..., BreakpointTarget], tuple[str, ...]]] = {
    "nan": (partial(WhenNotFinite, kind="nan"), ("appears",)),
    "inf": (partial(WhenNotFinite, kind="inf"), ("appears",)),
    "norm": (WhenNorm, ("above", "gradients", "appears")),
    "shape": (WhenShape, ()),
    "dtype": (WhenDtype, ()),
    "sign": (WhenSign, ("name", "element", "gradient")),
    "printed": (WhenPrinted, ()),
    "raised": (WhenRaised, ()),
    "function": (AtFunction, ("name", "direction")),
}
"""The target of each kind, and its attributes, which are the fields that the kind needs."""


def _read_element(text: str) -> tuple[int, ...]:
    try:
        element = tuple([int(part) for part in text.split(",") if part.strip()])
    except ValueError:
        element = (-1,)
    if all(at >= 0 for at in element):
        return element
    raise FieldError(
        translate(
            "Breakpoints",
            "Enter the element's indices: whole numbers from 0, separated by commas, one per "
            "dimension.",
        )
    )


_MOST_SAID = 460


class ConditionEditor(FieldForm):
    """A kind of condition, the fields it needs, and a button to add the breakpoint.

    Signals:
        target_set: Target of the new breakpoint.
    """

    target_set = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, row=FlowLayout(gap=8))
        self.kind = self.add_field(
            "kind",
            FormComboBox(
                (
                    ("nan", self.tr("a NaN")),
                    ("inf", self.tr("an Inf")),
                    ("norm", self.tr("a norm above")),
                    ("shape", self.tr("a shape change")),
                    ("dtype", self.tr("a dtype change")),
                    ("sign", self.tr("a sign change of")),
                    ("printed", self.tr("a print")),
                    ("raised", self.tr("an exception")),
                    ("function", self.tr("each")),
                )
            ),
            self.tr("Stop at"),
            title=self.tr("What to stop at"),
        )
        for name, (title, control) in self._details().items():
            self.add_field(name, control, title=title, shown=partial(_is_needed, name))
        self.add_button = QPushButton(self.tr("Add"))
        self.add_button.setToolTip(self.tr("Add this breakpoint"))
        self._says = PlainLabel(muted=True)
        for widget in (self.add_button, self._says):
            self.add(widget)
        self.edited.connect(self._judge)
        self.submitted.connect(self._on_self_submitted)
        self.add_button.clicked.connect(self._on_self_submitted)
        self._judge()

    def _details(self) -> dict[str, tuple[str, FormComboBox | FormTextField]]:
        """Title and field of each attribute of a target."""
        norm = translate("Breakpoints", "The norm must be a number that is 0 or greater.")
        above = FormDecimalField(norm, width=80)
        above.setPlaceholderText(self.tr("L2 norm, e.g. 100 or 1e3"))
        above.show_value(100)
        gradients = ((True, self.tr("of a gradient")), (False, self.tr("of any tensor")))
        sides = ((True, self.tr("in .grad")), (False, self.tr("in its value")))
        moments = (
            (True, self.tr("where it appears")),
            (False, self.tr("wherever it is present")),
        )
        directions = (
            ("both", self.tr("in both directions")),
            ("forward", self.tr("in forward")),
            ("backward", self.tr("in backward")),
        )
        name = FormTextField(hint=self.tr("name"), read=self._read_name, width=150)
        element = FormTextField(
            hint=self.tr("0, 1"),
            read=_read_element,
            write=lambda index: ", ".join(map(str, index)),
            width=70,
        )
        return {
            "above": (self.tr("Norm"), above),
            "gradients": (self.tr("Tensors to check"), FormComboBox(gradients)),
            "name": (self.tr("Name"), name),
            "element": (self.tr("Element"), element),
            "gradient": (self.tr("Value or gradient"), FormComboBox(sides)),
            "appears": (self.tr("When"), FormComboBox(moments)),
            "direction": (self.tr("Direction"), FormComboBox(directions)),
        }

    def target(self) -> BreakpointTarget:
        """Return the target that the fields describe.

        Raises:
            FieldError: If a field is not valid.
        """
        values = self.values()
        make, _ = _TARGETS[values.pop("kind")]
        return make(**values)

    def offer(self, pinned: WhenSign | None) -> None:
        """Fill in the pinned element."""
        if pinned is None or self.kind.value() == "function":
            return
        self.show_values(pinned)
        self._judge()

    def _read_name(self, text: str) -> str:
        if text.strip():
            return text.strip()
        function = translate(
            "Breakpoints",
            "Enter the name of a function, node or op, such as mul, MulBackward0 or aten::mul.",
        )
        leaf = translate("Breakpoints", "Enter the name of a leaf or variable.")
        raise FieldError(function if self.kind.value() == "function" else leaf)

    def _judge(self) -> None:
        complaint = self.problem_text
        self.add_button.setEnabled(not complaint)
        self._says.show_short(complaint, _MOST_SAID)
        self._says.setVisible(bool(complaint))
        self._says.setToolTip(plain_tooltip(complaint))

    def _on_self_submitted(self) -> None:
        if self.add_button.isEnabled():
            self.target_set.emit(self.target())


def _is_needed(name: str, values: dict[str, Any]) -> bool:
    return name in _TARGETS[values["kind"]][1]


def sign_change_condition(state: ViewerState) -> WhenSign | None:
    """Return the sign-change condition for the pinned element; None if it has no name."""
    index, element, lineage = state.index, state.element, state.lineage
    if index is None or element is None or lineage is None:
        return None
    seen = lineage.at(element.tensor, state.number) or lineage.first(element.tensor)
    gradient = seen is not None and seen.kind != "value"
    for key in lineage.keys(element.tensor):
        name = index.node[key[0]].variable_name if key[0] in index.node else ""
        if name:
            return WhenSign(name=name, element=element.index, gradient=gradient)
    if seen is None:
        return None
    return WhenSign(name=seen.name, element=element.index, gradient=False)


_WIDTHS = (ColumnWidth(120, grows=1), ColumnWidth(130), ColumnWidth(100, grows=1))
_ICON = 16


class BreakpointPanel(QWidget):
    """Shows and edits `BreakpointList`; Enter on one goes to its next hit."""

    def __init__(self, state: ViewerState, breakpoints: BreakpointList, actions: Actions) -> None:
        super().__init__()
        self._state = state
        self._breakpoints = breakpoints
        self._actions = actions
        self.view = RowsView(state.theme, _WIDTHS, KEYS, clicks=False)
        self.view.setObjectName("breakpoints")
        self.view.setAccessibleName(self.tr("Breakpoints"))
        self.view.setToolTip(self.tr("Enter: go to the next hit"))
        self.view.add_to_menu(self._fill_menu)
        self.hint = PlainLabel(muted=True)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.back, self.on, self.remove = QToolButton(), QToolButton(), QToolButton()
        self._lay_out()
        self._connect()
        self.setAccessibleName(self.tr("Breakpoints"))
        for button, name in ((self.back, "previous"), (self.on, "next"), (self.remove, "cancel")):
            set_theme_font(button, state.theme)
            set_theme_icon(button, state.theme, name, side=_ICON)
        self.update_theme()
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
        lay_out(QVBoxLayout(self), top, (self._pages, 1), margins=(8, 6, 8, 6), gap=6)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)

    def _connect(self) -> None:
        state = self._state
        self.view.chosen.connect(self._on_view_chosen)
        self.view.command_pressed.connect(self._on_view_command_pressed)
        self.view.rows.toggled.connect(self._breakpoints.set_enabled)
        self.view.current_changed.connect(self._on_view_current_changed)
        self.remove.clicked.connect(self._on_remove_clicked)
        for button, action in (
            (self.back, self._actions.run_to_previous_breakpoint),
            (self.on, self._actions.run_to_next_breakpoint),
        ):
            button.clicked.connect(action.trigger)
            action.enabledChanged.connect(button.setEnabled)
            button.setEnabled(action.isEnabled())
        self._breakpoints.changed.connect(self._show)
        state.trace_changed.connect(self._show)
        state.place_changed.connect(self._show)
        state.element_changed.connect(self._on_state_element_changed)

    @cached_property
    def editor(self) -> ConditionEditor:
        """Fields for a new breakpoint, built when the panel is first shown."""
        editor = ConditionEditor(self._state.theme)
        editor.target_set.connect(self._on_editor_target_set)
        editor.kind.edited.connect(self._on_editor_kind_changed)
        self._top.insertWidget(0, editor, 1)
        return editor

    def showEvent(self, event: QShowEvent) -> None:
        """Show the fields for a new breakpoint."""
        super().showEvent(event)
        self.editor.show()

    @property
    def target(self) -> BreakpointTarget | None:
        """Target of the selected row, or None."""
        # The rows have no other keys.
        return cast("BreakpointTarget | None", self.view.current_key)

    def _show(self) -> None:
        state, breakpoints = self._state, self._breakpoints
        known = BreakpointsNow(
            points=breakpoints.points,
            found=breakpoints.found,
            is_changed=lambda target: breakpoints.line_change(target) == "changed",
            index=state.index,
            place=state.place,
            is_complete=state.revealed.is_complete,
        )
        row, was_selected = self.view.currentIndex().row(), self.target is not None
        self.view.show_document(known.document())
        self._pages.setCurrentWidget(self.view if breakpoints.points else self.hint)
        if was_selected and self.target is None and breakpoints.points:
            # The selected one was removed.
            left = len(breakpoints.points)
            self.view.go_to(breakpoints.points[min(row, left - 1)].target)
        if self.window().focusWidget() is self.hint:
            # Qt gives it the focus of the list, but nobody could see that.
            self.editor.kind.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.remove.setEnabled(self.target is not None)

    def _fill_menu(self, menu: QMenu, key: Hashable) -> None:
        target, actions = cast("BreakpointTarget", key), self._actions
        point, found = self._breakpoints.point_of(target), self._breakpoints.found(target)
        is_on = point is not None and point.enabled
        go = menu.addAction(translate("Breakpoints", "&Go to Next Hit"))
        go.setEnabled(found is not None and bool(found.places))
        go.triggered.connect(lambda: self._go(target))
        switch = menu.addAction(
            translate("Breakpoints", "Di&sable") if is_on else translate("Breakpoints", "&Enable")
        )
        switch.triggered.connect(lambda: self._breakpoints.set_enabled(target, not is_on))
        menu.addAction(translate("Breakpoints", "Re&move")).triggered.connect(
            self._on_remove_clicked
        )
        menu.addSeparator()
        runs = [actions.run_to_next_breakpoint, actions.run_to_previous_breakpoint]
        fill(menu, [*runs, None, actions.clear_breakpoints])

    def _go(self, target: BreakpointTarget) -> None:
        """Go to the next hit, and after the last one to the first."""
        place, found = self._state.place, self._breakpoints.found(target)
        if found is not None and found.places and place is not None:
            self._breakpoints.go_to(next_hit(found.places, place) or found.places[0])

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

    def _on_editor_target_set(self, target: BreakpointTarget) -> None:
        self._breakpoints.add(target)
        self.view.go_to(target)

    def _on_editor_kind_changed(self) -> None:
        self.editor.offer(sign_change_condition(self._state))

    def _on_state_element_changed(self, element: object) -> None:
        if self.isVisible():
            self.editor.offer(sign_change_condition(self._state))

    def _on_view_current_changed(self, key: Hashable | None) -> None:
        self.remove.setEnabled(key is not None)

    def _on_view_chosen(self, key: Hashable, column: int) -> None:
        self._go(cast("BreakpointTarget", key))

    def _on_view_command_pressed(self, command: str) -> None:
        if command == "remove" and self.target is not None:
            self._breakpoints.remove(self.target)

    def _on_remove_clicked(self) -> None:
        self._on_view_command_pressed("remove")

    def update_theme(self) -> None:
        """Fit fonts, icons and sizes to the theme."""
        self._name_buttons()
        self.hint.setText(self._hint())

    def _hint(self) -> str:
        keys = self._actions.toggle_breakpoint.shortcuts()
        key = keys[0].toString(keys[0].SequenceFormat.NativeText) if keys else ""
        text = self.tr(
            "No breakpoints are set. {key} sets one at the selected node or the current "
            "line. To stop at something else, add a condition above."
        )
        return text.format(key=key)
