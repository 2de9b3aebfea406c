"""Docks: dragged, floated, tabbed, closed, remembered and reset."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from random import Random

import pytest
import pytestqt.exceptions
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDockWidget, QScrollBar, QTabBar

from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.commands.controller import CommandController
from gradviz.viewer.console import ConsolePanel
from gradviz.viewer.find.controller import FindController
from gradviz.viewer.inspector.inspector import Inspector
from gradviz.viewer.inspector.inspector_header import SENTENCE_PIXELS
from gradviz.viewer.source.panel import SourcePanel
from gradviz.viewer.window.dock_sizes import is_in_front
from gradviz.viewer.window.top_bar import TABS
from gradviz.viewer.window.window_layout import LAYOUT_VERSION
from gradviz.viewer.window_controller import WindowController, make_application
from tests.gui.conftest import WindowDriver
from tests.viewer.painted_texts import painted_texts

AREA = Qt.DockWidgetArea
SIZE = QSize(1280, 800)

LINES = (52, 712)
"""Height of the header and top of the bottom bar, in pixels from the top of a window of `SIZE`."""

VERSION, DOCKS = (
    9,
    (
        *("library", "inputs", "outline", "inspector", "source", "locals", "ops", "console"),
        *("doctor", "breakpoints", "story", "changes", "guide", "lesson"),
    ),
)
"""A stored layout of other docks would not fit: with them the version has to be raised."""


def standing(place: WindowController) -> dict[str, tuple[bool, bool, Qt.DockWidgetArea]]:
    window = place.window
    return {
        dock.objectName(): (dock.isVisible(), dock.isFloating(), window.dockWidgetArea(dock))
        for dock in window.docks.all()
    }


@contextmanager
def next_start() -> Iterator[WindowController]:
    place = WindowController(make_application([]), "light")
    try:
        place.window.show()
        yield place
    finally:
        place.close()


@pytest.fixture
def moved(driver: WindowDriver) -> WindowDriver:
    """A window with all docks moved."""
    window, docks = driver.window, driver.window.docks
    driver.pin("library", "inputs", "outline")
    window.addDockWidget(AREA.RightDockWidgetArea, docks["library"])
    window.tabifyDockWidget(docks["inspector"], docks["inputs"])
    docks["console"].setFloating(True)
    docks["inspector"].close()
    QApplication.processEvents()
    return driver


def the_version_and_the_bars_of_tabs_are_those_of_these_docks(driver: WindowDriver) -> None:
    window = driver.window
    names = tuple(dock.objectName() for dock in window.docks.all())
    assert (LAYOUT_VERSION, names) == (VERSION, DOCKS)
    bars = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    seen = [bar for bar in bars if bar.isVisible() and window.rect().intersects(bar.geometry())]
    # Source, locals, ops, console and doctor; only docks that lie upon each other have one.
    assert [bar.count() for bar in seen] == [5]


def test_how_docks_stand_is_remembered(moved: WindowDriver) -> None:
    before = standing(moved.controller)
    assert before["library"][2] == AREA.RightDockWidgetArea
    assert before["console"][1]
    moved.window.close()
    with next_start() as place:
        assert standing(place) == before
        inspector, inputs = (place.window.docks[name] for name in ("inspector", "inputs"))
        inspector.show()
        assert inspector in place.window.tabifiedDockWidgets(inputs)


@pytest.mark.quick
def test_one_command_puts_all_back(moved: WindowDriver) -> None:
    bars = [each for each in moved.window.findChildren(QTabBar) if each.isVisible()]
    assert len(bars) >= 2
    assert all(bar.accessibleName() for bar in bars)
    with next_start() as place:
        first = standing(place)
    assert standing(moved.controller) != first
    moved.window.commands.restore.trigger()
    QApplication.processEvents()
    assert standing(moved.controller) == first


def with_all_panels_open_no_title_label_or_tab_is_cut(driver: WindowDriver) -> None:
    window = driver.window
    window.top.subject.setText("FunctionalLinear, differentiated twice in vain")
    for dock in window.docks.all():
        dock.show()
    for name in ("doctor", "changes"):
        window.docks[name].raise_()
        QApplication.processEvents()
        texts = painted_texts(window)
        owners = ("QTabBar", "ElidedLabel", "PlainLabel", "QToolButton", "QPushButton")
        elided = [
            each.text
            for each in texts
            if each.owner in owners
            and "…" in each.text.replace(" … ", "")
            # The rest of a sentence is folded.
            and each.pixels != SENTENCE_PIXELS
        ]
        assert elided == []
        narrow = [each for each in window.docks[name].findChildren(QScrollBar) if each.isVisible()]
        assert all(bar.orientation() == Qt.Orientation.Vertical for bar in narrow)


def drag(dock: QDockWidget, way: QPoint) -> None:
    """With the mouse, by the title."""
    widget = dock.widget()
    assert widget is not None
    start = QPoint(60, widget.y() // 2)
    QTest.mousePress(dock, Qt.MouseButton.LeftButton, pos=start)
    for part in (10, 50, 100):
        QTest.mouseMove(dock, start + way * part / 100)
        QApplication.processEvents()
    QTest.mouseRelease(dock, Qt.MouseButton.LeftButton, pos=start + way)
    QApplication.processEvents()


@pytest.mark.qt_log_ignore("This plugin does not support grabbing the mouse", extend=True)
def test_a_dock_is_dragged_out_with_the_mouse_and_stays_in_sight(driver: WindowDriver) -> None:
    dock = driver.window.docks["console"]
    drag(dock, QPoint(40, -250))
    assert dock.isFloating()
    driver.window.close()
    with next_start() as place:
        again = place.window.docks["console"]
        assert again.isFloating()
        room = place.window.screen().availableGeometry()
        assert room.intersects(again.frameGeometry())
        place.window.commands.restore.trigger()
        assert not again.isFloating()


def the_graph_is_the_largest_part_beside_the_code(driver: WindowDriver) -> None:
    window, docks = driver.window, driver.window.docks
    for size in ((1024, 700), (1280, 800), (1440, 900), (1920, 1080)):
        window.resize(*size)
        QApplication.processEvents()
        window.commands.restore.trigger()
        QApplication.processEvents()
        assert (window.width(), window.height()) == size
        graph = window.parts[GraphPanel]
        assert graph.width() > 1.1 * docks["source"].width(), size
        assert graph.height() > 1.5 * docks["source"].height(), size
        view = window.parts[SourcePanel].columns[0].view
        assert view.isVisible()
        assert view.viewport().height() >= 9 * view.fontMetrics().lineSpacing(), size
        inspector = docks["inspector"]
        assert docks["source"].y() > inspector.geometry().bottom(), size
        assert inspector.height() > 320, size
        if size == (1280, 800):
            # Space for what a node received and, below it, what it returned.
            assert inspector.height() > 2 * docks["source"].height()


def no_step_and_no_view_changes_the_sizes_of_the_panels(driver: WindowDriver) -> None:
    wanted = divided(driver)
    for number in range(1, driver.state.count + 1):
        driver.state.go_to(number)
        assert divided(driver) == wanted, number
    for view in (TABS[1], TABS[0], TABS[2], TABS[0]):
        driver.window.top.show_tab(view)
        QApplication.processEvents()
    assert_divided(driver, wanted, "views")
    window, tabs = driver.window, driver.window.top.tabs
    for place in (1, 0):
        at = tabs.mapTo(window, tabs.tabRect(place).center())
        mouse = (
            window.windowHandle(),
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
            at,
        )
        QTest.mousePress(*mouse)
        # The tab is shown, and all laid out, while the button is still pressed.
        assert tabs.currentIndex() == place
        for _ in range(5):
            QApplication.processEvents()
        QTest.mouseRelease(*mouse)
    assert_divided(driver, wanted, "clicks")


def divided(driver: WindowDriver) -> dict[str, QRect]:
    QApplication.processEvents()
    docks = driver.window.docks
    return {each.objectName(): each.geometry() for each in docks.all() if is_in_front(each)}


def assert_divided(driver: WindowDriver, wanted: dict[str, QRect], after: str) -> None:
    with suppress(pytestqt.exceptions.TimeoutError):
        driver.qtbot.waitUntil(lambda: divided(driver) == wanted)
    assert divided(driver) == wanted, after


class Arranging:
    """Whatever a user can do that is not meant to move a divider, each with its way back."""

    def __init__(self, driver: WindowDriver) -> None:
        self.driver, self.window = driver, driver.window
        self.docks = driver.window.docks

    def _panel(self, name: str) -> None:
        toggle = self.docks[name].toggleViewAction()
        front = [each for each in self.docks.all() if is_in_front(each)]
        if not is_in_front(self.docks[name]):
            toggle.trigger()
            QApplication.processEvents()
        toggle.trigger()
        QApplication.processEvents()
        toggle.trigger()
        QApplication.processEvents()
        for dock in front:
            dock.raise_()

    def close_and_open_the_inspector(self, random: Random) -> None:
        self._panel("inspector")

    def close_and_open_a_tab(self, random: Random) -> None:
        self._panel(random.choice(["source", "locals", "console"]))

    def resize_the_window_and_back(self, random: Random) -> None:
        for _ in range(random.randint(1, 3)):
            self.window.resize(random.randint(640, 1900), random.randint(450, 1200))
            QApplication.processEvents()
        self.window.resize(SIZE)

    def look_at_other_tabs(self, random: Random) -> None:
        for _ in range(random.randint(1, 4)):
            self.window.top.show_tab(random.choice(TABS))
            # As impatient users do: sometimes before Qt has followed.
            if random.random() < 0.7:
                QApplication.processEvents()
        if random.random() < 0.3:
            self.resize_the_window_and_back(random)
        self.window.top.show_tab(TABS[0])

    def go_on_stage(self, random: Random) -> None:
        self.driver.controller.presenter.enter(full_screen=False)
        QApplication.processEvents()
        self.driver.controller.presenter.leave()

    def pin_and_unpin(self, random: Random) -> None:
        self.driver.pin("library")
        QApplication.processEvents()
        self.driver.pin("library")


@pytest.mark.parametrize("seed", range(3))
def test_dividers_stay_where_the_user_has_put_them(driver: WindowDriver, seed: int) -> None:
    random, arranging, window = Random(seed), Arranging(driver), driver.window
    acts = [
        each
        for each in vars(Arranging).values()
        if "random" in getattr(each, "__annotations__", {})
    ]
    window.resize(SIZE)
    for _ in range(3):
        before = divided(driver)
        driver.drag_separator(
            "inspector", QPoint(0, random.choice([-1, 1]) * random.randint(10, 70))
        )
        driver.drag_separator(
            "inspector", QPoint(random.choice([-1, 1]) * random.randint(10, 50), 0)
        )
        wanted = divided(driver)
        assert wanted != before
        for act in random.sample(acts, len(acts)):
            act(arranging, random)
            assert_divided(driver, wanted, act.__name__)
    driver.window.close()
    with next_start() as place:
        place.window.resize(SIZE)
        assert divided(WindowDriver(place, driver.qtbot)) == wanted


def commands_and_search_can_be_typed_while_a_panel_floats_and_has_the_keys(
    driver: WindowDriver,
) -> None:
    window, dock, view = (
        driver.window,
        driver.window.docks["source"],
        driver.window.parts[ConsolePanel].view,
    )
    dock.setFloating(True)
    dock.activateWindow()
    view.setFocus()
    driver.qtbot.waitUntil(view.hasFocus)
    window.commands.show_commands.trigger()
    palette = window.parts[CommandController].palette
    driver.qtbot.waitUntil(palette.field.hasFocus)
    palette.leave()
    driver.qtbot.waitUntil(view.hasFocus)
    window.commands.find.trigger()
    field = window.parts[FindController].field
    driver.qtbot.waitUntil(field.hasFocus)
    QTest.keyClick(field, Qt.Key.Key_Escape)
    driver.qtbot.waitUntil(view.hasFocus)


def the_maps_get_the_space_of_the_source_unless_the_window_is_wide(
    driver: WindowDriver,
) -> None:
    window, source = driver.window, driver.window.docks["source"]
    driver.pin("library")
    window.top.show_tab(TABS[1])
    assert not source.isVisible()
    assert window.docks["library"].isVisible()
    window.show_part("source")
    assert source.isVisible()
    window.top.show_tab(TABS[0])
    assert source.isVisible()
    assert window.docks["ops"].toggleViewAction().isChecked()
    window.resize(1900, 1000)
    window.top.show_tab(TABS[1])
    assert source.isVisible()
    # As on half of the screen.
    window.resize(960, 1000)
    assert not source.isVisible()
    window.resize(1900, 1000)
    assert source.isVisible()
    assert not window.docks["inspector"].isVisible()


@pytest.mark.quick
def test_sizes_tabs_and_titles(driver: WindowDriver) -> None:
    """All in one window, because opening it takes longer than most of this."""
    the_version_and_the_bars_of_tabs_are_those_of_these_docks(driver)
    driver.start()
    for part in (
        no_step_and_no_view_changes_the_sizes_of_the_panels,
        the_graph_is_the_largest_part_beside_the_code,
        the_maps_get_the_space_of_the_source_unless_the_window_is_wide,
        commands_and_search_can_be_typed_while_a_panel_floats_and_has_the_keys,
        with_all_panels_open_no_title_label_or_tab_is_cut,
    ):
        part(driver)
        driver.window.resize(1280, 800)
        driver.window.commands.restore.trigger()
        QApplication.processEvents()


def test_the_bars_end_and_begin_at_fixed_lines(driver: WindowDriver) -> None:
    window = driver.window
    window.resize(SIZE)
    driver.start()
    assert (window.top.geometry().bottom() + 1, window.bottom.y()) == LINES
    for width, height in ((1024, 700), (960, 1040)):
        window.resize(width, height)
        QApplication.processEvents()
        assert (window.top.height(), window.bottom.height()) == (LINES[0], SIZE.height() - LINES[1])
        assert window.parts[Inspector].height() >= 300
