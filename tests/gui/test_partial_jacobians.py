"""A slow check shows its matrices while they fill."""

import threading
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt

from gradviz.viewer.jacobians import check_text
from gradviz.viewer.jacobians.panel import JacobiansPanel
from gradviz.viewer.jacobians.partial_maps import PartialMapImage
from gradviz.viewer.session import check_controller
from gradviz.viewer.session.check_controller import CheckController
from gradviz.viewer.session.run_controller import RunController
from tests.gui.conftest import WindowDriver
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
def panel(driver: WindowDriver, tmp_path: Path) -> JacobiansPanel:
    driver.start()
    path = tmp_path / "slow.py"
    path.write_text(SLOW)
    driver.window.parts[RunController].open_path(path)
    driver.wait()
    driver.window.top.show_tab("jacobians")
    panel = driver.window.parts[CheckController].panel()
    driver.qtbot.mouseClick(panel.start.check, LEFT)
    return panel


def known(panel: JacobiansPanel) -> list[tuple[int, int]]:
    """Rows and columns computed so far of the numerical matrix and of the analytical one."""
    maps = [each.cells for each in panel.findChildren(PartialMapImage) if each.isVisible()]
    return [each.shape for each in maps if each is not None]


def test_columns_and_rows_appear_while_they_are_computed(
    driver: WindowDriver, panel: JacobiansPanel
) -> None:
    seen: list[list[tuple[int, int]]] = []

    def is_done() -> bool:
        now = known(panel)
        if now and (not seen or seen[-1] != now):
            seen.append(now)
        return driver.at_rest()

    driver.qtbot.waitUntil(is_done)
    columns = [each[1][1] for each in seen if each[0][0] == 0]
    rows = [each[0][0] for each in seen if each[0][0]]
    assert len(columns) > 1
    assert columns == sorted(columns)
    assert len(rows) > 1
    assert not panel.maps.growing.isVisible()
    assert panel.findings.verdict.texts[0].startswith("Passed: ")
    assert panel.maps.view is not None


def test_missing_elements_are_hatched_and_not_marked_wrong(
    driver: WindowDriver, panel: JacobiansPanel
) -> None:
    driver.qtbot.waitUntil(lambda: bool(known(panel)))
    assert panel.maps.growing.texts[0].startswith("Computing: nothing has been compared yet")
    assert not panel.findings.verdict.isVisible()
    assert not panel.pairs.isVisible()
    numerical = panel.findChildren(PartialMapImage)[0]
    below = pixels_of(numerical)[-12:-2, 2:-2].reshape(-1, 3)
    if known(panel)[0][0] < 20:
        assert len(np.unique(below, axis=0)) == 2
    driver.session.cancel()
    driver.wait()


@pytest.mark.quick
def test_a_cancel_keeps_what_was_computed(driver: WindowDriver, panel: JacobiansPanel) -> None:
    driver.qtbot.waitUntil(lambda: bool(known(panel)))
    before = known(panel)
    driver.window.commands.stop.trigger()
    driver.wait()
    assert panel.findings.verdict.texts[0].startswith("No result: ")
    assert panel.maps.growing.isVisible()
    assert panel.maps.growing.texts[0].startswith("Not finished: ")
    now = known(panel)[: len(before)]
    assert all(a[1] >= b[1] and a[0] >= b[0] for a, b in zip(now, before, strict=False))
    said = panel.pairs.rows.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert said.endswith("not finished")
    assert panel.maps.view is None


def test_quiz_mode_hides_partial_matrices(driver: WindowDriver, panel: JacobiansPanel) -> None:
    driver.state.set_quiz_mode()
    driver.state.first_step()
    while not driver.state.revealed.hides_answer:
        driver.state.next_step()
    driver.qtbot.wait(1500)
    assert not panel.maps.growing.isVisible()
    driver.session.cancel()
    driver.wait()
    assert not panel.maps.growing.isVisible()


def test_plots_are_imported_in_the_thread_of_the_window(
    driver: WindowDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    # In another thread, loading Qt's modules while the window processes events has crashed.
    imports: list[tuple[str, threading.Thread]] = []

    def note(name: str) -> None:
        imports.append((name, threading.current_thread()))

    monkeypatch.setattr(check_controller, "import_module", note)
    driver.start()
    driver.window.top.show_tab("jacobians")
    driver.qtbot.waitUntil(lambda: bool(imports))
    assert imports == [("gradviz.viewer.jacobians.map.jacobian_view", threading.main_thread())]


def test_a_second_check_does_not_show_what_the_first_said(
    driver: WindowDriver, panel: JacobiansPanel
) -> None:
    messages = driver.window.messages

    def shown() -> tuple[str, ...]:
        return (
            messages.text,
            panel.maps.hint,
            *panel.findings.verdict.texts,
            *panel.maps.growing.texts,
        )

    assert panel.maps.hint == check_text.running_text()
    driver.qtbot.waitUntil(lambda: bool(known(panel)))
    driver.window.commands.stop.trigger()
    driver.wait()
    before = shown()
    assert before[0] == "Canceled."
    driver.qtbot.mouseClick(panel.bar.check_button, LEFT)
    assert (messages.text, panel.maps.hint) == ("", check_text.running_text())
    assert not panel.findings.verdict.isVisible()
    assert not panel.maps.growing.isVisible()
    # It has computed nothing, so the first one is shown again.
    driver.window.commands.stop.trigger()
    driver.wait()
    assert shown()[0] == "Canceled. The result of the previous check is shown."
    assert shown()[1:] == before[1:]
    assert panel.findings.verdict.isVisible()
    assert panel.maps.growing.isVisible()


def test_partial_matrices_vanish_when_the_answer_is_hidden(
    driver: WindowDriver, panel: JacobiansPanel
) -> None:
    driver.qtbot.waitUntil(lambda: bool(known(panel)))
    driver.state.set_quiz_mode()
    while not driver.state.revealed.hides_answer:
        driver.state.next_step()
    assert panel.maps.hint == check_text.running_text()
    assert not panel.maps.growing.isVisible()
    driver.session.cancel()
    driver.wait()
