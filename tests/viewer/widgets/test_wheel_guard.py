"""A field under the mouse ignores the wheel until it has the focus."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QSpinBox, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gradviz.viewer.widgets.wheel_guard import WheelGuard


def turn(field: QSpinBox) -> bool:
    """Turn the wheel over a field; whether the field accepted it."""
    event = QWheelEvent(
        QPointF(5, 5),
        QPointF(5, 5),
        QPoint(),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(field, event)
    return event.isAccepted()


def test_only_a_field_in_use_takes_the_wheel(qtbot: QtBot) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    field, other = QSpinBox(), QSpinBox()
    layout = QVBoxLayout(page)
    layout.addWidget(field)
    layout.addWidget(other)
    WheelGuard(field)
    with qtbot.waitActive(page):
        page.show()
        page.activateWindow()
    other.setFocus()
    turn(field)
    assert field.value() == 0
    assert not field.hasFocus()
    field.setFocus()
    turn(field)
    assert field.value() == 1
