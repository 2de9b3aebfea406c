"""Running work is reported after half a second, and not before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from gradviz.protocol.messages import Ready, WorkProgress
from gradviz.viewer.session.session import Session
from gradviz.viewer.session.work_status import PATIENCE_MS, CurrentWork, WorkStatus
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT
from tests.viewer.traces import linear_reader

SHORT = PATIENCE_MS * 2 // 5


class FakeSession(QObject):
    """The part of a session that `WorkStatus` uses."""

    activity_changed = Signal(str)
    progressed = Signal(object)
    ready_changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.activity = "idle"
        self.ready: Ready | None = Ready(torch="2.9")
        self.shows_shipped = False

    def do(self, activity: str) -> None:
        self.activity = activity
        self.activity_changed.emit(activity)


class Scene:
    def __init__(self) -> None:
        self.state = ViewerState(LIGHT)
        self.session = FakeSession()
        # It is typed for the real one, of which it uses no more than this.
        make: Callable[[ViewerState, Session], WorkStatus] = WorkStatus
        self.work = make(self.state, self.session)  # type: ignore[arg-type]
        self.heard: list[CurrentWork | None] = []
        self.work.changed.connect(self.heard.append)


@pytest.fixture
def scene(qtbot: QtBot) -> Iterator[Scene]:
    made = Scene()
    yield made
    made.work.show_layout(False)
    made.session.do("idle")


def wait_shortly(qtbot: QtBot) -> None:
    began = monotonic()
    qtbot.wait(SHORT)
    if (monotonic() - began) * 1000 > PATIENCE_MS / 2:
        pytest.skip("the machine is too busy to wait for a short time")


def wait_for_telling(qtbot: QtBot, scene: Scene) -> CurrentWork:
    qtbot.waitUntil(lambda: scene.work.doing is not None)
    assert scene.work.doing is not None
    return scene.work.doing


def test_what_is_short_never_flashes(qtbot: QtBot, scene: Scene) -> None:
    for activity in ("running", "describing", "checking"):
        scene.session.do(activity)
        wait_shortly(qtbot)
        scene.session.do("idle")
    scene.work.show_layout(True)
    wait_shortly(qtbot)
    scene.work.show_layout(False)
    qtbot.wait(2 * PATIENCE_MS)
    assert scene.heard == []


def test_what_follows_at_once_counts_as_one(qtbot: QtBot, scene: Scene) -> None:
    scene.session.do("running")
    wait_shortly(qtbot)
    scene.session.do("opening")
    wait_shortly(qtbot)
    assert scene.heard == []
    assert wait_for_telling(qtbot, scene).text == "Opening the trace"
    scene.work.show_layout(True)
    scene.session.do("idle")
    doing = scene.work.doing
    assert doing is not None
    assert doing.text == "Laying out the graph"
    assert not doing.cancellable
    scene.work.show_layout(False)
    assert scene.heard[-1] is None


def test_progress_is_reported_in_numbers(qtbot: QtBot, scene: Scene) -> None:
    scene.session.do("running")
    assert wait_for_telling(qtbot, scene) == CurrentWork(text="Running the code")
    for done, text in ((1, "backward pass 1"), (12_345, "backward pass 12,345")):
        scene.session.progressed.emit(WorkProgress(activity="run", done=done, total=0))
        assert scene.work.doing == CurrentWork(text=f"Running the code: {text}", done=done)
    scene.session.do("idle")
    scene.session.do("checking")
    wait_for_telling(qtbot, scene)
    scene.session.progressed.emit(WorkProgress(activity="check", done=5, total=36))
    text = "Computing Jacobians: 5 of 36 evaluations"
    assert scene.work.doing == CurrentWork(text=text, done=5, total=36)
    scene.session.progressed.emit(WorkProgress(activity="check", done=40, total=0))
    text = "Jacobians are computed. Diagnosis: 40 evaluations so far"
    assert scene.work.doing == CurrentWork(text=text, done=40)
    scene.session.do("idle")


def test_the_time_is_reported(qtbot: QtBot, scene: Scene) -> None:
    scene.session.do("running")
    qtbot.waitUntil(lambda: any(each and each.seconds for each in scene.heard))
    scene.session.do("idle")


def test_a_run_replaces_what_is_shown_and_a_check_does_not(qtbot: QtBot, scene: Scene) -> None:
    scene.session.do("running")
    assert not wait_for_telling(qtbot, scene).replaces
    scene.session.do("idle")
    scene.state.show(linear_reader())
    for activity, replaces in (("running", True), ("checking", False), ("describing", False)):
        scene.session.do(activity)
        assert wait_for_telling(qtbot, scene).replaces is replaces
        scene.session.do("idle")


def test_before_torch_is_there_it_says_so(qtbot: QtBot, scene: Scene) -> None:
    scene.session.ready = None
    scene.session.do("running")
    assert wait_for_telling(qtbot, scene).text.startswith("Importing PyTorch before")
    scene.session.ready = Ready(torch="2.9")
    scene.session.ready_changed.emit(scene.session.ready)
    assert scene.work.doing is not None
    assert scene.work.doing.text == "Running the code"
    scene.session.do("idle")
