"""A step repaints a part of the graph, and that part looks as in a full repaint."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect
from PySide6.QtGui import QImage, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget

from tests.viewer.canvas.conftest import GraphDriver


class _Areas(QObject):
    """Collects the areas of a widget that are repainted."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        self.areas: list[QRect] = []
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if isinstance(event, QPaintEvent):
            self.areas.append(event.region().boundingRect())
        return False


def test_a_step_repaints_only_what_it_changes(driver: GraphDriver) -> None:
    viewport = driver.panel.view.viewport()
    driver.state.go_to(driver.state.count // 2)
    QApplication.processEvents()
    painted = _Areas(viewport)
    driver.state.next_step()
    QApplication.processEvents()
    whole = viewport.width() * viewport.height()
    assert 0 < sum(area.width() * area.height() for area in painted.areas) < whole / 2


def test_the_screen_shows_after_each_step_what_a_full_repaint_shows(driver: GraphDriver) -> None:
    viewport = driver.panel.view.viewport()
    for number in range(1, driver.state.count + 1):
        driver.state.go_to(number)
        QApplication.processEvents()
        seen = _on_screen(viewport)
        viewport.update()
        QApplication.processEvents()
        assert seen == _on_screen(viewport), f"step {number}"


def _on_screen(widget: QWidget) -> QImage:
    window = widget.window()
    shot = window.screen().grabWindow(window.winId()).toImage()
    assert not shot.isNull()
    return shot
