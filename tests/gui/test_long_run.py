"""A long run in the window: its messages, how it ends, and where the focus stays."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from gradviz.gallery.registry import offer_of, scene
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.session.work_status import PATIENCE_MS, WorkStatus
from gradviz.viewer.window.previous_run_overlay import PreviousRunOverlay
from gradviz.viewer.window.status_bar import WindowStatusBar
from tests.gui.conftest import PATIENCE_MS as LONG_MS
from tests.gui.conftest import Desk

SLOW = """
import time
import torch
class Slow(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        time.sleep(60)
        return x * 1
    @staticmethod
    def backward(ctx, g):
        return g
EXAMPLES = {"Slow": (torch.ones(3, requires_grad=True),)}
"""


def start_slow_run(desk: Desk, folder: Path) -> None:
    desk.start()
    path = folder / "slow.py"
    path.write_text(SLOW)
    desk.window.parts[RunController].open_path(path)
    desk.qtbot.waitUntil(lambda: desk.window.parts[PreviousRunOverlay].isVisible(), timeout=LONG_MS)
    assert desk.session.activity == "running"


@pytest.mark.real_workers
def test_a_long_run_is_seen_and_can_be_cancelled_from_anywhere(desk: Desk, tmp_path: Path) -> None:
    window, status = desk.window, desk.window.parts[WindowStatusBar]
    start_slow_run(desk, tmp_path)
    assert "Running the code…" in status.doing.text()
    assert status.cancel.isVisible()
    assert "Previous run" in window.parts[PreviousRunOverlay].text
    assert window.parts[PreviousRunOverlay].size() == window.parts[GraphPanel].size()
    height = status.height()
    window.library.setFocus()
    desk.qtbot.mouseClick(status.cancel, Qt.MouseButton.LeftButton)
    desk.wait()
    assert window.focusWidget() is window.library
    assert not window.parts[PreviousRunOverlay].isVisible()
    assert not status.cancel.isVisible()
    assert status.doing.text() == "Ready"
    assert status.height() == height


def test_cancelling_in_the_head_keeps_the_focus_near(desk: Desk, tmp_path: Path) -> None:
    window = desk.window
    start_slow_run(desk, tmp_path)
    window.library.setFocus()
    desk.qtbot.mouseClick(window.top.cancel, Qt.MouseButton.LeftButton)
    desk.wait()
    assert window.focusWidget() is window.library
    start_slow_run(desk, tmp_path)
    window.top.cancel.setFocus()
    desk.qtbot.keyClick(window.top.cancel, Qt.Key.Key_Space)
    desk.wait()
    assert window.focusWidget() is window.top.run


def test_a_short_run_changes_nothing_in_the_status(desk: Desk) -> None:
    desk.start()
    desk.qtbot.waitUntil(lambda: desk.session.ready is not None, timeout=LONG_MS)
    heard: list[object] = []
    desk.window.parts[WorkStatus].changed.connect(heard.append)
    desk.qtbot.wait(1500)  # until the next child is warm
    began = time.monotonic()
    desk.window.parts[RunController].run_offer(offer_of(scene("exp")))
    desk.wait()
    took = time.monotonic() - began
    assert desk.window.parts[WindowStatusBar].doing.text() == "Ready"
    assert not heard or took > PATIENCE_MS / 1000
