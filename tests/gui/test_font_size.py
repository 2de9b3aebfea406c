"""Double font size reaches every text of the window, and nothing overlaps."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QWidget

from gradviz.model.check_settings import CheckSettings
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.session.check_controller import CheckController
from gradviz.viewer.theme.theme import SMALL_PIXELS
from gradviz.viewer.timeline.panel import TimelinePanel
from tests.gui.conftest import WindowDriver
from tests.viewer.traces import linear_reader

TEXTS = (QAbstractButton, QLabel, QLineEdit)
LEAST = 2 * (SMALL_PIXELS - 1)


def small(driver: WindowDriver) -> Iterator[str]:
    """Texts that are in sight and not as large as they should be."""
    for each in driver.window.findChildren(QWidget):
        if isinstance(each, TEXTS) and each.isVisible() and each.text():
            size = each.font().pixelSize()
            if size < LEAST:
                yield f"{type(each).__name__} {each.text()[:30]!r} has {size} pixels"


def settle(driver: WindowDriver) -> None:
    driver.wait()
    QCoreApplication.sendPostedEvents()
    QCoreApplication.processEvents()


@pytest.mark.parametrize("early", [True, False])
def test_all_type_grows(driver: WindowDriver, early: bool) -> None:
    preferences = driver.controller.services.preferences
    if early:
        preferences.set_text_scale(2.0)
    driver.start()
    driver.state.go_to(5)
    preferences.set_text_scale(2.0)
    settle(driver)
    assert list(small(driver)) == []
    driver.window.top.show_tab("jacobians")
    driver.session.check(CheckSettings())
    settle(driver)
    assert list(small(driver)) == []


def test_large_type_asks_for_no_larger_window(driver: WindowDriver) -> None:
    driver.start()
    driver.controller.services.preferences.set_text_scale(1.6)
    driver.window.top.show_tab("jacobians")
    driver.session.check(CheckSettings())
    settle(driver)
    assert driver.window.size().toTuple() == (1280, 800)
    block = driver.window.parts[CheckController].panel().block_view
    assert block is not None
    parts = [each for each in block.children() if isinstance(each, QWidget) and each.isVisible()]
    for at, part in enumerate(parts):
        others = [each for each in parts[at + 1 :] if each.geometry().intersects(part.geometry())]
        assert others == [], part


def test_larger_text_never_changes_the_size_of_the_window(driver: WindowDriver) -> None:
    window, preferences = driver.window, driver.controller.services.preferences
    driver.state.show(linear_reader())
    window.resize(1024, 700)
    for scale in (2.0, 1.0):
        preferences.set_text_scale(scale)
        settle(driver)
        assert window.size().toTuple() == (1024, 700)
        bottom = window.parts[TimelinePanel]
        assert bottom.isVisible()
        assert bottom.width() == window.bottom.width()
        assert bottom.bar.width() > 100
    driver.state.show(None)


def test_the_legend_is_whole_or_small(driver: WindowDriver) -> None:
    driver.start()
    legend = driver.window.parts[GraphPanel].surroundings.legend
    driver.window.resize(1600, 1000)
    settle(driver)
    assert legend.isVisible()
    first = legend.height()
    driver.controller.services.preferences.set_text_scale(1.6)
    settle(driver)
    whole = legend.geometry().bottom() <= driver.window.parts[GraphPanel].view.height()
    assert whole or not legend.isVisible()
    assert legend.scale <= 1.6
    driver.window.resize(1900, 1400)
    settle(driver)
    assert legend.scale == 1.6
    assert legend.height() == pytest.approx(1.6 * first, rel=0.03)


def test_side_panels_grow_unless_they_were_moved(driver: WindowDriver) -> None:
    window, preferences = driver.window, driver.controller.services.preferences
    window.resize(1900, 1000)
    driver.start()
    library, inspector = window.docks["library"], window.docks["inspector"]
    before = library.width()
    window.resizeDocks([inspector], [500], Qt.Orientation.Horizontal)
    settle(driver)
    moved = inspector.width()
    preferences.set_text_scale(1.5)
    settle(driver)
    assert library.width() == pytest.approx(1.5 * before, abs=3)
    assert inspector.width() == pytest.approx(moved, abs=3)
    preferences.set_text_scale(1.0)
    settle(driver)
    assert library.width() == pytest.approx(before, abs=3)
