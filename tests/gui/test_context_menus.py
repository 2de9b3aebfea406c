"""Context menus, by right click and by the Menu key."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from gradviz.gallery.registry import offer_of, scene
from gradviz.viewer.canvas.graph_panel import GraphPanel
from gradviz.viewer.console import ConsolePanel
from gradviz.viewer.outline.panel import OutlinePanel
from gradviz.viewer.timeline.panel import TimelinePanel
from tests.gui.conftest import WindowDriver

# The offscreen platform has no keyboard that a menu could grab, and says so.
pytestmark = pytest.mark.qt_log_ignore("grabbing the (keyboard|mouse)")


def open_menu() -> QMenu | None:
    menu = QApplication.activePopupWidget()
    return menu if isinstance(menu, QMenu) else None


def titles() -> list[str]:
    menu = open_menu()
    assert menu is not None
    return [action.text().replace("&", "") for action in menu.actions() if not action.isSeparator()]


def choose(text: str) -> None:
    menu = open_menu()
    assert menu is not None
    (action,) = [each for each in menu.actions() if each.text().replace("&", "") == text]
    menu.close()
    action.trigger()


def right_click(widget: QWidget, place: QPoint) -> None:
    reason = QContextMenuEvent.Reason.Mouse
    event = QContextMenuEvent(reason, place, widget.mapToGlobal(place))
    QApplication.sendEvent(widget, event)


def menu_key(widget: QWidget) -> None:
    reason = QContextMenuEvent.Reason.Keyboard
    place = widget.rect().center()
    QApplication.sendEvent(widget, QContextMenuEvent(reason, place, widget.mapToGlobal(place)))


def on_a_node(used: WindowDriver) -> None:
    view = used.window.parts[GraphPanel].view
    right_click(view.viewport(), used.node_place(1))
    assert used.state.selection == 1
    choose("Go to the Step That Executes It")
    assert used.state.number == 5


def on_the_ground_of_the_graph(used: WindowDriver) -> None:
    view = used.window.parts[GraphPanel].view
    right_click(view.viewport(), QPoint(2, 2))
    assert used.state.selection is None
    assert "Go to the Step That Executes It" not in titles()
    choose("100%")
    assert view.scale_factor == pytest.approx(1.0)


def the_menu_key_is_about_the_current_node(used: WindowDriver) -> None:
    used.state.go_to(5)
    view = used.window.parts[GraphPanel].view
    menu_key(view)
    menu = open_menu()
    assert menu is not None
    node = view.viewport().mapToGlobal(used.node_place(1))
    assert menu.geometry().adjusted(-5, -5, 5, 5).contains(node)
    choose("Copy Name")
    assert QGuiApplication.clipboard().text() == "LinearFunctionBackward"


def on_a_step_of_the_timeline(used: WindowDriver) -> None:
    bar = used.window.parts[TimelinePanel].bar
    right_click(bar, QPoint(round(bar.x_of(4)), bar.height() // 2))
    choose("Go to Step 4")
    assert used.state.number == 4
    menu_key(bar)
    assert "Go to Step 4" not in titles()
    choose("Copy Description of Step 4")
    assert QGuiApplication.clipboard().text().startswith("SumBackward0 receives")


def in_the_library(used: WindowDriver) -> None:
    library = used.window.library
    exp = library.place_of(library.entry_of(offer_of(scene("exp")).subject))
    right_click(library.viewport(), library.visualRect(exp).center())
    choose("Run")
    used.wait()
    assert used.window.top.subject.text() == "Exp"
    # A heading is nothing that can be run.
    heading = library.visualRect(exp.parent()).center()
    right_click(library.viewport(), heading)
    assert titles() == ["Copy Row"]
    choose("Copy Row")


def in_the_outline(used: WindowDriver) -> None:
    used.window.docks["outline"].show()
    used.window.docks["outline"].raise_()
    outline = used.window.parts[OutlinePanel]
    used.qtbot.waitUntil(outline.isVisible)
    place = outline.view.visualRect(outline.view.rows.place_of(1)).center()
    right_click(outline.view.viewport(), place)
    assert used.state.selection == 1
    assert "Copy Name" in titles()
    choose("Go to the Step That Made It")
    assert used.state.number == 1


def in_the_console(used: WindowDriver) -> None:
    panel = used.window.parts[ConsolePanel]
    output = panel.output
    row = next(at for at in range(9) if output.step_of(at) not in (None, 1))
    panel.view.go_to(row)
    menu_key(panel.view)
    choose(f"Go to Step {output.step_of(row)}")
    assert used.state.number == output.step_of(row)
    menu_key(panel.view)
    choose("Copy Row")
    assert QGuiApplication.clipboard().text() in output.run.texts


@pytest.mark.quick
def test_each_has_a_menu(driver: WindowDriver) -> None:
    """All in one window, because opening it takes longer than the rest."""
    driver.start()
    for place in (
        on_a_node,
        on_the_ground_of_the_graph,
        the_menu_key_is_about_the_current_node,
        on_a_step_of_the_timeline,
        in_the_outline,
        in_the_console,
        in_the_library,
    ):
        driver.state.select(None)
        driver.state.first_step()
        place(driver)
        menu = open_menu()
        if menu is not None:
            menu.close()
