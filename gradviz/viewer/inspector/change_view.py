"""A value before and after the engine touched it, with the change named between the two."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QCheckBox, QLabel, QVBoxLayout, QWidget

from gradviz.viewer.flow_layout import FlowLayout
from gradviz.viewer.icons import icon
from gradviz.viewer.inspector.facts import ChangeRow
from gradviz.viewer.pill import Pill, Tag
from gradviz.viewer.tensor_view.tensor_view import TensorView
from gradviz.viewer.theme import LIGHT, SMALL_PIXELS, Theme


class ChangeView(QWidget):
    """Two tensors, one below the other, on their own or on one colour scale."""

    def __init__(
        self,
        row: ChangeRow,
        before: TensorView,
        after: TensorView,
        theme: Theme,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._before, self._after = before, after
        self._arrow = QLabel()
        self._change = Pill(Tag(row.change, row.tone), theme)
        self._same = QCheckBox(self.tr("same scale"))
        self._same.setFont(LIGHT.font(SMALL_PIXELS))
        self._same.setToolTip(self.tr("Colours both on the scale of the larger one"))
        self._same.setVisible(before.has_cells and after.has_cells)
        line = FlowLayout()
        for part in (self._arrow, self._change, self._same):
            line.addWidget(part)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addWidget(before)
        column.addLayout(line)
        column.addWidget(after)
        self._show_arrow(theme)
        self._same.toggled.connect(self._on_same_toggled)

    @property
    def views(self) -> tuple[TensorView, TensorView]:
        """Before and after."""
        return self._before, self._after

    @property
    def change(self) -> str:
        """What was done, in words."""
        return self._change.text()

    @property
    def same_scale(self) -> QCheckBox:
        """Locks both to one colour scale."""
        return self._same

    def set_theme(self, theme: Theme) -> None:
        """Paints with another theme from now on."""
        self._before.set_theme(theme)
        self._after.set_theme(theme)
        self._change.set_theme(theme)
        self._show_arrow(theme)

    def _show_arrow(self, theme: Theme) -> None:
        self._arrow.setPixmap(icon("down", theme, "warning").pixmap(16, 16))

    @Slot(bool)
    def _on_same_toggled(self, same: bool) -> None:
        limit = max(self._before.own_limit, self._after.own_limit) if same else None
        self._before.set_limit(limit)
        self._after.set_limit(limit)
