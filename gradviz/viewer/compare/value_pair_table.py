"""Table of the values of the current pair of steps, with small images on a shared scale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from gradviz.viewer.compare.differences_table import DifferencesTable
from gradviz.viewer.compare.value_pairs import PairedValue, SideValue, difference_side
from gradviz.viewer.tensor_view.small.tensor_view import TensorView
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.row_model import Cell
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

    def show_pair(self, pair: PairedValue | None, red: Sequence[bool] = (False, False)) -> None:
        """Show a value, with red or gray counts of NaN and Inf per side; None clears the view."""
        self._ground.setVisible(pair is not None)
        if pair is None:
            return
        left, right, difference_view = self.views
        _show(left, self.tr("{0}, left").format(pair.name), pair.left, pair.limit, red[0])
        _show(right, self.tr("{0}, right").format(pair.name), pair.right, pair.limit, red[1])
        self.scale.set_limit(pair.limit)
        self.scale.setVisible(pair.left.value is not None or pair.right.value is not None)
        difference = difference_side(pair)
        difference_view.setVisible(difference is not None)
        if difference is not None:
            _show(difference_view, self.tr("right − left"), difference, pair.limit, any(red))


def _show(view: TensorView, name: str, shown: SideValue, limit: float, red: bool) -> None:
    if shown.record is None:
        view.show_none(name, shown.text)
    else:
        view.show_tensor(name, shown.record, shown.value, limit=limit, is_harmful=red)
    # These buttons act on tensors of the window's own run.
    view.buttons.hide()


class ValuePairTable(DifferencesTable):
    """One row per value, with the result of its comparison; the first row becomes current."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self.row_model.set_titles(
            (
                self.tr("Value"),
                self.tr("Left"),
                self.tr("Right"),
                self.tr("Right − left"),
                self.tr("Comparison"),
            )
        )

    def show_pairs(self, pairs: Sequence[PairedValue]) -> None:
        """Show the values of another pair of steps."""
        super().show_pairs(pairs)
        if pairs:
            self.go_to(0)
        else:
            self.row_changed.emit(-1)

    def _comparison_cell(self, pair: PairedValue) -> Cell:
        cell = self._cell(pair, pair.comparison)
        if pair.agrees:
            return cell
        font = self._theme.font(SMALL_PIXELS, bold=True)
        return replace(cell, more={**cell.more, Qt.ItemDataRole.FontRole: font})
