"""Table of the values of the current pair of steps, with small images on a shared scale."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from gradviz.viewer.beside.rows import PairRow
from gradviz.viewer.changes.rows import Row
from gradviz.viewer.changes.table import DifferencesTable
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.widgets.plain_text import plain_tooltip

_LAST = 4


class PairTable(DifferencesTable):
    """One row per value, with the result of its comparison.

    Signals:
        row_chosen: Index of the row that became the current one, from 0.
    """

    row_chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.setHorizontalHeaderLabels(
            [
                self.tr("Value"),
                self.tr("Left"),
                self.tr("Right"),
                self.tr("Right − left"),
                self.tr("Comparison"),
            ]
        )
        self.currentCellChanged.connect(self._on_current_cell_changed)

    def show_pairs(self, pairs: Sequence[PairRow]) -> None:
        """Show the values of another pair of steps."""
        self.blockSignals(True)
        self.show_rows([_as_row(pair) for pair in pairs])
        for at, pair in enumerate(pairs):
            item = self.item(at, _LAST)
            if item is not None:
                item.setToolTip(plain_tooltip(pair.verdict))
                if not pair.agrees:
                    font = item.font()
                    font.setBold(True)
                    item.setFont(font)
        self.setCurrentCell(0 if pairs else -1, 0)
        self.blockSignals(False)
        self.row_chosen.emit(0 if pairs else -1)

    @Slot(int, int, int, int)
    def _on_current_cell_changed(self, row: int, column: int, was: int, was_column: int) -> None:
        if row != was:
            self.row_chosen.emit(row)


def _as_row(pair: PairRow) -> Row:
    apart = None if pair.apart is None else pair.apart.value
    return Row(
        role=pair.role,
        name=pair.name,
        verdict="equal" if pair.same else "differs",
        old=pair.left.value,
        new=pair.right.value,
        apart=apart,
        old_text=pair.left.text,
        new_text=pair.right.text,
        limit=pair.limit,
        change=pair.verdict,
    )
