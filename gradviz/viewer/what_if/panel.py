"""The What If panel: the list of changes, and next to it the editor or the differences."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.analysis.compare.exact_differences import ExactDifferences
from gradviz.catalogue.language import format_count
from gradviz.document.document import Document, Field, Row
from gradviz.model.what_if import ChangeTarget
from gradviz.text.punctuation import join_sentences
from gradviz.text.what_if import change_sentence
from gradviz.viewer.actions import Actions
from gradviz.viewer.compare.value_pairs import PAIR_WIDTHS, PairedValue, pairs_document
from gradviz.viewer.rows.rows_view import RowsView
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.what_if import KEYS
from gradviz.viewer.what_if.change_list import ChangeList
from gradviz.viewer.what_if.value_editor import ValueEditor
from gradviz.viewer.widgets.action_button import ActionButton
from gradviz.viewer.widgets.adaptive_splitter import AdaptiveSplitter
from gradviz.viewer.widgets.flow_layout import FlowLayout
from gradviz.viewer.widgets.layouts import lay_out
from gradviz.viewer.widgets.plain_text import PlainLabel, plain_tooltip
from gradviz.viewer.widgets.screen_reader import announce


class DifferenceSummary(QWidget):
    """Summary of the run, summary of the current position, and the position's values."""

    def __init__(self, theme: Theme, actions: Actions) -> None:
        super().__init__()
        self.whole = PlainLabel(bold=True)
        self.here = PlainLabel(muted=True)
        self.table = RowsView(theme, PAIR_WIDTHS, wraps=True)
        self.table.setAccessibleName(self.tr("Values in both runs"))
        commands = (actions.next_difference, actions.mark_differences)
        self._buttons = [ActionButton(each, self) for each in commands]
        lay_out(
            QVBoxLayout(self),
            self.whole,
            # In one row, so that a low panel shows the first difference.
            lay_out(QHBoxLayout(), (self.here, 1), *self._buttons, gap=4),
            (self.table, 1),
            margins=(10, 2, 6, 0),
            gap=4,
        )
        for button in self._buttons:
            set_theme_font(button, theme, SMALL_PIXELS)

    def show_run_differences(self, differences: ExactDifferences | None, count: int) -> None:
        """Show how many steps differ; None while the comparison is in progress.

        Args:
            differences: The result of the comparison.
            count: Number of steps of the changed run.
        """
        text = self.tr("Comparing the runs…")
        if differences is not None:
            text = self._whole_text(differences, count)
            announce(self, text)
        self.whole.setText(text)

    def _whole_text(self, found: ExactDifferences, count: int) -> str:
        if not found.steps and found.alignment.diverged is None:
            text = self.tr("No differences: all %Ln step(s) are equal bit for bit.", "", count)
            sentences = [text]
        elif found.steps:
            differing = len(found.steps)
            text = self.tr("%Ln of {0} step(s) differ, starting with step {1}.", "", differing)
            sentences = [text.format(format_count(count), format_count(found.steps[0]))]
        else:
            sentences = []
        if found.alignment.diverged is not None:
            text = self.tr("From step {0} on, the two runs take different steps.")
            sentences.append(text.format(format_count(found.alignment.diverged)))
        if found.uncertain:
            sentences.append(
                self.tr(
                    "Some large values were stored only in part; only these parts were compared."
                )
            )
        return join_sentences(sentences)

    def show_place(self, rows: Sequence[PairedValue], *, hidden: bool, alone: bool) -> None:
        """Show the values at the current position.

        Args:
            rows: The values; may be empty.
            hidden: Whether they must not be shown yet.
            alone: Whether only the changed run has this position.
        """
        # A low panel shows few rows, so differences come first.
        shown = sorted(rows, key=lambda row: row.agrees)
        self.table.show_document(pairs_document(shown, "change"))
        self.table.setVisible(bool(rows))
        differing = sum(not row.agrees for row in rows)
        if hidden:
            text = self.tr("Hidden in quiz mode until the answer is revealed.")
        elif alone:
            text = self.tr("Only the changed run has this step.")
        elif not rows:
            text = self.tr("There is nothing to compare in this step.")
        elif not differing:
            text = self.tr("No value differs here.")
        elif len(rows) == 1:
            text = self.tr("The only value here differs.")
        else:
            text = self.tr("%Ln of {0} value(s) differ here.", "", differing)
            text = text.format(format_count(len(rows)))
        self.here.setText(text)


class ChangeListView(RowsView):
    """Shows a `ChangeList`; Space turns a change on or off, Enter edits it, Del removes it.

    Signals:
        edit_requested: The target of a change.
    """

    edit_requested = Signal(object)

    def __init__(self, plan: ChangeList, theme: Theme) -> None:
        super().__init__(theme, keys=KEYS, clicks=False, wraps=True)
        self._plan = plan
        self.setAccessibleName(self.tr("Changes"))
        self.setToolTip(self.tr("Space: turn the change on or off; Enter: edit it; Del: remove it"))
        plan.changed.connect(self._on_plan_changed)
        self.rows.toggled.connect(self._on_rows_toggled)
        self.chosen.connect(self.edit_requested)
        self.command_pressed.connect(self._on_self_command_pressed)
        self._on_plan_changed()

    def remove_current(self) -> None:
        """Remove the selected change."""
        if self.current_key is not None:
            self._plan.drop(cast("ChangeTarget", self.current_key))

    def _on_plan_changed(self) -> None:
        at, entries = self.currentIndex().row(), self._plan.entries
        rows = {
            entry.change.target: Row(
                fields=(Field(text=change_sentence(entry.change)),), is_on=entry.on
            )
            for entry in entries
        }
        targets = tuple(rows)
        self.show_document(
            Document(keys=targets, row=lambda key: rows[cast("ChangeTarget", key)], has_boxes=True)
        )
        if self.current_key is None and targets:
            self.go_to(targets[min(max(at, 0), len(targets) - 1)])

    def _on_rows_toggled(self, key: ChangeTarget, on: bool) -> None:
        self._plan.switch(key, on=on)

    def _on_self_command_pressed(self, command: str) -> None:
        if command == "remove":
            self.remove_current()


