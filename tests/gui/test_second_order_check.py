"""Checks of both orders in the window, and scenes with nothing to check."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from gradviz.viewer.jacobians.panel import JacobiansPanel
from gradviz.viewer.session.check_controller import CheckController
from tests.gui.conftest import WindowDriver
from tests.gui.test_scene_run import pick

LEFT = Qt.MouseButton.LeftButton


def open_jacobians(driver: WindowDriver) -> JacobiansPanel:
    tabs = driver.window.top.tabs
    driver.qtbot.mouseClick(tabs, LEFT, pos=tabs.tabRect(1).center())
    return driver.window.parts[CheckController].panel()


def check(driver: WindowDriver, panel: JacobiansPanel, order: int) -> str:
    """Checks; the headline."""
    if panel.start.isVisible():
        driver.qtbot.mouseClick(panel.start.check if order == 1 else panel.start.second, LEFT)
    else:
        driver.qtbot.mouseClick(panel.bar.switch.segment(order - 1), LEFT)
        driver.qtbot.mouseClick(panel.bar.check_button, LEFT)
    driver.qtbot.waitUntil(driver.at_rest)
    return panel.findings.verdict.texts[0]


@pytest.mark.quick
def test_an_intermediate_that_was_saved_fails_in_second_order(driver: WindowDriver) -> None:
    driver.start()
    pick(driver, "cube-wrong")
    panel = open_jacobians(driver)
    assert "MyCube(x scalar)" in panel.start.count.text()
    first = check(driver, panel, 1)
    assert first == "Failed: the Jacobians match, but gradcheck misses an error."
    assert check(driver, panel, 2) == "Failed: ∂ grad_x / ∂ x: 1 of 1 outside the tolerance."
    assert any("history" in text for card in panel.findings.cards for text in card.texts)
    assert any("MyCube" in text for text in panel.findings.verdict.texts)
    driver.qtbot.mouseClick(panel.bar.switch.segment(0), LEFT)
    assert panel.findings.verdict.texts[0] == first


def test_a_scene_with_nothing_to_check_says_so(driver: WindowDriver) -> None:
    driver.start()
    panel = open_jacobians(driver)
    pick(driver, "hook-instead")
    assert not panel.bar.check_button.isEnabled()
    assert panel.bar.problem.text() == "This scene has no Jacobians to check."
    assert panel.maps.hint.startswith("This scene has no Jacobians to check.")
    pick(driver, "cube")
    assert panel.start.check.isEnabled()
    assert "MyCube" in panel.start.count.text()
