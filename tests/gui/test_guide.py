"""The guide in the window: it follows the scene, and its links work."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextBlock, QTextCursor
from PySide6.QtWidgets import QToolButton

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.gallery.guide.contents import PAGES
from gradviz.gallery.registry import scene
from gradviz.viewer.compare.launcher import CompareLauncher
from gradviz.viewer.guide.current_scene import scene_of
from gradviz.viewer.guide.page_browser import PageBrowser
from gradviz.viewer.guide.panel import GuidePanel
from gradviz.viewer.session.check_controller import CheckController
from tests.gui.conftest import PATIENCE_MS, Desk

LEFT = Qt.MouseButton.LeftButton


def guide(desk: Desk) -> GuidePanel:
    """The panel, as the key brings it."""
    desk.qtbot.keyClick(desk.window, Qt.Key.Key_F1)
    desk.wait()
    panel = desk.window.docks["guide"].widget()
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


def click_link(desk: Desk, panel: GuidePanel, href: str) -> None:
    browser = panel.browser
    place = next(position for each, position in anchors(browser) if each == href)
    cursor = QTextCursor(browser.document())
    cursor.setPosition(place)
    browser.setTextCursor(cursor)
    browser.ensureCursorVisible()
    spot = browser.cursorRect(cursor).center() + QPoint(2, 0)
    desk.qtbot.mouseClick(browser.viewport(), LEFT, pos=spot)
    desk.wait()


def click(desk: Desk, button: QToolButton) -> None:
    desk.qtbot.mouseClick(button, LEFT)
    desk.wait()


def subject(desk: Desk) -> str:
    return scene_of(desk.state.index)


def test_nobody_waits_for_a_guide_that_is_not_looked_at(desk: Desk) -> None:
    desk.start()
    assert not isinstance(desk.window.docks["guide"].widget(), GuidePanel)


def test_the_page_follows_the_scene_that_is_run(desk: Desk) -> None:
    desk.start()
    panel = guide(desk)
    assert panel.isVisible()
    assert panel.name == "linear"
    desk.place.requests.run_scene(scene("exp"))
    desk.wait()
    assert panel.name == "exp"
    panel.open("check-it")
    desk.window.commands.run.trigger()
    desk.wait()
    assert panel.name == "check-it"


def test_a_link_to_a_step_moves_the_timeline(desk: Desk) -> None:
    desk.start()
    panel = guide(desk)
    click_link(desk, panel, "step:4")
    assert desk.state.place == TracePosition(step=4)
    marks = panel.browser.extraSelections()
    assert len(marks) == 1
    assert "SumBackward0" in marks[0].cursor.block().text()


def test_links_are_reached_by_tab_and_taken_by_enter(desk: Desk) -> None:
    desk.start()
    panel = guide(desk)
    browser = panel.browser
    browser.setFocus()
    desk.state.go_to(3)
    first, _ = next(anchors(browser))
    assert first.startswith("step:1")
    desk.qtbot.keyClick(browser, Qt.Key.Key_Tab)
    assert browser.hasFocus()
    assert browser.textCursor().selectedText() == "LinearFunction.forward"
    desk.qtbot.keyClick(browser, Qt.Key.Key_Return)
    desk.wait()
    assert desk.state.number == 1


def test_a_link_to_a_line_goes_into_the_step_or_as_near_as_was_recorded(desk: Desk) -> None:
    desk.start()
    panel = guide(desk)
    click_link(desk, panel, "step:5/backward/line4")
    assert desk.state.number == 5
    place = desk.state.place
    assert place is not None
    fine = desk.state.index is not None and desk.state.index.trace.origin.level == "lines"
    assert (place.line is not None) == fine
    assert desk.window.messages.isVisible() != fine


def test_a_step_of_another_page_s_scene_runs_that_first(desk: Desk) -> None:
    desk.start()
    panel = guide(desk)
    panel.open("exp")
    desk.wait()
    click_link(desk, panel, "step:3")
    assert subject(desk) == "exp"
    assert desk.state.number == 3
    assert panel.name == "exp"


def test_the_way_into_a_run_that_fails_leads_to_the_step_too(desk: Desk) -> None:
    desk.start()
    panel = guide(desk)
    panel.open("saved-changed")
    desk.wait()
    href = next(each for each, _ in anchors(panel.browser) if each.startswith("step:"))
    click_link(desk, panel, href)
    assert subject(desk) == "saved-changed"
    assert desk.state.number == int(href.removeprefix("step:").partition("/")[0])
    assert desk.state.number != desk.state.count


def test_pages_are_turned_and_come_back(desk: Desk) -> None:
    desk.start()
    panel = guide(desk)
    click(desk, panel.foot.next)
    assert panel.name == PAGES[PAGES.index("linear") + 1]
    click_link(desk, panel, "page:linear-split-merged")
    assert panel.name == "linear-split-merged"
    click(desk, panel.head.back)
    assert panel.name == "linear-split"
    click(desk, panel.head.forward)
    assert panel.name == "linear-split-merged"
    assert not panel.head.forward.isEnabled()
    contents = panel.head.contents
    assert contents.currentData() == panel.name
    assert contents.count() == len(PAGES)
    assert subject(desk) == "linear"


def test_a_check_and_a_comparison_are_begun_by_links(desk: Desk) -> None:
    desk.start()
    panel = guide(desk)
    panel.open("cube-times")
    desk.wait()
    hrefs = {href for href, _ in anchors(panel.browser)}
    assert {"check:2", "compare:cube-wrong"} <= hrefs
    click_link(desk, panel, "check:2")
    assert subject(desk) == "cube-times"
    desk.qtbot.waitUntil(
        lambda: bool(desk.state.index and desk.state.index.trace.reports), timeout=PATIENCE_MS
    )
    desk.wait()
    assert desk.state.index is not None
    assert [report.order for report in desk.state.index.trace.reports] == [2]
    assert desk.window.tabs.currentWidget() is desk.window.parts[CheckController].panel()
    click_link(desk, panel, "compare:cube-wrong")
    assert desk.window.tabs.currentWidget() is desk.window.parts[CompareLauncher].panel()


def test_another_theme_draws_the_same_page_anew(desk: Desk) -> None:
    desk.start()
    panel = guide(desk)
    before = panel.browser.document().toPlainText()
    desk.state.preferences.set_theme("dark")
    desk.wait()
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


def test_text_never_needs_to_be_scrolled_sideways(desk: Desk) -> None:
    desk.start()
    panel = guide(desk)
    for name in ("linear", "common-mistakes", "functional-linear", "scalar-tensor"):
        panel.open(name)
        desk.wait()
        assert panel.browser.horizontalScrollBar().maximum() == 0, name


def test_the_room_sees_no_guide(desk: Desk) -> None:
    desk.start()
    panel = guide(desk)
    desk.window.commands.present.trigger()
    assert not panel.isVisible()
    desk.window.commands.present.trigger()
    assert panel.isVisible()
