"""The real window with real child processes, offscreen or on a virtual display."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gradviz.host.limits import Limits
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.window_controller import WindowController, make_application


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A window costs more than a second: what is not marked as quick is left to the sweeps."""
    for item in items:
        if item.path.parent == Path(__file__).parent and not item.get_closest_marker("quick"):
            item.add_marker(pytest.mark.sweep)


@pytest.fixture(autouse=True)
def workers(warm_workers: None, known_layouts: None, heap_stays_frozen: None) -> None:
    """Workers are forked: a window starts a spare for each of its jobs."""


class WindowDriver:
    """Drives a real window: its parts, and waiting until it is idle."""

    def __init__(self, controller: WindowController, qtbot: QtBot) -> None:
        self.controller, self.qtbot = controller, qtbot
        self.window, self.state, self.session = (
            controller.window,
            controller.state,
            controller.session,
        )

    def at_rest(self) -> bool:
        idle = self.session.activity == "idle" and not self.controller.background.busy
        return idle and self.window.parts[GraphPanel].is_settled

    def begins(self) -> AbstractContextManager[object]:
        """Wait for a run that begins inside, even if it ends before anyone could look."""
        changed = self.session.activity_changed
        return self.qtbot.waitSignal(changed, check_params_cb=lambda each: each == "running")

    def wait(self) -> None:
        self.qtbot.waitUntil(self.at_rest)

    def node_place(self, node: int) -> QPoint:
        """Where a node is in the viewport of the graph."""
        graph = self.window.parts[GraphPanel]
        box = graph.stage.box_of(node)
        assert box is not None
        return graph.view.card_rect(box).center().toPoint()

    def pin(self, *names: str) -> None:
        """Dock side panels, or undock them."""
        for name in names:
            self.window.sides.title(name).pin.click()

    def drag_separator(self, name: str, way: QPoint) -> None:
        """With the mouse: the one above a dock, or that on its left for a way to the side."""
        window, place = self.window, self.window.docks[name].geometry()
        start = QPoint(place.center().x(), place.y() - 2)
        if way.x():
            start = QPoint(place.x() - 2, place.center().y())
        QTest.mouseMove(window, start)
        QTest.mousePress(window, Qt.MouseButton.LeftButton, pos=start)
        for part in (50, 100):
            QTest.mouseMove(window, start + way * part / 100)
            # Qt moves separators by a timer.
            QTest.qWait(1)
        QTest.mouseRelease(window, Qt.MouseButton.LeftButton, pos=start + way)
        QCoreApplication.processEvents()

    def start(self) -> None:
        self.window.start([])
        self.wait()


@pytest.fixture
def time_limit_s() -> float:
    """Time limit of a run, which a busy machine needs; a test can parametrize it."""
    return 60.0


@pytest.fixture
def driver(qapp: object, qtbot: QtBot, time_limit_s: float) -> Iterator[WindowDriver]:
    app = make_application([])
    Preferences().hint_seen = True
    controller = WindowController(app, "light", Limits(time_s=time_limit_s, memory_bytes=4 << 30))
    controller.window.resize(1280, 800)
    with qtbot.waitExposed(controller.window):
        controller.window.show()
    yield WindowDriver(controller, qtbot)
    controller.close()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
