"""Every internal error is reported, and only once."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QPaintEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from gradviz.viewer.background import Background
from gradviz.viewer.faults.crash_report import ActionLog
from gradviz.viewer.faults.exception_hook import ExceptionHook


class OurError(Exception):
    """A bug."""


class Button(QObject):
    pressed = Signal()

    @Slot()
    def fail(self) -> None:
        raise OurError("in a slot")


def _fail_to_paint(widget: QWidget, event: QPaintEvent) -> None:
    raise OurError("in a paint event")


Painted = type("Painted", (QWidget,), {"paintEvent": _fail_to_paint})


@pytest.fixture
def hook(qtbot: QtBot) -> Iterator[ExceptionHook]:
    # pytest-qt takes over the hook, too: for this test it is ours.
    with capture_exceptions():
        hook = ExceptionHook()
        hook.facts = lambda: "gradviz 9"
        hook.install()
        yield hook
        hook.remove()
    if hook.dialog is not None:
        hook.dialog.reject()


def report_of(qtbot: QtBot, hook: ExceptionHook) -> str:
    qtbot.waitUntil(lambda: hook.dialog is not None)
    assert hook.dialog is not None
    return hook.dialog.report.toPlainText()


def in_a_slot(keep: list[object]) -> None:
    button = Button()
    keep.append(button)
    button.pressed.connect(button.fail)
    button.pressed.emit()


def in_a_timer(keep: list[object]) -> None:
    def fail() -> None:
        raise OurError("in a timer")

    QTimer.singleShot(0, fail)


def in_a_paint_event(keep: list[object]) -> None:
    widget = Painted()
    keep.append(widget)
    widget.show()


def in_a_background_job(keep: list[object]) -> None:
    def work(_: object) -> None:
        raise OurError("in a background job")

    background = Background()
    keep.append(background)
    background.start(work, lambda _: None)


def in_a_thread(keep: list[object]) -> None:
    def fail() -> None:
        raise OurError("in a thread")

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()


def in_a_finalizer(keep: list[object]) -> None:
    class Doomed:
        def __del__(self) -> None:
            raise OurError("in a finalizer")

    Doomed()
    gc.collect()


PLACES = (in_a_slot, in_a_timer, in_a_paint_event, in_a_background_job, in_a_thread, in_a_finalizer)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_an_error_anywhere_is_reported(
    qtbot: QtBot,
    hook: ExceptionHook,
    capsys: pytest.CaptureFixture[str],
    place: Callable[[list[object]], None],
) -> None:
    keep: list[object] = []
    place(keep)
    message = f"OurError: {place.__name__.replace('_', ' ')}"
    report = report_of(qtbot, hook)
    assert message in report
    assert "Traceback" in report
    assert report.endswith("gradviz 9")
    assert message in capsys.readouterr().err
    for each in keep:
        if isinstance(each, QWidget):
            each.close()
        if isinstance(each, Background):
            each.close()


def test_the_same_error_opens_one_dialog_for_good(
    qtbot: QtBot, hook: ExceptionHook, capsys: pytest.CaptureFixture[str]
) -> None:
    widget = Painted()
    qtbot.addWidget(widget)
    widget.show()
    report_of(qtbot, hook)
    first = hook.dialog
    for _ in range(5):
        widget.update()
        QApplication.processEvents()
    assert hook.dialog is first
    assert capsys.readouterr().err.count("Traceback") == 1
    assert first is not None
    first.reject()
    widget.update()
    qtbot.wait(50)
    assert hook.dialog is None
    widget.close()


def test_another_error_meanwhile_joins_the_open_dialog(
    qtbot: QtBot, hook: ExceptionHook, capsys: pytest.CaptureFixture[str]
) -> None:
    keep: list[object] = []
    in_a_slot(keep)
    report_of(qtbot, hook)
    in_a_thread(keep)
    qtbot.waitUntil(lambda: "in a thread" in report_of(qtbot, hook))
    assert "in a slot" in report_of(qtbot, hook)


def test_the_report_is_copied_whole(
    qtbot: QtBot, hook: ExceptionHook, capsys: pytest.CaptureFixture[str]
) -> None:
    in_a_slot([])
    report = report_of(qtbot, hook)
    assert hook.dialog is not None
    hook.dialog.copy.click()
    assert QApplication.clipboard().text() == report


def test_no_report_names_the_home_folder(
    qtbot: QtBot,
    hook: ExceptionHook,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path(__file__).parents[3])
    in_a_slot([])
    report = report_of(qtbot, hook)
    assert str(Path(__file__).parents[3]) not in report
    assert "~/tests/viewer/faults/test_exception_hook.py" in report


def test_an_interrupt_is_no_error(qtbot: QtBot, hook: ExceptionHook) -> None:
    sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)
    qtbot.wait(50)
    assert hook.dialog is None


def test_the_log_has_the_last_commands_in_order(qtbot: QtBot) -> None:
    log = ActionLog()
    actions = [QAction("&Next Step"), QAction("&Open…")]
    log.listen(actions)
    for _ in range(30):
        actions[0].trigger()
    actions[1].trigger()
    lines = log.text().splitlines()
    assert len(lines) == 20
    assert lines[-1].endswith("s ago  Open")
    assert lines[0].endswith("s ago  Next Step")
