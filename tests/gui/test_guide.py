"""The guide in the window: it follows the scene, and its links work."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextBlock, QTextCursor
from PySide6.QtWidgets import QToolButton

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.scene_of_trace import scene_of
from gradviz.gallery.guide.contents import PAGES
from gradviz.gallery.registry import scene
from gradviz.viewer.compare.launcher import CompareLauncher
from gradviz.viewer.guide.page_browser import PageBrowser
from gradviz.viewer.guide.panel import GuidePanel
from gradviz.viewer.session.check_controller import CheckController
from tests.gui.conftest import WindowDriver

LEFT = Qt.MouseButton.LeftButton


def guide(driver: WindowDriver) -> GuidePanel:
    """The panel, opened by its key."""
    driver.qtbot.keyClick(driver.window, Qt.Key.Key_F1)
    driver.wait()
    panel = driver.window.docks["guide"].widget()
    assert isinstance(panel, GuidePanel)
    return panel


def anchors(browser: PageBrowser) -> Iterator[tuple[str, int]]:
    """Where each link leads, and the position of its second character."""
    block: QTextBlock = browser.document().begin()
    while block.isValid():
        pieces = block.begin()
        while not pieces.atEnd():
            piece = pieces.fragment()
            if piece.charFormat().isAnchor():
                yield piece.charFormat().anchorHref(), piece.position() + 1
            pieces += 1
        block = block.next()


def click_link(driver: WindowDriver, panel: GuidePanel, href: str) -> None:
    browser = panel.browser
    place = next(position for each, position in anchors(browser) if each == href)
    cursor = QTextCursor(browser.document())
    cursor.setPosition(place)
    browser.setTextCursor(cursor)
    browser.ensureCursorVisible()
    spot = browser.cursorRect(cursor).center() + QPoint(2, 0)
    driver.qtbot.mouseClick(browser.viewport(), LEFT, pos=spot)
    driver.wait()


def click(driver: WindowDriver, button: QToolButton) -> None:
    driver.qtbot.mouseClick(button, LEFT)
    driver.wait()


def subject(driver: WindowDriver) -> str:
    return scene_of(driver.state.index)


def the_page_follows_the_scene_that_is_run(driver: WindowDriver, panel: GuidePanel) -> None:
    driver.controller.requests.run_scene(scene("exp"))
    driver.wait()
    assert panel.name == "exp"
    panel.open("check-it")
    driver.window.commands.run.trigger()
    driver.wait()
    assert panel.name == "check-it"


def a_link_to_a_step_moves_the_timeline(driver: WindowDriver, panel: GuidePanel) -> None:
    click_link(driver, panel, "step:4")
    assert driver.state.place == TracePosition(step=4)
    marks = panel.browser.extraSelections()
    assert len(marks) == 1
    assert "SumBackward0" in marks[0].cursor.block().text()


def links_are_reached_by_tab_and_taken_by_enter(driver: WindowDriver, panel: GuidePanel) -> None:
    browser = panel.browser
    browser.setFocus()
    driver.state.go_to(3)
    first, _ = next(anchors(browser))
    assert first.startswith("step:1")
    driver.qtbot.keyClick(browser, Qt.Key.Key_Tab)
    assert browser.hasFocus()
    assert browser.textCursor().selectedText() == "LinearFunction.forward"
    driver.qtbot.keyClick(browser, Qt.Key.Key_Return)
    driver.wait()
    assert driver.state.number == 1


def a_link_to_a_line_goes_as_near_as_was_recorded(driver: WindowDriver, panel: GuidePanel) -> None:
    click_link(driver, panel, "step:5/backward/line4")
    assert driver.state.number == 5
    place = driver.state.place
    assert place is not None
    fine = driver.state.index is not None and driver.state.index.trace.origin.level == "all"
    assert (place.line is not None) == fine
    assert driver.window.messages.isVisible() != fine


def a_step_of_another_page_s_scene_runs_that_first(driver: WindowDriver, panel: GuidePanel) -> None:
    panel.open("exp")
    driver.wait()
    click_link(driver, panel, "step:3")
    assert subject(driver) == "exp"
    assert driver.state.number == 3
    assert panel.name == "exp"


def a_run_that_fails_is_shown_at_the_step(driver: WindowDriver, panel: GuidePanel) -> None:
    panel.open("saved-changed")
    driver.wait()
    href = next(each for each, _ in anchors(panel.browser) if each.startswith("step:"))
    click_link(driver, panel, href)
    assert subject(driver) == "saved-changed"
    assert driver.state.number == int(href.removeprefix("step:").partition("/")[0])
    assert driver.state.number != driver.state.count


def pages_are_turned_and_come_back(driver: WindowDriver, panel: GuidePanel) -> None:
    click(driver, panel.foot.next)
    assert panel.name == PAGES[PAGES.index("linear") + 1]
    click_link(driver, panel, "page:linear-split-merged")
    assert panel.name == "linear-split-merged"
    click(driver, panel.head.back)
    assert panel.name == "linear-split"
    click(driver, panel.head.forward)
    assert panel.name == "linear-split-merged"
    assert not panel.head.forward.isEnabled()
    contents = panel.head.contents
    assert contents.currentData() == panel.name
    assert contents.count() == len(PAGES)
    assert subject(driver) == "linear"


def a_check_and_a_comparison_are_begun_by_links(driver: WindowDriver, panel: GuidePanel) -> None:
    panel.open("cube-times")
    driver.wait()
    hrefs = {href for href, _ in anchors(panel.browser)}
    assert {"check:2", "compare:cube-wrong"} <= hrefs
    click_link(driver, panel, "check:2")
    assert subject(driver) == "cube-times"
    driver.qtbot.waitUntil(lambda: bool(driver.state.index and driver.state.index.trace.reports))
    driver.wait()
    assert driver.state.index is not None
    assert [report.order for report in driver.state.index.trace.reports] == [2]
    assert driver.window.tabs.currentWidget() is driver.window.parts[CheckController].panel()
    click_link(driver, panel, "compare:cube-wrong")
    assert (
        driver.window.tabs.currentWidget()
        is driver.window.parts[CompareLauncher].controller().panel
    )


def changing_the_theme_redraws_the_page(driver: WindowDriver, panel: GuidePanel) -> None:
    before = panel.browser.document().toPlainText()
    driver.state.preferences.theme = "dark"
    driver.wait()
    assert panel.browser.document().toPlainText() == before
    grab = panel.browser.viewport().grab().toImage()
    colors = {
        grab.pixelColor(x, y).lightness() > 128
        for x in range(0, grab.width(), 7)
        for y in range(0, grab.height(), 7)
    }
    dark = sum(
        grab.pixelColor(x, y).lightness() < 64
        for x in range(0, grab.width(), 7)
        for y in range(0, grab.height(), 7)
    )
    assert colors == {True, False}
    assert dark > 0.7 * len(range(0, grab.width(), 7)) * len(range(0, grab.height(), 7))


def text_never_needs_to_be_scrolled_sideways(driver: WindowDriver, panel: GuidePanel) -> None:
    for name in ("linear", "common-mistakes", "functional-linear", "scalar-tensor"):
        panel.open(name)
        driver.wait()
        assert panel.browser.horizontalScrollBar().maximum() == 0, name


def presenter_mode_hides_the_guide(driver: WindowDriver, panel: GuidePanel) -> None:
    driver.window.commands.present.trigger()
    assert not panel.isVisible()
    driver.window.commands.present.trigger()
    assert panel.isVisible()


@pytest.mark.quick
def test_a_page_is_read_and_leads_into_the_run(driver: WindowDriver) -> None:
    """All in one window, because opening it takes longer than the rest."""
    driver.start()
    # While it is hidden, it is not loaded.
    assert not isinstance(driver.window.docks["guide"].widget(), GuidePanel)
    panel = guide(driver)
    assert panel.isVisible()
    assert panel.name == "linear"
    for part in (
        links_are_reached_by_tab_and_taken_by_enter,
        a_link_to_a_step_moves_the_timeline,
        a_link_to_a_line_goes_as_near_as_was_recorded,
        presenter_mode_hides_the_guide,
        pages_are_turned_and_come_back,
        text_never_needs_to_be_scrolled_sideways,
        changing_the_theme_redraws_the_page,
    ):
        part(driver, panel)


def test_pages_of_other_scenes_run_them(driver: WindowDriver) -> None:
    """All in one window, too; here each part runs another scene than the one before."""
    driver.start()
    panel = guide(driver)
    for part in (
        a_step_of_another_page_s_scene_runs_that_first,
        a_run_that_fails_is_shown_at_the_step,
        the_page_follows_the_scene_that_is_run,
        a_check_and_a_comparison_are_begun_by_links,
    ):
        part(driver, panel)
