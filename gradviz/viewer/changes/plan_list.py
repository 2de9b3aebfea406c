"""List of a window's changes; each can be enabled, edited and removed."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QWidget

from gradviz.model.change_words import change_sentence
from gradviz.viewer.changes.plan import Plan
from gradviz.viewer.keys import pressed
from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.focus_ring import FocusRing
from gradviz.viewer.widgets.plain_text import plain_tooltip

_TARGET = Qt.ItemDataRole.UserRole


class PlanList(QListWidget):
    """Shows a `Plan`; Space turns a change on or off, Enter edits it, Del removes it.

    Signals:
        edit_requested: The target of a change.
    """

    edit_requested = Signal(object)

    def __init__(self, plan: Plan, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._plan = plan
        self._filling = False
        self.setWordWrap(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(self.tr("Changes"))
        self.setToolTip(self.tr("Space: turn the change on or off; Enter: edit it; Del: remove it"))
        FocusRing(self)
        plan.changed.connect(self._on_plan_changed)
        self.itemChanged.connect(self._on_item_changed)
        self.itemDoubleClicked.connect(self._on_item_double_clicked)
        self.set_theme(theme)
        self._on_plan_changed()

    def set_theme(self, theme: Theme) -> None:
        """Apply another theme."""
        self.setFont(theme.font(SMALL_PIXELS))

    def remove_current(self) -> None:
        """Remove the selected change."""
        if self.currentRow() >= 0:
            self._plan.drop(self.currentItem().data(_TARGET))

    @Slot()
    def _on_plan_changed(self) -> None:
        row = self.currentRow()
        self._filling = True
        self.clear()
        for entry in self._plan.entries:
            text = change_sentence(entry.change)
            item = QListWidgetItem(text)
            item.setToolTip(plain_tooltip(text))
            item.setData(_TARGET, entry.change.target)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if entry.on else Qt.CheckState.Unchecked)
            self.addItem(item)
        self._filling = False
        self.setCurrentRow(min(max(row, 0), self.count() - 1))

    @Slot(QListWidgetItem)
    def _on_item_changed(self, item: QListWidgetItem) -> None:
        if not self._filling:
            on = item.checkState() == Qt.CheckState.Checked
            self._plan.switch(item.data(_TARGET), on=on)

    @Slot(QListWidgetItem)
    def _on_item_double_clicked(self, item: QListWidgetItem) -> None:
        self.edit_requested.emit(item.data(_TARGET))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Edit the selected change on Enter, remove it on Del; Qt handles Space."""
        command = pressed("changes", event) if self.currentRow() >= 0 else ""
        if command == "edit":
            self.edit_requested.emit(self.currentItem().data(_TARGET))
        elif command == "remove":
            self.remove_current()
        else:
            super().keyPressEvent(event)
