"""After another theme or text size, a window is what a new one is, pixel by pixel."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QSplitter
from pytestqt.qtbot import QtBot

from gradviz.gallery.registry import scene
from gradviz.viewer.jacobians.panel import JacobiansPanel
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.tensor_view.controls.slicer import AxisRow
from gradviz.viewer.theme.theme import SMALL_PIXELS, ThemeChoice
from gradviz.viewer.window.panel_registry import panel_specs
from gradviz.viewer.window.top_bar import TABS
from gradviz.viewer.window_controller import WindowController, make_application
from tests.gui.conftest import WindowDriver
from tests.recorder.recorded_run import record_run
from tests.recorder.scene_runs import run_scene
from tests.viewer.pixels import Pixels, pixels_of
from tests.viewer.traces import wrong_reader

SWITCHES: tuple[tuple[ThemeChoice, float], ...] = (("dark", 1.25), ("dark", 0.9))
"""A theme alone is among the acts of `test_screen`."""


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
    # Where a view is scrolled to, and whether it has a scroll bar, may depend on how it came to
    # its size and step: all windows come from the same ones.
    size = window.size()
    window.resize(size.width() + 200, size.height() + 200)
    driver.state.go_to(4)
    settled(driver)
    window.resize(size)
    driver.state.go_to(5)
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


@pytest.mark.quick
def test_what_was_made_on_the_stage_has_the_text_size_of_the_window(
    driver: WindowDriver, tmp_path: Path
) -> None:
    record_run(tmp_path, lambda: run_scene(scene("functional-linear")))
    window, state = driver.window, driver.state
    window.parts[RunController].open_path(tmp_path / "run.gradviz")
    driver.wait()
    state.go_to(4)
    settled(driver)
    window.commands.present.trigger()
    settled(driver)
    state.go_to(5)
    settled(driver)
    window.commands.present.trigger()
    settled(driver)
    boxes = [each.box for each in window.findChildren(AxisRow) if each.isVisible()]
    assert boxes
    assert {each.lineEdit().font().pixelSize() for each in boxes} == {SMALL_PIXELS}


# Time that ends inside Qt's loop, which swallows that, lets moving windows be compared.
@pytest.mark.timeout(600)
def test_a_switched_window_is_what_a_new_one_is(driver: WindowDriver, qtbot: QtBot) -> None:
    fill(driver)
    services = driver.controller.services
    for theme, scale in SWITCHES:
        services.preferences.theme = theme
        services.preferences.text_scale = scale
        controller = WindowController(make_application([]), services=services, remember=False)
        controller.window.resize(driver.window.size())
        with qtbot.waitExposed(controller.window):
            controller.window.show()
        new = WindowDriver(controller, qtbot)
        fill(new)
        found, wanted = pages(driver), pages(new)
        controller.close()
        differing = {
            name: difference_box(found[name], wanted[name])
            for name in wanted
            if not np.array_equal(found[name], wanted[name])
        }
        assert not differing, (theme, scale)


def difference_box(found: Pixels, wanted: Pixels) -> tuple[int, ...]:
    """Left, top, right and bottom of the pixels that differ, or both shapes."""
    if found.shape != wanted.shape:
        return (*found.shape, *wanted.shape)
    rows, columns = np.nonzero((found != wanted).any(axis=2))
    return int(columns.min()), int(rows.min()), int(columns.max()), int(rows.max())
