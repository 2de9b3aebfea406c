"""Closing a window asks about an unsaved run, also when a signal closes it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox

from gradviz.store.reader import open_trace
from gradviz.viewer.files.close_confirmation import CloseConfirmation
from gradviz.viewer.preferences import Preferences
from tests.builders import linear_trace, write_trace
from tests.gui.conftest import WindowDriver

SOURCE = """
import torch

def double(x):
    return 2 * x

EXAMPLES = {double: (torch.ones(2, requires_grad=True),)}
"""
Button = QMessageBox.StandardButton


class Answers:
    """Answers the next question of a window; there must be exactly one.

    Attributes:
        file: Where to save; None to choose no file.
    """

    def __init__(self, driver: WindowDriver) -> None:
        self._unsaved = driver.window.parts[CloseConfirmation]
        self._asker = driver.window.asker
        self.texts: list[str] = []
        self.marks: list[str] = []
        self.file: Path | None = None

    def settle(self, button: Button | None = None, *, is_last: bool = False) -> bool:
        results: list[bool] = []
        self._asker.ask(self._unsaved.settle(), results.append)
        assert self._asker.is_asking == (button is not None)
        if button is not None:
            self._answer(button, is_last)
        if button is Button.Save:
            self._choose()
        assert not self._asker.is_asking
        return results == [True]

    def _answer(self, button: Button, is_last: bool) -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        self.texts.append(box.text())
        default = box.defaultButton().grab().toImage()
        self.marks.append(default.pixelColor(6, default.height() // 2).name())
        if is_last:
            box.checkBox().setChecked(True)
        box.button(button).click()

    def _choose(self) -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, QFileDialog)
        dialog.setOption(QFileDialog.Option.DontConfirmOverwrite)
        if self.file is None:
            dialog.reject()
        else:
            dialog.selectFile(str(self.file))
            dialog.accept()


@pytest.fixture
def short_runs_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradviz.viewer.files.close_confirmation.LEAST_S", 0.0)


def test_a_short_run_is_not_asked_about(
    driver: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine.py").write_text(SOURCE)
    now = [1000.0]
    monkeypatch.setattr("gradviz.viewer.files.close_confirmation.monotonic", lambda: now[0])
    with driver.begins():
        driver.window.start([tmp_path / "mine.py"])
    now[0] += 9.0
    assert Answers(driver).settle()
    driver.wait()
    assert Answers(driver).settle()
    with driver.begins():
        driver.window.commands.run.trigger()
    now[0] += 10.0
    assert not Answers(driver).settle(Button.Cancel)
    driver.wait()
    assert not Answers(driver).settle(Button.Cancel)


@pytest.mark.quick
@pytest.mark.usefixtures("short_runs_count")
def test_an_unsaved_run_of_own_code_is_asked_about(
    driver: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, kept = tmp_path / "mine.py", tmp_path / "kept.gradviz"
    path.write_text(SOURCE)
    driver.start()
    answers, save = Answers(driver), driver.window.commands.save
    assert answers.settle(), "a scene can be run again"
    may_close: list[bool] = []

    def ask(activity: str) -> None:
        if activity == "opening":
            may_close.append(answers.settle(Button.Cancel))

    driver.session.activity_changed.connect(ask)
    driver.window.start([path])
    driver.wait()
    driver.session.activity_changed.disconnect(ask)
    assert may_close == [False], "it has ended, but is not shown yet"
    assert not answers.settle(Button.Cancel, is_last=True)
    assert answers.texts == [
        "The trace of double is still being opened.",
        "The run of double is not saved.",
    ]
    accent = driver.state.theme.color("accent").name()
    assert answers.marks[-1] == accent, "it marks the default button"
    assert driver.window.isVisible()
    assert not answers.settle(Button.Save), "no file was chosen"
    answers.file = tmp_path / "missing" / "kept.gradviz"
    assert not answers.settle(Button.Save)
    words = "kept.gradviz cannot be written: No such file or directory."
    assert driver.window.messages.text.endswith(words)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.gradviz")
        answers.file = tmp_path / "pipe.gradviz"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(answers.file), ""))
        assert not answers.settle(Button.Save)
        words = "pipe.gradviz cannot be written: it is a pipe or device, not a regular file."
        assert driver.window.messages.text.endswith(words)
        driver.window.commands.export_graph.trigger()
        assert not driver.controller.background.busy, "nothing waits for a reader"
    answers.file = kept
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(kept), ""))
    assert answers.settle(Button.Save)
    with open_trace(kept) as reader:
        assert reader.trace().steps
    kept.unlink()
    with driver.qtbot.waitSignal(driver.session.saved):
        save.trigger()
    assert answers.settle(), "it is in a file"
    driver.window.commands.run.trigger()
    with driver.qtbot.waitSignal(driver.session.failed):
        driver.session.save(tmp_path / "missing" / "kept.gradviz")
    assert driver.session.activity != "idle", "the run goes on"
    driver.wait()
    assert answers.settle(Button.Discard)
    assert answers.settle(Button.Discard, is_last=True)
    assert not Preferences().ask_to_save
    assert answers.settle()
    driver.window.start([kept])
    driver.wait()
    Preferences().ask_to_save = True
    assert answers.settle(), "it was opened from a file"


@pytest.mark.usefixtures("short_runs_count")
def test_a_window_closes_once_its_question_is_answered(
    driver: WindowDriver, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(SOURCE)
    driver.window.start([tmp_path / "mine.py"])
    driver.wait()
    for button, is_open in ((Button.Cancel, True), (Button.Discard, False)):
        assert not driver.window.close(), "it waits for the answer"
        assert driver.window.isVisible()
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        with driver.qtbot.waitSignal(driver.window.closed, raising=False, timeout=100) as closed:
            box.button(button).click()
        assert driver.window.isVisible() == is_open
        assert closed.signal_triggered != is_open


WINDOW = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QMessageBox
from gradviz.viewer import app
from gradviz.viewer.files.close_confirmation import CloseConfirmation
from gradviz.viewer.session.session import Session
from gradviz.viewer.window.main_window import MainWindow
from gradviz.viewer.window.window_content import WindowContent

def ask(self):
    box = QMessageBox(self._window)
    QTimer.singleShot(0, box, lambda: print("asked", flush=True))
    yield box
    return False

def started(self, *arguments):
    start(self, *arguments)
    QTimer.singleShot(0, self, lambda: print("ready", flush=True))

start, MainWindow.start = MainWindow.start, started
WindowContent.questions = ask
sys.exit(app.run_app([Path(sys.argv[1])]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
def test_a_signal_asks_and_a_second_one_does_not_wait_for_an_answer(tmp_path: Path) -> None:
    trace = write_trace(tmp_path / "linear.gradviz", linear_trace())
    window = subprocess.Popen(
        [sys.executable, "-c", WINDOW, str(trace)],
        stdin=subprocess.DEVNULL,
        env=os.environ | {"TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert window.stdout is not None
    try:
        assert window.stdout.readline() == "ready\n"
        window.send_signal(signal.SIGHUP)
        assert window.stdout.readline() == "asked\n"
        children = psutil.Process(window.pid).children(recursive=True)
        window.send_signal(signal.SIGTERM)
        assert window.wait(20) == 128 + signal.SIGTERM
    finally:
        window.kill()
        window.communicate()
    assert children
    assert psutil.wait_procs(children, 5)[1] == []
    assert list(tmp_path.iterdir()) == [trace], "it removed its temporary files"
