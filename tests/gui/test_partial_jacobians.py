"""A slow check shows its matrices while they fill."""

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt

from gradviz.viewer.jacobians.panel import JacobiansPanel
from gradviz.viewer.session.check_controller import CheckController
from gradviz.viewer.session.run_controller import RunController
from tests.gui.conftest import PATIENCE_MS, Desk
from tests.viewer.pixels import pixels_of

LEFT = Qt.MouseButton.LeftButton
SLOW = """
import time

import torch
from torch.autograd import Function


class Slow(Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        time.sleep(0.01)
        return x @ w.t()

    @staticmethod
    def backward(ctx, grad_output):
        x, w = ctx.saved_tensors
        time.sleep(0.01)
        return grad_output @ w, grad_output.t() @ x


torch.manual_seed(0)
EXAMPLES = {
    "Slow": (
        torch.randn(15, 2, dtype=torch.float64, requires_grad=True),
        torch.randn(10, 2, dtype=torch.float64, requires_grad=True),
    )
}
"""


@pytest.fixture
def panel(desk: Desk, tmp_path: Path) -> JacobiansPanel:
    desk.start()
    path = tmp_path / "slow.py"
    path.write_text(SLOW)
    desk.window.parts[RunController].open_path(path)
    desk.wait()
    desk.window.top.show_tab("jacobians")
    panel = desk.window.parts[CheckController].panel()
    desk.qtbot.mouseClick(panel.bar.check_button, LEFT)
    return panel


def known(panel: JacobiansPanel) -> list[tuple[int, int]]:
    pictures = panel.growing.pictures if panel.growing.isVisible() else ()
    return [picture.shown.known for picture in pictures if picture.shown is not None]


def test_columns_and_rows_appear_while_they_are_computed(desk: Desk, panel: JacobiansPanel) -> None:
    seen: list[list[tuple[int, int]]] = []

    def is_done() -> bool:
        now = known(panel)
        if now and (not seen or seen[-1] != now):
            seen.append(now)
        return desk.at_rest()

    desk.qtbot.waitUntil(is_done, timeout=PATIENCE_MS)
    columns = [each[1][1] for each in seen if each[0][0] == 0]
    rows = [each[0][0] for each in seen if each[0][0]]
    assert len(columns) > 1
    assert columns == sorted(columns)
    assert len(rows) > 1
    assert not panel.growing.isVisible()
    assert panel.verdict.texts[0].startswith("Match. ")
    assert panel.block_view is not None


def test_what_is_not_there_is_hatched_and_nothing_is_called_wrong(
    desk: Desk, panel: JacobiansPanel
) -> None:
    desk.qtbot.waitUntil(lambda: bool(known(panel)), timeout=PATIENCE_MS)
    assert panel.growing.texts[0].startswith("Computing: nothing has been compared yet")
    assert not panel.verdict.isVisible()
    assert not panel.pairs.isVisible()
    numerical = next(each for each in panel.growing.pictures)
    shown = numerical.shown
    assert shown is not None
    below = pixels_of(numerical)[-12:-2, 2:-2].reshape(-1, 3)
    if shown.known[0] < shown.shape[0]:
        assert len(np.unique(below, axis=0)) == 2
    desk.session.cancel()
    desk.wait()


def test_a_cancel_keeps_what_was_computed(desk: Desk, panel: JacobiansPanel) -> None:
    desk.qtbot.waitUntil(lambda: bool(known(panel)), timeout=PATIENCE_MS)
    before = known(panel)
    desk.qtbot.mouseClick(panel.bar.cancel_button, LEFT)
    desk.wait()
    assert panel.verdict.texts[0].startswith("Incomplete. ")
    assert panel.growing.isVisible()
    assert panel.growing.texts[0].startswith("Not finished: ")
    now = known(panel)[: len(before)]
    assert all(a[1] >= b[1] and a[0] >= b[0] for a, b in zip(now, before, strict=False))
    assert panel.pairs.item(0).text().endswith("not finished")
    assert panel.block_view is None


def test_nothing_grows_while_a_room_guesses(desk: Desk, panel: JacobiansPanel) -> None:
    desk.state.set_quiz_mode()
    desk.state.first_step()
    while not desk.state.revealed.hides_answer:
        desk.state.next_step()
    desk.qtbot.wait(1500)
    assert not panel.growing.isVisible()
    desk.session.cancel()
    desk.wait()
    assert not panel.growing.isVisible()
