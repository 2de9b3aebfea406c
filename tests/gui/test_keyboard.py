"""The whole window by keyboard: every control is a Tab stop, in reading order."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow, QPushButton, QWidget

from gradviz.gallery.registry import offer_of, scene
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.inputs.form import InputsForm
from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.lesson.lesson_player import LessonPlayer
from gradviz.viewer.session.check_controller import CheckController
from gradviz.viewer.source.panel import SourcePanel
from gradviz.viewer.timeline.panel import TimelinePanel
from gradviz.viewer.window.tab_order import is_stop, tab_stops
from tests.gui.conftest import WindowDriver

MOST = 200


def tab(driver: WindowDriver, *, back: bool = False) -> QWidget:
    here: QWidget | None = driver.window.focusWidget()
    QTest.keyClick(
        driver.window if here is None else here, Qt.Key.Key_Backtab if back else Qt.Key.Key_Tab
    )
    QApplication.processEvents()
    focused = driver.window.focusWidget()
    assert focused is not None
    return focused


def tab_to(driver: WindowDriver, wanted: Callable[[QWidget], bool]) -> QWidget:
    for _ in range(MOST):
        stop = tab(driver)
        if wanted(stop):
            return stop
    raise AssertionError("Tab never gets there")


def round_trip(driver: WindowDriver, *, back: bool = False) -> list[QWidget]:
    """The focused widgets of one whole Tab cycle."""
    first = tab(driver, back=back)
    found = [first]
    while (then := tab(driver, back=back)) is not first:
        found.append(then)
        assert len(found) < MOST, "Tab never comes back"
    return found


def reachable(window: QMainWindow) -> set[QWidget]:
    """Focusable widgets, found independently of the code under test."""
    menus = window.menuBar()
    return {
        each
        for each in window.findChildren(QWidget)
        if is_stop(each)
        and each.window() is window
        and not menus.isAncestorOf(each)
        # Qt parks tabs that no docks need outside of the window, and docks behind another one.
        and window.rect().intersects(part_of(window, each).geometry())
    }


def part_of(window: QMainWindow, widget: QWidget) -> QWidget:
    """The bar or dock that contains a widget."""
    parent = widget.parentWidget()
    return widget if parent is None or parent is window else part_of(window, parent)


def in_sight(widget: QWidget) -> QRect:
    """The part of a widget that no scroll area hides, in its window."""
    window = widget.window()
    seen = widget.rect().translated(widget.mapTo(window, QPoint()))
    parent = widget.parentWidget()
    while parent is not None and parent is not window:
        seen &= parent.rect().translated(parent.mapTo(window, QPoint()))
        parent = parent.parentWidget()
    return seen & window.rect()


@pytest.fixture
def walked(driver: WindowDriver) -> WindowDriver:
    driver.start()
    driver.state.go_to(5)
    driver.window.activateWindow()
    driver.qtbot.waitUntil(driver.window.isActiveWindow)
    return driver


def tab_reaches_every_control_and_comes_back(walked: WindowDriver) -> None:
    for view in ("compare", "jacobians", "graph"):
        walked.window.top.show_tab(view)
        QApplication.processEvents()
        forward = round_trip(walked)
        assert len(set(forward)) == len(forward), view
        assert set(forward) == reachable(walked.window), view
        backward = round_trip(walked, back=True)
        at = backward.index(forward[0])
        assert [*backward[at:], *backward[:at]] == [forward[0], *reversed(forward[1:])], view


def tab_goes_as_one_reads(walked: WindowDriver) -> None:
    window = walked.window
    walked.pin("library", "inputs")
    regions: list[QWidget] = [
        window.top,
        window.sides.rail,
        window.library,
        window.parts[InputsForm],
        window.parts[GraphPanel],
        window.parts[Inspector],
        window.parts[SourcePanel],
        window.parts[TimelinePanel],
    ]
    order = tab_stops(window)
    spans = []
    for region in regions:
        places = [
            at for at, stop in enumerate(order) if stop is region or region.isAncestorOf(stop)
        ]
        assert places, region.accessibleName()
        spans.append((places[0], places[-1]))
    assert all(before[1] < after[0] for before, after in pairwise(spans)), spans
    headers = [row.header for row in window.parts[InputsForm].rows]
    assert [order.index(each) for each in headers] == sorted(order.index(each) for each in headers)
    sections = [each.header for each in window.parts[Inspector].sections]
    assert len(sections) >= 3
    assert [order.index(each) for each in sections] == sorted(map(order.index, sections))


def every_tab_stop_has_a_name(walked: WindowDriver) -> None:
    for view in ("graph", "jacobians"):
        walked.window.top.show_tab(view)
        QApplication.processEvents()
        for stop in tab_stops(walked.window):
            spoken = QAccessible.queryAccessibleInterface(stop)
            assert spoken.text(QAccessible.Text.Name).strip(), stop
            assert spoken.role() != QAccessible.Role.NoRole, stop


def what_has_the_focus_is_in_sight(walked: WindowDriver) -> None:
    walked.window.resize(1000, 560)
    QApplication.processEvents()
    for _ in range(len(tab_stops(walked.window))):
        stop = tab(walked)
        assert in_sight(stop).height() >= min(12, stop.height()), stop.accessibleName()


def test_every_control_is_reached_by_tab_named_and_in_sight(walked: WindowDriver) -> None:
    """All in one window, because opening it takes longer than the rest."""
    tab_reaches_every_control_and_comes_back(walked)
    every_tab_stop_has_a_name(walked)
    walked.window.top.show_tab("graph")
    what_has_the_focus_is_in_sight(walked)
    walked.window.resize(1280, 800)
    tab_goes_as_one_reads(walked)


@pytest.mark.quick
def test_the_app_is_used_without_a_mouse(walked: WindowDriver) -> None:
    window, state = walked.window, walked.state
    button = tab_to(walked, lambda stop: stop is window.sides.rail.button("library"))
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert window.focusWidget() is window.search.field
    tab_to(walked, lambda stop: stop is window.library)
    wrong = window.library.entry_of(offer_of(scene("linear-wrong")).subject)
    for _ in range(MOST):
        if window.library.shown_entry() is wrong:
            break
        QTest.keyClick(window.library, Qt.Key.Key_Down)
    QTest.keyClick(window.library, Qt.Key.Key_Return)
    walked.qtbot.waitUntil(lambda: window.top.subject.text().endswith("wrong on purpose"))
    walked.wait()
    assert not window.library.isVisible()
    assert window.focusWidget() is window.parts[TimelinePanel].bar
    QTest.keyClick(window, Qt.Key.Key_F10)
    assert state.number == 2
    QTest.keyClick(window.parts[TimelinePanel].bar, Qt.Key.Key_End)
    assert state.number == state.count
    tab_to(walked, lambda stop: stop is window.top.tabs)
    QTest.keyClick(window.top.tabs, Qt.Key.Key_Right)
    panel = window.parts[CheckController].panel()
    assert panel.isVisible()
    check = tab_to(
        walked,
        lambda stop: panel.isAncestorOf(stop) and isinstance(stop, QPushButton),
    )
    QTest.keyClick(check, Qt.Key.Key_Space)
    walked.qtbot.waitUntil(lambda: bool(state.index and state.index.trace.reports))
    walked.wait()
    assert state.index is not None
    assert state.index.trace.reports[-1].verdict == "mismatch"
    lessons = window.docks["lesson"]
    lessons.toggleViewAction().trigger()
    walked.qtbot.waitUntil(lambda: lessons.isAncestorOf(window.focusWidget() or window))
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Return)
    assert window.parts[LessonPlayer].lesson is not None
    window.parts[LessonPlayer].leave()
    walked.wait()
