"""After another theme or text size, a window is what a new one is, pixel by pixel."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QSplitter
from pytestqt.qtbot import QtBot

from gradviz.viewer.jacobians.panel import JacobiansPanel
from gradviz.viewer.theme.theme import ThemeChoice
from gradviz.viewer.window.panel_registry import panel_specs
from gradviz.viewer.window.top_bar import TABS
from gradviz.viewer.window_controller import WindowController, make_application
from tests.gui.conftest import WindowDriver
from tests.viewer.pixels import Pixels, pixels_of
from tests.viewer.traces import wrong_reader

SWITCHES: tuple[tuple[ThemeChoice, float], ...] = (
    ("dark", 1.25),
    ("light", 1.25),
    ("light", 0.9),
)


def fill(driver: WindowDriver) -> None:
    driver.state.show(wrong_reader())
    driver.state.go_to(5)
    driver.state.select(1)
    # The first time, panels are built and docks get their sizes.
    pages(driver)


def pages(driver: WindowDriver) -> dict[str, Pixels]:
    """The window with each tab and each panel in front."""
    window, found = driver.window, {}
    window.sides.overlay.close_panel()
    for name in TABS:
        window.top.show_tab(name)
        for panel in window.findChildren(JacobiansPanel):
            # It stays where it is at any size of the text.
            panel.findChildren(QSplitter)[0].setSizes([300, 900])
        found[name] = settled(driver)
    window.top.show_tab("graph")
    for spec in panel_specs():
        window.show_part(spec.name)
        found[spec.name] = settled(driver)
    return found


def settled(driver: WindowDriver) -> Pixels:
    driver.window.activateWindow()
    driver.window.setFocus()
    for _ in range(3):
        driver.wait()
        QCoreApplication.sendPostedEvents()
        QCoreApplication.processEvents()
    return pixels_of(driver.window)


def test_a_switched_window_is_what_a_new_one_is(driver: WindowDriver, qtbot: QtBot) -> None:
    fill(driver)
    services = driver.controller.services
    for theme, scale in SWITCHES:
        services.preferences.set_theme(theme)
        services.preferences.set_text_scale(scale)
        controller = WindowController(make_application([]), services=services, remember=False)
        controller.window.resize(driver.window.size())
        with qtbot.waitExposed(controller.window):
            controller.window.show()
        new = WindowDriver(controller, qtbot)
        fill(new)
        found, wanted = pages(driver), pages(new)
        controller.close()
        differing = [name for name in wanted if not np.array_equal(found[name], wanted[name])]
        assert not differing, (theme, scale)
