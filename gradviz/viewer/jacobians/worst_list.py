"""The elements that are furthest outside the tolerance, to go to and to copy."""

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
    """One entry for each; Ctrl+C copies all of them.

    Signals:
        cell_sought: Row and column of the element that was chosen.
    """

    cell_sought = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._matrices: Matrices | None = None
        self.setWordWrap(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Elements furthest from the tolerance"))
        self.setToolTip(self.tr("Ctrl+C copies the list with all digits"))
        self.currentRowChanged.connect(self._on_row_changed)
        self.itemClicked.connect(self._on_item_clicked)
        self.set_theme(theme)

    def show_matrices(self, matrices: Matrices | None) -> None:
        """Lists those of other matrices."""
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
        """Makes the entry of an element the current one, if there is one."""
        found = self._matrices.worst_elements if self._matrices is not None else ()
        row = next((at for at, bad in enumerate(found) if (bad.row, bad.column) == cell), -1)
        self.blockSignals(True)
        self.setCurrentRow(row)
        self.blockSignals(False)

    def copy(self) -> None:
        """Copies the list as a table with tabs."""
        if self._matrices is not None:
            QGuiApplication.clipboard().setText(element_words.bad_table(self._matrices))

    def set_theme(self, theme: Theme) -> None:
        """Paints with another theme from now on."""
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
        """Ctrl+C copies, Enter goes to the element; everything else as in every list."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._seek(self.currentRow())
        else:
            super().keyPressEvent(event)