_ACROSS, _DOWN = (180, 600), (64, 190)
"""Initial shares of the changes and what is shown of them, of the width and of the height."""


class WhatIfPanel(QWidget):
    """Widgets of the What If panel; `WhatIfController` fills them.

    The pages are built when they are first needed.

    Signals:
        shown: The panel has become visible.
        change_applied: The `WhatIfChange` that was edited.
        edit_left: Editing was canceled.
    """

    shown = Signal()
    change_applied = Signal(object)
    edit_left = Signal()

    def __init__(self, plan: ChangeList, theme: Theme, actions: Actions) -> None:
        super().__init__()
        self._theme, self._actions = theme, actions
        self.list = ChangeListView(plan, theme)
        self.change_button = QToolButton()
        self.change_menu = QMenu(self.change_button)
        self.run_button = ActionButton(actions.run_changed)
        self.back_button = ActionButton(actions.back_to_original)
        self._hint = PlainLabel(
            self.tr(
                "What if a value were different? Choose Change, or What If in "
                "a tensor's menu. You can change inputs, parameters, saved tensors and "
                "gradients. The code then runs again with only these changes, and each "
                "step is compared with the original run."
            ),
            muted=True,
        )
        self._none = PlainLabel(self.tr("No changes yet."), muted=True)
        self._make_buttons()
        self._lay_out()
        set_theme_font(self.change_menu, theme)
        for button in self._buttons:
            set_theme_font(button, theme, SMALL_PIXELS)

    def _make_buttons(self) -> None:
        self.change_button.setText(self.tr("Change"))
        self.change_button.setToolTip(self.tr("Change a value of the current step"))
        self.change_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.change_button.setMenu(self.change_menu)
        for button in self._buttons:
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    @property
    def _buttons(self) -> tuple[QToolButton, ...]:
        return (self.change_button, self.run_button, self.back_button)

    def _lay_out(self) -> None:
        self._plan = QWidget()
        column = lay_out(QVBoxLayout(self._plan), margins=(8, 6, 4, 6), gap=6)
        row = FlowLayout()
        for button in self._buttons:
            row.addWidget(button)
        column.addWidget(self.list, 1)
        column.addWidget(self._none, 1)
        column.addLayout(row)
        self.pages = QStackedWidget()
        self._hint.setContentsMargins(8, 4, 8, 4)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        # In a low panel, its last line is cut.
        self._hint.setToolTip(plain_tooltip(self._hint.text()))
        self.pages.addWidget(self._hint)
        lay_out(QVBoxLayout(self), AdaptiveSplitter((self._plan, self.pages), _ACROSS, _DOWN))
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("What If"))

    @cached_property
    def editor(self) -> ValueEditor:
        """Page that edits a value."""
        editor = ValueEditor(self._theme)
        editor.applied.connect(self.change_applied)
        editor.left.connect(self.edit_left)
        self.pages.addWidget(editor)
        return editor

    @cached_property
    def compared(self) -> DifferenceSummary:
        """Page with the differences between the two runs."""
        compared = DifferenceSummary(self._theme, self._actions)
        self.pages.addWidget(compared)
        return compared

    def show_list(self, *, filled: bool) -> None:
        """Show the list of changes, or a note that it is empty."""
        self.list.setVisible(filled)
        self._none.setVisible(not filled)

    def show_hint(self) -> None:
        """Show the hint how to start."""
        self._show(self._hint)

    def show_compared(self) -> None:
        """Show the differences."""
        self._show(self.compared)

    def show_editor(self) -> None:
        """Show the editor, which has the whole panel for itself."""
        self._show(self.editor)

    def _show(self, page: QWidget) -> None:
        focus: QWidget | None = self.window().focusWidget()
        leaves = self.edits and focus is not None and self.pages.isAncestorOf(focus)
        self.pages.setCurrentWidget(page)
        self._plan.setVisible(not self.edits)
        if leaves and not self.edits:
            # Otherwise Qt would give it to the page, even if that is only a text.
            self.change_button.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def offer_run(self) -> None:
        """Move the focus on from Change, if it is there, to the command that comes next."""
        if self.window().focusWidget() is self.change_button:
            self.run_button.setFocus(Qt.FocusReason.ShortcutFocusReason)

    @property
    def edits(self) -> bool:
        """Whether a value is being edited."""
        return isinstance(self.pages.currentWidget(), ValueEditor)

    def showEvent(self, event: QShowEvent) -> None:
        """Announce that the panel is visible, so that it is filled."""
        super().showEvent(event)
        self.shown.emit()
