"""Double font size reaches every text of the window, and nothing overlaps."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QAbstractButton, QLabel, QLineEdit, QWidget

from gradviz.model.check_settings import CheckSettings
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.session.check_controller import CheckController
from gradviz.viewer.theme.theme import SMALL_PIXELS
from gradviz.viewer.timeline.panel import TimelinePanel
from tests.gui.conftest import WindowDriver
from tests.viewer.painted_texts import painted_texts
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


def overlapping(view: QWidget) -> list[tuple[QWidget, QWidget]]:
    """Visible children of a view that cover each other."""
    parts = [each for each in view.children() if isinstance(each, QWidget) and each.isVisible()]
    return [
        (one, other)
        for one, other in itertools.combinations(parts, 2)
        if one.geometry().intersects(other.geometry())
    ]


def settle(driver: WindowDriver) -> None:
    driver.wait()
    QCoreApplication.sendPostedEvents()
    QCoreApplication.processEvents()


def test_all_is_shown_in_large_type(driver: WindowDriver) -> None:
    driver.controller.services.preferences.text_scale = 2.0
    driver.start()
    driver.state.go_to(5)
    settle(driver)
    assert list(small(driver)) == []
    driver.window.top.show_tab("jacobians")
    driver.session.check(CheckSettings())
    settle(driver)
    assert list(small(driver)) == []


def test_all_type_grows_and_asks_for_no_larger_window(driver: WindowDriver) -> None:
    driver.start()
    driver.state.go_to(5)
    driver.controller.services.preferences.text_scale = 1.6
    driver.window.top.show_tab("jacobians")
    driver.session.check(CheckSettings())
    settle(driver)
    assert driver.window.size().toTuple() == (1280, 800)
    block = driver.window.parts[CheckController].panel().maps.view
    assert block is not None
    # The last pieces of a check's matrices may still be on their way to the maps.
    driver.qtbot.waitUntil(lambda: overlapping(block) == [])
    driver.controller.services.preferences.text_scale = 2.0
    settle(driver)
    assert list(small(driver)) == []
    driver.window.top.show_tab("graph")
    settle(driver)
    assert list(small(driver)) == []


def graph_text(driver: WindowDriver) -> float:
    """Height of the smallest text in the graph, in pixels."""
    view = driver.window.parts[GraphPanel].view
    return min(each.pixels for each in painted_texts(view) if each.owner == "GraphView")


@pytest.mark.quick
def test_larger_text_enlarges_the_graph_but_not_the_window(driver: WindowDriver) -> None:
    window, actions = driver.window, driver.window.commands
    driver.state.show(linear_reader())
    window.resize(1024, 700)
    settle(driver)
    sizes = [graph_text(driver)]
    while actions.larger.isEnabled():
        actions.larger.trigger()
        settle(driver)
        sizes.append(graph_text(driver))
        assert window.size().toTuple() == (1024, 700)
        assert window.parts[TimelinePanel].bar.width() > 100
    assert len(sizes) > 5
    # The graph has most of the window from the start.
    assert sizes[-1] > 1.9 * sizes[0]
    # The panels grow too, so a graph that keeps its arrangement may have slightly less space.
    assert all(after > 0.95 * before for before, after in itertools.pairwise(sizes)), sizes
    driver.controller.services.preferences.text_scale = 1.0
    settle(driver)
    assert window.size().toTuple() == (1024, 700)
    assert graph_text(driver) == pytest.approx(sizes[0])
    assert window.parts[GraphPanel].view.is_fitted
    bottom = window.parts[TimelinePanel]
    assert bottom.isVisible()
    assert bottom.width() == window.bottom.width()


def test_title_and_sentence_are_whole_in_the_largest_text(driver: WindowDriver) -> None:
    window = driver.window
    driver.state.show(linear_reader())
    window.top.subject.setText("LinearFunction, merged")
    driver.controller.services.preferences.text_scale = 2.0
    settle(driver)
    for part in (window.top.subject, window.parts[Inspector].head):
        texts = painted_texts(part)
        assert texts
        # Two lines of a sentence are whole; the rest is folded.
        assert [each for each in texts if each.is_cut and not each.text.endswith("…")] == []
