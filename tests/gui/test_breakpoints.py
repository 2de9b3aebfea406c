"""Breakpoints in the real window: keys, marks in graph, source and timeline, playback."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from gradviz.analysis.breakpoints.breakpoint import AtLine, AtNode, WhenPrinted
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.viewer.breakpoints.breakpoint_list import BreakpointList
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.commands.context_menu import ContextMenu
from gradviz.viewer.source.panel import SourcePanel
from gradviz.viewer.timeline.panel import TimelinePanel
from tests.gui.conftest import WindowDriver
from tests.inside_builder import INSIDE_TENSORS, inside_trace
from tests.viewer.traces import MemoryReader

# The offscreen platform has no keyboard that a menu could grab, and says so.
pytestmark = pytest.mark.qt_log_ignore("grabbing the (keyboard|mouse)")

CUSTOM = AtNode(node=1, name="LinearFunctionBackward")


def press(widget: QWidget, key: str) -> None:
    combination = QKeySequence(key)[0]
    widget.setFocus()
    QTest.keyClick(widget, combination.key(), combination.keyboardModifiers())


def settled(driver: WindowDriver) -> None:
    driver.qtbot.waitUntil(lambda: not driver.window.parts[BreakpointList].busy)


def the_keys_set_and_run(used: WindowDriver) -> None:
    window, state = used.window, used.state
    view = window.parts[GraphPanel].view
    state.select(1)
    press(view, "F9")
    assert [point.target for point in window.parts[BreakpointList].points] == [CUSTOM]
    reasons, run = window.commands.reasons, window.commands.run_to_next_breakpoint
    assert reasons[run] == "the search for breakpoint hits is still running"
    assert view.accessibleDescription().endswith(", breakpoint")
    settled(used)
    assert reasons[run] == "no later step hits a breakpoint"
    state.select(None)
    state.go_to(2)
    press(view, "F8")
    assert state.place == TracePosition(step=5)
    press(window.parts[TimelinePanel].bar, "Shift+F8")
    assert state.place == TracePosition(step=1)
    # The current step is about the same node: there F9 takes it away again.
    press(window.parts[TimelinePanel].bar, "F9")
    assert window.parts[BreakpointList].points == ()
    assert not window.commands.run_to_next_breakpoint.isEnabled()


def a_line_of_the_source(used: WindowDriver) -> None:
    window, state = used.window, used.state
    window.docks["source"].raise_()
    state.go_to_place(TracePosition(step=5, stage="backward", line=6), "line")
    used.qtbot.waitUntil(lambda: bool(window.parts[SourcePanel].columns))
    press(window.parts[SourcePanel].columns[0].view, "F9")
    points = [point.target for point in window.parts[BreakpointList].points]
    assert points == [AtLine(path="linear.py", line=29, text="grad_weight = input.t().mm(doubled)")]
    settled(used)
    state.first_step()
    press(window.parts[SourcePanel].columns[0].view, "F8")
    assert (state.place, state.level) == (TracePosition(step=5, stage="backward", line=6), "line")


def stepping_by_lines_the_key_is_about_the_line(used: WindowDriver) -> None:
    window, state = used.window, used.state
    state.go_to_place(TracePosition(step=5, stage="backward", line=6), "line")
    press(window.parts[TimelinePanel].bar, "F9")
    assert window.parts[BreakpointList].lines == {("linear.py", 29): True}
    press(window.parts[TimelinePanel].bar, "F9")
    assert window.parts[BreakpointList].points == ()
    # A node that somebody selected goes first.
    state.select(1)
    press(window.parts[TimelinePanel].bar, "F9")
    assert [point.target for point in window.parts[BreakpointList].points] == [CUSTOM]


def a_click_beside_a_line(used: WindowDriver) -> None:
    window = used.window
    window.docks["source"].raise_()
    used.state.go_to_place(TracePosition(step=5, stage="backward", line=6), "line")
    used.qtbot.waitUntil(lambda: bool(window.parts[SourcePanel].columns))
    view = window.parts[SourcePanel].columns[0].view
    boxes = dict(view.boxes())
    place = QPoint(4, round(boxes[29].center().y()))
    for expected in ({("linear.py", 29): True}, {}):
        QTest.mouseClick(
            view.gutter, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place
        )
        assert window.parts[BreakpointList].lines == expected


def marks_in_graph_legend_and_timeline(used: WindowDriver) -> None:
    window = used.window
    legend = window.parts[GraphPanel].surroundings
    assert "breakpoint" not in legend.texts
    window.parts[BreakpointList].toggle_node(1)
    window.parts[BreakpointList].toggle_node(3)
    window.parts[BreakpointList].set_enabled(AtNode(node=3, name="AccumulateGrad"), False)
    settled(used)
    scene = window.parts[GraphPanel].scene
    assert scene is not None
    names = {scene.picture.nodes[card].title: on for card, on in scene.breakpoints.marks.items()}
    assert names == {"LinearFunctionBackward": True, "AccumulateGrad": False}
    assert "breakpoint" in legend.texts
    bar = window.parts[TimelinePanel].bar
    assert [number for number in range(1, 9) if bar.has_breakpoint(number)] == [1, 5]
    window.parts[BreakpointList].clear()
    assert scene.breakpoints.marks == {}
    assert "breakpoint" not in legend.texts


def the_mark_is_seen_on_its_card(used: WindowDriver) -> None:
    window = used.window
    window.parts[BreakpointList].toggle_node(1)
    for theme in ("dark", "light"):
        action = next(each for each in window.commands.themes.actions() if each.data() == theme)
        action.trigger()
        used.wait()
        scene, view = window.parts[GraphPanel].scene, window.parts[GraphPanel].view
        assert scene is not None
        box = window.parts[GraphPanel].stage.box_of(1)
        assert box is not None
        middle = view.mapFromScene(scene.breakpoints.rect(box).center())
        seen = QColor(view.viewport().grab().toImage().pixel(middle)).name()
        assert seen == used.state.theme.color("breakpoint").name()


def playing_stops_there(used: WindowDriver) -> None:
    window, state = used.window, used.state
    window.parts[BreakpointList].toggle_line("linear.py", 29)
    settled(used)
    player = window.parts[TimelinePanel].player
    player.set_speed(1000.0)
    player.toggle()
    used.qtbot.waitUntil(lambda: not player.playing)
    assert (state.place, state.level) == (TracePosition(step=5, stage="backward", line=6), "line")
    # From there on to the end.
    player.toggle()
    used.qtbot.waitUntil(lambda: not player.playing)
    assert state.number == 8


def run_to_here_stops_on_the_way(used: WindowDriver) -> None:
    window, state = used.window, used.state
    state.select(4)
    window.commands.run_here.trigger()
    assert state.place == TracePosition(step=7)
    assert not window.commands.run_here.isEnabled()
    state.first_step()
    window.parts[BreakpointList].add(WhenPrinted())
    settled(used)
    window.commands.run_here.trigger()
    assert state.place == TracePosition(step=5)


def the_menus_have_them(used: WindowDriver) -> None:
    window = used.window
    window.parts[BreakpointList].toggle_node(1)
    settled(used)
    bar = {each.text().replace("&", ""): each.menu() for each in window.menuBar().actions()}
    step = bar["Step"]
    assert isinstance(step, QMenu)
    below = next(each.menu() for each in step.actions() if each.text() == "&Breakpoints")
    assert isinstance(below, QMenu)
    assert window.commands.run_to_next_breakpoint in below.actions()
    assert window.commands.clear_breakpoints in below.actions()
    window.commands.clear_breakpoints.trigger()
    assert window.parts[BreakpointList].points == ()
    box = window.parts[GraphPanel].stage.box_of(2)
    assert box is not None
    menu = (
        window.parts[GraphPanel]
        .view.findChild(ContextMenu)
        .open(window.parts[GraphPanel].view.card_rect(box).center().toPoint())
    )
    assert window.commands.toggle_breakpoint in menu.actions()
    assert window.commands.run_here in menu.actions()
    window.commands.toggle_breakpoint.trigger()
    menu.close()
    assert window.parts[BreakpointList].nodes == {2: True}


def the_panel_goes_along(used: WindowDriver) -> None:
    window = used.window
    dock = window.docks["breakpoints"]
    dock.show()
    window.parts[BreakpointList].toggle_node(1)
    settled(used)
    used.state.go_to(5)
    panel = dock.widget()
    assert panel.view.rows.index(0, 1).data() == "hit 2 of 2"  # type: ignore[union-attr]
    assert panel.back.isEnabled()  # type: ignore[union-attr]
    QTest.mouseClick(panel.back, Qt.MouseButton.LeftButton)  # type: ignore[union-attr]
    assert used.state.place == TracePosition(step=1)


def the_menu_of_the_list(used: WindowDriver) -> None:
    window = used.window
    dock = window.docks["breakpoints"]
    dock.show()
    window.parts[BreakpointList].toggle_node(1)
    settled(used)
    view = dock.widget().view  # type: ignore[union-attr]

    def choose(text: str) -> None:
        place = view.visualRect(view.model().index(0, 0)).center()
        reason = QContextMenuEvent.Reason.Mouse
        event = QContextMenuEvent(reason, place, view.viewport().mapToGlobal(place))
        QApplication.sendEvent(view.viewport(), event)
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        (action,) = [each for each in menu.actions() if each.text().replace("&", "") == text]
        menu.close()
        action.trigger()

    choose("Go to Next Hit")
    assert used.state.place == TracePosition(step=5)
    choose("Disable")
    assert not window.parts[BreakpointList].points[0].enabled
    choose("Enable")
    choose("Remove")
    assert window.parts[BreakpointList].points == ()


def test_they_are_set_shown_and_reached(driver: WindowDriver) -> None:
    """All in one window, because opening it takes longer than the rest."""
    driver.window.activateWindow()
    # Shortcuts need an active window.
    driver.qtbot.waitUntil(driver.window.isActiveWindow)
    for part in (
        the_keys_set_and_run,
        a_line_of_the_source,
        stepping_by_lines_the_key_is_about_the_line,
        a_click_beside_a_line,
        marks_in_graph_legend_and_timeline,
        the_mark_is_seen_on_its_card,
        playing_stops_there,
        run_to_here_stops_on_the_way,
        the_menus_have_them,
        the_panel_goes_along,
        the_menu_of_the_list,
    ):
        driver.window.parts[BreakpointList].clear()
        driver.state.show(MemoryReader(inside_trace(), INSIDE_TENSORS))
        driver.state.set_level("node")
        driver.wait()
        part(driver)


@pytest.mark.quick
def test_they_survive_running_again(driver: WindowDriver) -> None:
    driver.start()
    driver.window.parts[BreakpointList].toggle_node(1)
    driver.window.commands.run.trigger()
    driver.wait()
    assert len(driver.window.parts[BreakpointList].points) == 1
    assert len(driver.window.parts[BreakpointList].steps)
    scene = driver.window.parts[GraphPanel].scene
    assert scene is not None
    assert len(scene.breakpoints.marks) == 1
