"""The list of the elements with the largest errors, to go to and to copy."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from gradviz.viewer.jacobians import element_words
from gradviz.viewer.jacobians.matrices import Matrices
from gradviz.viewer.look.icons import icon
from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.plain_text import plain_tooltip


class WorstList(QListWidget):
    """One entry for each of the worst elements; Ctrl+C copies all of them.

    Signals:
        cell_sought: Row and column of the element that the user chose.
    """

    cell_sought = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._matrices: Matrices | None = None
        self.setWordWrap(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(
            self.tr("Elements with the largest errors relative to the tolerance")
        )
        self.setToolTip(self.tr("Press Ctrl+C to copy the list with all digits"))
        self.currentRowChanged.connect(self._on_row_changed)
        self.itemClicked.connect(self._on_item_clicked)
        self.set_theme(theme)

    def show_matrices(self, matrices: Matrices | None) -> None:
        """List the worst elements of other matrices."""
        self._matrices = matrices
        self.blockSignals(True)
        self.clear()
        if matrices is not None:
            for bad in matrices.worst_elements:
                item = QListWidgetItem(element_words.bad_line(matrices, bad))
                item.setToolTip(plain_tooltip(item.text()))
                self.addItem(item)
        self.blockSignals(False)
        self._show_signs()

    def mark(self, cell: tuple[int, int] | None) -> None:
        """Select the entry of an element, or none."""
        found = self._matrices.worst_elements if self._matrices is not None else ()
        row = next((at for at, bad in enumerate(found) if (bad.row, bad.column) == cell), -1)
        self.blockSignals(True)
        self.setCurrentRow(row)
        self.blockSignals(False)

    def copy(self) -> None:
        """Copy the list as a tab-separated table."""
        if self._matrices is not None:
            QGuiApplication.clipboard().setText(element_words.bad_table(self._matrices))

    def set_theme(self, theme: Theme) -> None:
        """Repaint in another theme."""
        self._theme = theme
        self.setFont(theme.font(SMALL_PIXELS))
        self._show_signs()

    def _show_signs(self) -> None:
        found = self._matrices.worst_elements if self._matrices is not None else ()
        for row, bad in enumerate(found):
            sign = icon("check", self._theme, "ok")
            if bad.excess > 1:
                sign = icon("error", self._theme, "error")
            self.item(row).setIcon(sign)

    def _seek(self, row: int) -> None:
        if self._matrices is not None and 0 <= row < len(self._matrices.worst_elements):
            bad = self._matrices.worst_elements[row]
            self.cell_sought.emit((bad.row, bad.column))

    @Slot(int)
    def _on_row_changed(self, row: int) -> None:
        self._seek(row)

    @Slot(QListWidgetItem)
    def _on_item_clicked(self, item: QListWidgetItem) -> None:
        self._seek(self.row(item))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy on Ctrl+C, go to the element on Enter, else behave like any list."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._seek(self.currentRow())
        else:
            super().keyPressEvent(event)
