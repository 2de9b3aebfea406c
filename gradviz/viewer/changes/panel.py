"""The What If panel: the list of changes, and next to it the editor or the differences."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QSplitter,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.viewer.actions import Actions
from gradviz.viewer.changes.compared import Compared
from gradviz.viewer.changes.editor import ChangeEditor
from gradviz.viewer.changes.plan import Plan
from gradviz.viewer.changes.plan_list import PlanList
from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.plain_text import PlainLabel

_LIST, _REST = 180, 600


class ChangesPanel(QWidget):
    """Widgets of the What If panel; `ChangesControl` fills them.

    Signals:
        shown: The panel has become visible.
    """

    shown = Signal()

    def __init__(
        self, plan: Plan, theme: Theme, actions: Actions, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.list = PlanList(plan, theme)
        self.editor = ChangeEditor(theme)
        self.compared = Compared(theme, actions)
        self.change_button = QToolButton()
        self.change_menu = QMenu(self.change_button)
        self.run_button, self.back_button = QToolButton(), QToolButton()
        self._hint = PlainLabel(
            self.tr(
                "What if a value were different? Choose Change, or What If It Were … in "
                "a tensor's menu. You can change inputs, parameters, saved tensors and "
                "gradients. The code then runs again with only these changes, and each "
                "step is compared with the original run."
            ),
            muted=True,
        )
        self._none = PlainLabel(self.tr("No changes yet."), muted=True)
        self._make_buttons(actions)
        self._lay_out()
        self.set_theme(theme)

    def _make_buttons(self, actions: Actions) -> None:
        self.change_button.setText(self.tr("Change"))
        self.change_button.setToolTip(self.tr("Change a value of the current step"))
        self.change_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.change_button.setMenu(self.change_menu)
        self.run_button.setDefaultAction(actions.run_changed)
        self.back_button.setDefaultAction(actions.back_to_original)
        for button in self._buttons:
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    @property
    def _buttons(self) -> tuple[QToolButton, ...]:
        return (self.change_button, self.run_button, self.back_button)

    def _lay_out(self) -> None:
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(8, 6, 4, 6)
        column.setSpacing(6)
        row = QHBoxLayout()
        row.addWidget(self.change_button)
        row.addWidget(self.back_button)
        row.addStretch(1)
        column.addWidget(self.run_button)
        column.addWidget(self.list, 1)
        column.addWidget(self._none, 1)
        column.addLayout(row)
        self.pages = QStackedWidget()
        self._hint.setContentsMargins(16, 16, 16, 16)
        self._hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        for page in (self._hint, self.compared, self.editor):
            self.pages.addWidget(page)
        halves = QSplitter(Qt.Orientation.Horizontal)
        halves.addWidget(left)
        halves.addWidget(self.pages)
        halves.setChildrenCollapsible(False)
        halves.setStretchFactor(1, 1)
        halves.setSizes([_LIST, _REST])
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(halves)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("What If"))

    def show_list(self, *, filled: bool) -> None:
        """Show the list of changes, or a note that it is empty."""
        self.list.setVisible(filled)
        self._none.setVisible(not filled)

    def show_hint(self) -> None:
        """Show the hint how to start."""
        self.pages.setCurrentWidget(self._hint)

    def show_compared(self) -> None:
        """Show the differences."""
        self.pages.setCurrentWidget(self.compared)

    def show_editor(self) -> None:
        """Show the editor."""
        self.pages.setCurrentWidget(self.editor)

    @property
    def edits(self) -> bool:
        """Whether a value is being edited."""
        return self.pages.currentWidget() is self.editor

    def set_theme(self, theme: Theme) -> None:
        """Apply another theme."""
        self.list.set_theme(theme)
        self.editor.set_theme(theme)
        self.compared.set_theme(theme)
        self._hint.set_theme(theme)
        self._none.set_theme(theme)
        self.change_menu.setFont(theme.font())
        for button in self._buttons:
            button.setFont(theme.font(SMALL_PIXELS))

    def showEvent(self, event: QShowEvent) -> None:
        """Announce that the panel is visible, so that it is filled."""
        super().showEvent(event)
        self.shown.emit()
