"""One value in both runs and its difference, side by side on one color scale."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from gradviz.viewer.compare.value_pairs import PairedValue, SideValue, difference_side
from gradviz.viewer.tensor_view.small.tensor_view import TensorView
from gradviz.viewer.theme.theme import Theme
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
