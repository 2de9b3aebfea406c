import threading
import time

import pytest
import shiboken6
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gradviz.viewer.background import Background, BackgroundJob


@pytest.fixture
def background(qtbot: QtBot):
    door = Background()
    yield door
    door.close()
    door.deleteLater()


def test_result_comes_back_in_the_gui_thread(background: Background, qtbot: QtBot) -> None:
    seen = []
    with qtbot.waitSignal(background.idle):
        background.start(
            lambda _: threading.get_ident(), lambda r: seen.append((r, threading.get_ident()))
        )
    worker, receiver = seen[0]
    assert receiver == threading.get_ident() != worker


def test_later_job_of_a_lane_drops_the_earlier_result(background: Background, qtbot: QtBot) -> None:
    gate = threading.Event()
    seen: list[str] = []

    def wait(_: BackgroundJob) -> str:
        gate.wait(10)
        return "stale"

    first = background.start(wait, seen.append, lane="layout")
    with qtbot.waitSignal(background.idle):
        background.start(lambda _: "fresh", seen.append, lane="layout")
        gate.set()
    assert first.cancelled()
    assert seen == ["fresh"]


def test_a_job_waits_while_the_result_of_another_is_shown(
    background: Background, qtbot: QtBot
) -> None:
    checks: list[bool] = []
    meanwhile: list[int] = []

    def compute(job: BackgroundJob) -> None:
        while not job.cancelled():
            checks.append(True)
            time.sleep(0.001)

    def show(_: object) -> None:
        before = len(checks)
        time.sleep(0.05)
        meanwhile.append(len(checks) - before)

    background.start(compute, pytest.fail, lane="compute", computes=True)
    qtbot.waitUntil(lambda: bool(checks))
    background.start(lambda _: None, show)
    qtbot.waitUntil(lambda: bool(meanwhile))
    # It may have been past its check.
    assert meanwhile[0] <= 1
    count = len(checks)
    qtbot.waitUntil(lambda: len(checks) > count)


def test_expected_error_and_progress_arrive(background: Background, qtbot: QtBot) -> None:
    errors: list[Exception] = []
    progress: list[tuple[int, int]] = []

    def fail(job: BackgroundJob) -> None:
        job.report(1, 2)
        raise ValueError("no")

    with qtbot.waitSignal(background.idle):
        background.start(
            fail, pytest.fail, errors.append, lambda *a: progress.append(a), expected=(ValueError,)
        )
    assert [str(error) for error in errors] == ["no"]
    assert progress == [(1, 2)]


def test_bug_in_work_reaches_the_exception_hook(background: Background, qtbot: QtBot) -> None:
    def fail(_: BackgroundJob) -> None:
        raise RuntimeError("a bug")

    with qtbot.captureExceptions() as exceptions:
        background.start(fail, pytest.fail)
        # It is raised right after the signal that everything is done.
        qtbot.waitUntil(lambda: bool(exceptions))
    assert "a bug" in str(exceptions[0][1])


def test_closing_cancels_and_waits(qtbot: QtBot) -> None:
    door = Background()
    ended = threading.Event()
    started = threading.Event()

    def work(job: BackgroundJob) -> None:
        started.set()
        while not job.cancelled():
            pass
        ended.set()

    door.start(work, pytest.fail)
    assert started.wait(10)
    door.close()
    assert ended.is_set()
    door.deleteLater()


def test_jobs_that_compute_take_turns_when_the_window_has_had_its_own(
    background: Background, qtbot: QtBot
) -> None:
    running: list[str] = []
    most: list[int] = []

    def work(_: BackgroundJob) -> None:
        running.append("job")
        most.append(len(running))
        time.sleep(0.01)
        running.pop()

    for _ in range(3):
        background.start(work, lambda _: None, computes=True)
    time.sleep(0.02)
    assert most == []
    with qtbot.waitSignal(background.idle):
        pass
    assert most == [1, 1, 1]


def test_a_job_that_is_cancelled_before_its_turn_never_runs(
    background: Background, qtbot: QtBot
) -> None:
    gate = threading.Event()
    ran: list[str] = []
    background.start(lambda _: gate.wait(10), lambda _: None, computes=True)
    dropped = background.start(lambda _: ran.append("dropped"), pytest.fail, computes=True)
    dropped.cancel()
    with qtbot.waitSignal(background.idle):
        background.start(lambda _: ran.append("last"), lambda _: None, computes=True)
        gate.set()
    assert ran == ["last"]


def test_a_turn_that_comes_when_all_is_gone_is_nobodys(qtbot: QtBot) -> None:
    door = Background()
    ran: list[str] = []
    door.start(lambda _: ran.append("late"), pytest.fail, computes=True)
    door.close()
    shiboken6.delete(door)
    with qtbot.captureExceptions() as found:
        qtbot.wait(20)
    assert (found, ran) == ([], [])


def test_closing_forgets_what_has_not_begun(qtbot: QtBot) -> None:
    door = Background()
    ran: list[str] = []
    door.start(lambda _: ran.append("late"), pytest.fail, computes=True)
    door.close()
    qtbot.wait(20)
    assert ran == []
    door.deleteLater()


def test_computation_starts_after_the_window_is_painted(
    background: Background, qtbot: QtBot
) -> None:
    started = threading.Event()
    seen: list[bool] = []
    paint = {"paintEvent": lambda _self, _event: seen.append(started.wait(0.2))}
    widget = type("Painted", (QWidget,), paint)()
    qtbot.addWidget(widget)
    with qtbot.waitExposed(widget):
        widget.show()
    qtbot.waitUntil(lambda: bool(seen))
    seen.clear()
    with qtbot.waitSignal(background.idle):
        widget.update()
        background.start(lambda _: started.set(), lambda _: None, computes=True)
    assert seen == [False]
