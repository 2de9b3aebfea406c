"""A switch between gradcheck and gradgradcheck."""

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
    """Selects gradcheck or gradgradcheck.

    Signals:
        order_changed: 1 or 2, chosen by mouse or keyboard.
    """

    order_changed = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        first = _tr("First order: does backward return the correct gradient?")
        second = _tr("Second order: can backward be differentiated, and is the result correct?")
        segments = (("gradcheck", first), ("gradgradcheck", second))
        super().__init__(theme, _tr("Order of the check"), segments, _SIDE, parent)
        self.segment_chosen.connect(self._on_segment_chosen)

    @property
    def order(self) -> int:
        """Selected order, 1 or 2."""
        return ORDERS[self.place]

    def button(self, order: int) -> QToolButton:
        """Button of an order."""
        return self.segment(ORDERS.index(order))

    def choose(self, order: int) -> None:
        """Select an order without emitting a signal."""
        self.button(order).setChecked(True)

    @Slot(object)
    def _on_segment_chosen(self, place: int) -> None:
        self.order_changed.emit(ORDERS[place])
