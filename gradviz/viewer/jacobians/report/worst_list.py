"""The list of the worst elements of a pair."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QWidget

from gradviz.document.document import Document, Field, Row
from gradviz.viewer.commands.context_menu import copy_text
from gradviz.viewer.jacobians.pair_matrices import PairMatrices
from gradviz.viewer.jacobians.report import element_text
from gradviz.viewer.rows.rows_view import RowsView
from gradviz.viewer.theme.theme import Theme

Cell = tuple[int, int]
"""Row and column of an element."""


class WorstList(RowsView):
    """One entry for each of the worst elements; Ctrl+C copies all of them.

    Signals:
        cell_requested: Row and column of the element that the user chose.
    """

    cell_requested = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, wraps=True, parent=parent)
        self._matrices: PairMatrices | None = None
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(
            self.tr("Elements with the largest errors relative to the tolerance")
        )
        self.setToolTip(self.tr("Press Ctrl+C to copy the list with all digits"))
        self.current_changed.connect(self._request_element)
        # A click on the current row changes no row, but must still go to the element.
        self.chosen.connect(self._request_element)

    def show_matrices(self, matrices: PairMatrices | None) -> None:
        """List the worst elements of other matrices."""
        self._matrices = matrices
        worst = () if matrices is None else matrices.worst_elements
        lines = [element_text.bad_line(matrices, bad) for bad in worst if matrices is not None]
        icons = ["error" if bad.excess > 1 else "check" for bad in worst]
        rows = {
            (bad.row, bad.column): Row(fields=(Field(text=line, icon=name),))
            for bad, line, name in zip(worst, lines, icons, strict=True)
        }
        with QSignalBlocker(self):
            self.go_to(None)
        self.show_document(Document(keys=tuple(rows), row=lambda key: rows[cast("Cell", key)]))

    def mark(self, cell: Cell | None) -> None:
        """Select the entry of an element, or none."""
        # The mark follows the cursor, so it must not request to move it.
        with QSignalBlocker(self):
            self.go_to(cell)

    def copy_row(self) -> None:
        """Copy the list as a tab-separated table."""
        if self._matrices is not None:
            copy_text(element_text.bad_table(self._matrices))

    @Slot(object)
    def _request_element(self, cell: Cell | None) -> None:
        if cell is not None:
            self.cell_requested.emit(cell)
