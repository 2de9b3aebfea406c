"""Table of the values of the current pair of steps, with small images on a shared scale."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from gradviz.viewer.compare.differences_table import DifferencesTable
from gradviz.viewer.compare.value_pairs import PairedValue, SideValue, difference_side
from gradviz.viewer.tensor_view.small.tensor_view import TensorView
from gradviz.viewer.theme.theme import Theme
from gradviz.viewer.widgets.plain_text import plain_tooltip
from gradviz.viewer.widgets.scale_bar import ScaleBar


class ValuePairView(QScrollArea):
    """Three tensors side by side; the difference is hidden if it is zero or undefined."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ground = QWidget()
        self._ground.setBackgroundRole(QPalette.ColorRole.Base)
        self.views = tuple([TensorView(theme) for _ in range(3)])
        self.scale = ScaleBar(theme)
        row = QHBoxLayout()
        row.setSpacing(16)
        for view in self.views:
            row.addWidget(view, 1, Qt.AlignmentFlag.AlignTop)
        column = QVBoxLayout(self._ground)
        column.setContentsMargins(8, 4, 8, 4)
        column.addLayout(row)
        column.addWidget(self.scale)
        column.addStretch(1)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setWidget(self._ground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("Selected value in both runs"))

    def show_pair(self, pair: PairedValue | None) -> None:
        """Show a value; None clears the view."""
        self._ground.setVisible(pair is not None)
        if pair is None:
            return
        left, right, difference_view = self.views
        _show(left, self.tr("{0}, left").format(pair.name), pair.left, pair.limit)
        _show(right, self.tr("{0}, right").format(pair.name), pair.right, pair.limit)
        self.scale.set_limit(pair.limit)
        self.scale.setVisible(pair.left.value is not None or pair.right.value is not None)
        difference = difference_side(pair)
        difference_view.setVisible(difference is not None)
        if difference is not None:
            _show(difference_view, self.tr("right − left"), difference, pair.limit)

    def set_theme(self, theme: Theme) -> None:
        """Apply another theme."""
        for view in self.views:
            view.set_theme(theme)
        self.scale.set_theme(theme)


def _show(view: TensorView, name: str, shown: SideValue, limit: float) -> None:
    if shown.record is None:
        view.show_none(name, shown.text)
    else:
        view.show_tensor(name, shown.record, shown.value, limit=limit)
    # These buttons act on tensors of the window's own run.
    view.buttons.hide()


_LAST = 4


class ValuePairTable(DifferencesTable):
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

    def show_pairs(self, pairs: Sequence[PairedValue]) -> None:
        """Show the values of another pair of steps."""
        self.blockSignals(True)
        self.show_rows(pairs)
        for at, pair in enumerate(pairs):
            item = self.item(at, _LAST)
            if item is not None:
                item.setToolTip(plain_tooltip(pair.comparison))
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
