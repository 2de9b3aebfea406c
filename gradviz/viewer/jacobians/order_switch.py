"""A small switch between checking a function and checking its backward."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QWidget

from gradviz.viewer.look.theme import SMALL_PIXELS, Theme
from gradviz.viewer.widgets.plain_text import plain_tooltip
from gradviz.viewer.widgets.segments import segment_style

ORDERS = (1, 2)


class OrderSwitch(QWidget):
    """gradcheck or gradgradcheck.

    Signals:
        order_changed: 1 or 2, by whoever clicks or presses a key.
    """

    order_changed = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._buttons: list[QToolButton] = []
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        texts = (
            ("gradcheck", self.tr("First order: is the gradient right that backward returns?")),
            (
                "gradgradcheck",
                self.tr("Second order: can backward itself be differentiated, and rightly so?"),
            ),
        )
        for order, (text, tip) in zip(ORDERS, texts, strict=True):
            button = QToolButton(self)
            button.setText(text)
            button.setCheckable(True)
            button.setToolTip(plain_tooltip(tip))
            button.setAccessibleName(text)
            self._group.addButton(button, order)
            self._buttons.append(button)
            row.addWidget(button)
        self._buttons[0].setChecked(True)
        self._group.idClicked.connect(self._on_group_id_clicked)
        self.setAccessibleName(self.tr("What is checked"))
        self.set_theme(theme)

    @property
    def order(self) -> int:
        """Which one is chosen."""
        return self._group.checkedId()

    def button(self, order: int) -> QToolButton:
        """The button of an order."""
        return self._buttons[ORDERS.index(order)]

    def choose(self, order: int) -> None:
        """Chooses an order, without a signal."""
        self.button(order).setChecked(True)

    def set_theme(self, theme: Theme) -> None:
        """Paints with another theme from now on."""
        for button in self._buttons:
            button.setFont(theme.font(SMALL_PIXELS))
        self.setStyleSheet(segment_style(theme, 7))

    @Slot(int)
    def _on_group_id_clicked(self, order: int) -> None:
        self.order_changed.emit(order)
