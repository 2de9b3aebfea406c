"""The window gets a panel's dock, menu entry and keys from its declaration."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu

from gradviz.viewer.commands.command_list import key_groups
from gradviz.viewer.window import panel_registry
from gradviz.viewer.window.panel_registry import build_order, panel_packages, panel_specs
from gradviz.viewer.window.tab_order import tab_stops
from tests.gui.conftest import WindowDriver
from tests.gui.notes_panel.factory import NotesPanel


@pytest.fixture
def notes(monkeypatch: pytest.MonkeyPatch) -> None:
    packages = (*panel_packages(), "tests.gui.notes_panel")
    monkeypatch.setattr(panel_registry, "panel_packages", lambda: packages)


@pytest.mark.quick
@pytest.mark.qt_log_ignore("This plugin does not support grabbing the keyboard", extend=True)
def test_a_new_panel_is_one_declaration(notes: None, driver: WindowDriver) -> None:
    window, dock = driver.window, driver.window.docks["notes"]
    panel = window.parts[NotesPanel]
    assert dock.widget() is panel
    assert dock.isHidden()
    menus = [each for each in window.menuBar().findChildren(QMenu) if each.title() == "&Panels"]
    (entry,) = [each for each in menus[0].actions() if each.text() == "No&tes"]
    entry.trigger()
    assert panel.isVisible()
    assert window.docks["source"] in window.tabifiedDockWidgets(dock)
    assert panel in tab_stops(window)
    (group,) = [each for each in key_groups(window.menuBar()) if each.title == "In the notes"]
    assert [(row.keys, row.text) for row in group.rows] == [(("Del",), "Clear the notes")]
    panel.seen.append(1)
    driver.qtbot.keyClick(panel, Qt.Key.Key_Delete)
    assert panel.seen == []
    menu = panel.menu.open(QPoint(5, 5))
    assert menu is not None
    assert [each.text() for each in menu.actions()] == ["Clear"]
    menu.close()


@pytest.mark.quick
def test_names_are_unique_and_tabs_lie_behind_a_panel_with_a_place() -> None:
    specs = {spec.name: spec for spec in panel_specs()}
    assert len(specs) == len(panel_specs())
    for spec in specs.values():
        front = specs[spec.tab_of or spec.name]
        assert front.area == spec.area
        assert not front.tab_of
        assert front.shown
    in_front, behind = build_order(panel_specs())
    assert [spec.name for spec in in_front] == ["library", "inputs", "inspector", "source"]
    assert len(in_front) + len(behind) == len(specs)
