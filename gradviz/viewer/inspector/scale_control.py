"""The colour scale of tensors that are compared, and whether they share it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QWidget

from gradviz.viewer.inspector.facts import ScaleRow
from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.column import Column, flow
from gradviz.viewer.widgets.scale_bar import ScaleBar

_GAP = 3


class ScaleControl(Column):
    """A box to tick, and the scale while it is ticked.

    Signals:
        toggled: Whether one scale is wanted.
    """

    toggled = Signal(bool)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._box = QCheckBox(self.tr("same scale"), self)
        self._bar = ScaleBar(theme, self)
        self._box.clicked.connect(self.toggled)
        self._box.show()
        self.set_theme(theme)

    @property
    def box(self) -> QCheckBox:
        """Locks the tensors to one colour scale."""
        return self._box

    @property
    def bar(self) -> ScaleBar:
        """Which colour is which number."""
        return self._bar

    def show_row(self, row: ScaleRow, limit: float, *, same: bool) -> None:
        """Shows another scale.

        Args:
            row: Whose scale it is.
            limit: The end of the scale, while it is shared.
            same: Whether it is shared.
        """
        names = ", ".join(row.names)
        self._box.setChecked(same)
        self._box.setToolTip(
            self.tr("One colour scale for all of these, that of the largest value (Space)")
        )
        self._box.setAccessibleName(self.tr("Same colour scale for {names}").format(names=names))
        self._bar.set_limit(limit)
        self._bar.setVisible(same)
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Paints with another theme from now on."""
        self._box.setFont(theme.font(SMALL_PIXELS))
        self._bar.set_theme(theme)
        self.refresh()

    def place(self, width: int, *, move: bool) -> int:
        """The box, and the scale below it."""
        y = flow((self._box,), width, 0, move=move)
        return flow((self._bar,), width, 0, move=move, top=y + _GAP)
