from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gradviz.viewer.presenter import idle_cursor
from gradviz.viewer.presenter.idle_cursor import IdleCursor


@pytest.fixture
def resting(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[IdleCursor]:
    monkeypatch.setattr(idle_cursor, "REST_MS", 30)
    window = QWidget()
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
    made = IdleCursor(window)
    yield made
    made.stop()


def shape() -> Qt.CursorShape | None:
    over = QApplication.overrideCursor()
    return None if over is None else over.shape()


def move(window: QWidget) -> None:
    place, handle = QPointF(5, 5), window.windowHandle()
    event = QMouseEvent(
        QEvent.Type.MouseMove,
        place,
        place,
        Qt.MouseButton.NoButton,
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(handle, event)


def test_it_vanishes_at_rest_and_comes_back_with_the_first_move(
    resting: IdleCursor, qtbot: QtBot
) -> None:
    resting.start()
    assert shape() is None
    qtbot.waitUntil(lambda: resting.hidden)
    assert shape() == Qt.CursorShape.BlankCursor
    window = resting.parent()
    assert isinstance(window, QWidget)
    move(window)
    assert shape() is None
    qtbot.waitUntil(lambda: resting.hidden)


def test_a_dialog_has_its_pointer(resting: IdleCursor, qtbot: QtBot) -> None:
    resting.start()
    qtbot.waitUntil(lambda: resting.hidden)
    QApplication.sendEvent(resting.parent(), QEvent(QEvent.Type.WindowDeactivate))
    assert shape() is None
    qtbot.wait(60)
    assert shape() is None
    QApplication.sendEvent(resting.parent(), QEvent(QEvent.Type.WindowActivate))
    qtbot.waitUntil(lambda: resting.hidden)


def test_the_end_shows_it(resting: IdleCursor, qtbot: QtBot) -> None:
    resting.start()
    qtbot.waitUntil(lambda: resting.hidden)
    resting.stop()
    assert shape() is None
    qtbot.wait(60)
    assert not resting.hidden
