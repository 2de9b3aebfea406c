"""Enlarged view of one value: left, right and their difference on a shared color scale."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QWidget

from gradviz.viewer.beside.rows import PairRow, Shown
from gradviz.viewer.look.theme import Theme
from gradviz.viewer.tensor_view.tensor_view import TensorView


class PairView(QScrollArea):
    """Three tensors side by side; the difference is hidden if it is zero or undefined."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ground = QWidget()
        self._ground.setBackgroundRole(QPalette.ColorRole.Base)
        self.views = tuple([TensorView(theme) for _ in range(3)])
        row = QHBoxLayout(self._ground)
        row.setContentsMargins(8, 4, 8, 4)
        row.setSpacing(16)
        for view in self.views:
            row.addWidget(view, 1, Qt.AlignmentFlag.AlignTop)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setWidget(self._ground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setBackgroundRole(QPalette.ColorRole.Base)
        self.setAccessibleName(self.tr("Selected value in both runs"))

    def show_pair(self, pair: PairRow | None) -> None:
        """Show a value; None clears the view."""
        self._ground.setVisible(pair is not None)
        if pair is None:
            return
        left, right, apart = self.views
        _show(left, self.tr("{0}, left").format(pair.name), pair.left, pair.limit)
        _show(right, self.tr("{0}, right").format(pair.name), pair.right, pair.limit)
        apart.setVisible(pair.apart is not None)
        if pair.apart is not None:
            _show(apart, self.tr("right − left"), pair.apart, pair.limit)

    def set_theme(self, theme: Theme) -> None:
        """Apply another theme."""
        for view in self.views:
            view.set_theme(theme)


def _show(view: TensorView, name: str, shown: Shown, limit: float) -> None:
    if shown.record is None:
        view.show_none(name, shown.text)
    else:
        view.show_tensor(name, shown.record, shown.value, limit=limit)
    # These buttons act on tensors of the window's own run.
    view.buttons.hide()
