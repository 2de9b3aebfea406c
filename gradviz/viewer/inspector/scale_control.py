"""A check box that makes compared tensors share a color scale, and that scale."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from gradviz.document.facts.fact_rows import ScaleRow
from gradviz.viewer.theme.theme import SMALL_PIXELS, Theme
from gradviz.viewer.theme.theme_update import set_theme_font
from gradviz.viewer.widgets.column_layout import ColumnLayoutWidget, flow
from gradviz.viewer.widgets.scale_bar import ScaleBar

_GAP = 3


class ScaleControl(ColumnLayoutWidget):
    """A check box, and the color scale while it is checked.

    Signals:
        toggled: Whether one shared scale is requested.
    """

    toggled = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.box = QCheckBox(self.tr("same scale"), self)
        self.bar = ScaleBar(theme, self)
        self.box.clicked.connect(self.toggled)
        self.box.show()
        set_theme_font(self.box, theme, SMALL_PIXELS)
        self.update_theme()

    def show_row(self, row: ScaleRow, limit: float, *, same: bool) -> None:
        """Show another scale.

        Args:
            row: The scale and the names of the compared values.
            limit: End of the shared scale.
            same: Whether the scale is shared.
        """
        names = ", ".join(row.names)
        self.box.setChecked(same)
        self.box.setToolTip(
            self.tr("Use one color scale for all of these, up to the largest value (Space)")
        )
        self.box.setAccessibleName(self.tr("Same color scale for {names}").format(names=names))
        self.bar.set_limit(limit)
        self.bar.setVisible(same)
        self.refresh()

    def place(self, width: int, *, move: bool) -> int:
        """Lay out the check box and the scale below it; return the height."""
        y = flow((self.box,), width, 0, move=move)
        return flow((self.bar,), width, 0, move=move, top=y + _GAP)
