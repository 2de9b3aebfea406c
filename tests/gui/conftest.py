"""The real window with real child processes, offscreen or on a virtual display."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from pytestqt.qtbot import QtBot

from gradviz.host.limits import Limits
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.preferences import Preferences
from gradviz.viewer.window_controller import WindowController, make_application

PATIENCE_MS = 60_000


@pytest.fixture(autouse=True)
def workers(warm_workers: None, known_layouts: None) -> None:
    """Workers are forked: a window starts a spare for each of its jobs."""


class Desk:
    """A window in use, with what tests wait for."""

    def __init__(self, place: WindowController, qtbot: QtBot) -> None:
        self.place, self.qtbot = place, qtbot
        self.window, self.state, self.session = place.window, place.state, place.session

    def at_rest(self) -> bool:
        idle = self.session.activity == "idle" and not self.place.background.busy
        return idle and self.window.parts[GraphPanel].is_settled

    def wait(self) -> None:
        self.qtbot.waitUntil(self.at_rest, timeout=PATIENCE_MS)

    def start(self) -> None:
        self.window.start([])
        self.wait()


@pytest.fixture
def time_limit_s() -> float:
    """Of a run; a test parametrizes it to wait less."""
    return 6.0


@pytest.fixture
def desk(qapp: object, qtbot: QtBot, time_limit_s: float) -> Iterator[Desk]:
    app = make_application([])
    Preferences().set_hint_seen(True)
    place = WindowController(app, "light", Limits(time_s=time_limit_s, memory_bytes=4 << 30))
    place.window.resize(1280, 800)
    with qtbot.waitExposed(place.window):
        place.window.show()
    yield Desk(place, qtbot)
    place.close()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
