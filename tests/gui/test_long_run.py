"""A long run in the window: its messages, how it ends, and where the focus stays."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMessageBox

from gradviz.gallery.registry import offer_of, scene
from gradviz.model.check_settings import CheckSettings
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.session.work_status import PATIENCE_MS, WorkStatus
from gradviz.viewer.timeline.panel import TimelinePanel
from gradviz.viewer.window.previous_run_overlay import PreviousRunOverlay
from gradviz.viewer.window.status_bar import WindowStatusBar
from tests.gui.conftest import WindowDriver

SLOW = """
import time
import torch
from pathlib import Path
class Slow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        if not Path(__file__).with_name("quick").exists():
            time.sleep(60)
        return x * 1
    @staticmethod
    def backward(ctx, g):
        return g
EXAMPLES = {"Slow": (torch.ones(3, requires_grad=True),)}
"""


def start_slow_run(driver: WindowDriver, folder: Path) -> None:
    driver.start()
    # For some seconds, the status would say that the file is watched.
    driver.state.preferences.watch_files = False
    path = folder / "slow.py"
    path.write_text(SLOW)
    driver.window.parts[RunController].open_path(path)
    driver.qtbot.waitUntil(lambda: driver.window.parts[PreviousRunOverlay].isVisible())
    assert driver.session.activity == "running"


@pytest.mark.quick
@pytest.mark.real_workers
def test_a_long_run_is_seen_and_can_be_cancelled_from_anywhere(
    driver: WindowDriver, tmp_path: Path
) -> None:
    window, status = driver.window, driver.window.parts[WindowStatusBar]
    start_slow_run(driver, tmp_path)
    timeline = window.parts[TimelinePanel]
    assert status.doing.text().startswith("Running the code")
    assert not timeline.where.isVisible()
    assert window.top.run.text() == "Stop"
    assert "Previous run" in window.parts[PreviousRunOverlay].text
    assert window.parts[PreviousRunOverlay].size() == window.parts[GraphPanel].size()
    height = timeline.height()
    window.library.setFocus()
    driver.qtbot.mouseClick(window.top.run, Qt.MouseButton.LeftButton)
    driver.wait()
    assert window.top.run.text() == "Run"
    assert window.focusWidget() is window.library
    assert not window.parts[PreviousRunOverlay].isVisible()
    assert not status.isVisible()
    assert timeline.where.isVisible()
    assert status.facts.toolTip().endswith("Ready</span>")
    assert timeline.height() == height


def test_stopping_by_key_keeps_the_focus(driver: WindowDriver, tmp_path: Path) -> None:
    run = driver.window.top.run
    start_slow_run(driver, tmp_path)
    run.setFocus()
    driver.qtbot.keyClick(run, Qt.Key.Key_Space)
    driver.wait()
    assert driver.window.focusWidget() is run


def test_closing_the_window_during_a_run_or_check_asks_first(
    driver: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gradviz.viewer.files.close_confirmation.LEAST_S", 0.0)
    window, quick = driver.window, tmp_path / "quick"
    start_slow_run(driver, tmp_path)
    texts: list[str] = []

    def answer(name: str) -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        texts.extend((box.text(), *sorted(each.text() for each in box.buttons())))
        next(each for each in box.buttons() if name in each.text()).click()

    assert not window.close()
    answer("Cancel")
    assert texts == ["The run of Slow is still in progress.", "&Stop and Close", "Cancel"]
    assert driver.session.activity == "running"
    assert window.isVisible()
    quick.touch()
    folder = driver.session.files.new_path().parent
    driver.qtbot.waitUntil(lambda: len(list(folder.glob("*.gradviz"))) == 2)
    window.commands.run.trigger()
    assert window.messages.text == "Stopped the run of Slow and discarded its trace."
    driver.wait()
    assert not window.messages.text
    shown = {driver.session.trace_path, driver.session.before.path}
    driver.qtbot.waitUntil(lambda: set(folder.glob("*.gradviz")) == shown)
    quick.unlink()
    driver.session.check(CheckSettings())
    texts.clear()
    assert not window.close()
    answer("Cancel")
    assert texts[0] == "The check of Slow is still in progress."
    window.start([tmp_path / "slow.py"])
    driver.qtbot.waitUntil(lambda: driver.session.running is not None)
    assert window.messages.text == "Stopped the check of Slow."
    assert not window.close()
    answer("Stop")
    assert not window.isVisible()
    assert driver.session.running is None


def test_a_short_run_changes_nothing_in_the_status(driver: WindowDriver) -> None:
    driver.start()
    driver.qtbot.waitUntil(lambda: driver.session.ready is not None)
    heard: list[object] = []
    driver.window.parts[WorkStatus].changed.connect(heard.append)
    driver.qtbot.wait(1500)  # until the next child is warm
    began = time.monotonic()
    driver.window.parts[RunController].run_offer(offer_of(scene("exp")))
    driver.wait()
    took = time.monotonic() - began
    assert not driver.window.parts[WindowStatusBar].isVisible()
    assert not heard or took > PATIENCE_MS / 1000
