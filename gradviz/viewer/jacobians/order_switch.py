"""A small switch between checking a function and checking its backward."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Signal, Slot
from PySide6.QtWidgets import QToolButton, QWidget

from gradviz.viewer.look.theme import Theme
from gradviz.viewer.widgets.segment_switch import SegmentSwitch

ORDERS = (1, 2)
_SIDE = 7


def _tr(text: str) -> str:
    return QCoreApplication.translate("OrderSwitch", text)


class OrderSwitch(SegmentSwitch):
    """gradcheck or gradgradcheck.

    Signals:
        order_changed: 1 or 2, by whoever clicks or presses a key.
    """

    order_changed = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        first = _tr("First order: is the gradient right that backward returns?")
        second = _tr("Second order: can backward itself be differentiated, and rightly so?")
        segments = (("gradcheck", first), ("gradgradcheck", second))
        super().__init__(theme, _tr("What is checked"), segments, _SIDE, parent)
        self.segment_chosen.connect(self._on_segment_chosen)

    @property
    def order(self) -> int:
        """Which one is chosen."""
        return ORDERS[self.place]

    def button(self, order: int) -> QToolButton:
        """The button of an order."""
        return self.segment(ORDERS.index(order))

    def choose(self, order: int) -> None:
        """Chooses an order, without a signal."""
        self.button(order).setChecked(True)

    @Slot(object)
    def _on_segment_chosen(self, place: int) -> None:
        self.order_changed.emit(ORDERS[place])
