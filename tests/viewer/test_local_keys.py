"""The table of local keys, and that the panels follow it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QMenuBar
from pytestqt.qtbot import QtBot

from gradviz.viewer.commands.command_list import key_groups
from gradviz.viewer.inspector import KEYS as INSPECTOR_KEYS
from gradviz.viewer.local_keys import (
    FIND_KEYS,
    GRAPH_KEYS,
    MAC_ALTERNATIVES,
    TIMELINE_KEYS,
    Key,
    KeyScope,
    keys_of,
    pressed,
    with_mac_alternatives,
)
from gradviz.viewer.window.panel_registry import key_scopes
from tests.architecture.layers import PACKAGE

VIEWER = PACKAGE / "viewer"
WITHOUT_TABLE = {
    # Any key at all.
    "presenter/black_screen.py",
    # The key that opened it.
    "commands/key_sheet.py",
    # Enter does what Space does on every button.
    "inputs/fields/argument_header.py",
    # Arrows, Enter and Escape in a picture, as everywhere.
    "training/iteration_plot.py",
    "tensor_view/small/heatmap.py",
    "tensor_view/large/histogram_view.py",
    "tensor_view/large/number_table.py",
    "tensor_view/large/tensor_panel.py",
    # The view of the maps reads them.
    "jacobians/map/map_plot.py",
    # Escape closes it, as everywhere.
    "window/side_panels.py",
    # Those of every text editor.
    "source/source_editor.py",
}
"""Widgets that read keys which stand in no table, and why."""


def press(key: Qt.Key, *modifiers: Qt.KeyboardModifier) -> QKeyEvent:
    held = Qt.KeyboardModifier.NoModifier
    for each in modifiers:
        held |= each
    return QKeyEvent(QEvent.Type.KeyPress, key, held)


@pytest.mark.parametrize(
    ("scope", "event", "command"),
    [
        (TIMELINE_KEYS, press(Qt.Key.Key_Right), "next"),
        (TIMELINE_KEYS, press(Qt.Key.Key_Right, Qt.KeyboardModifier.KeypadModifier), "next"),
        (TIMELINE_KEYS, press(Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier), ""),
        (TIMELINE_KEYS, press(Qt.Key.Key_F), ""),
        (TIMELINE_KEYS, press(Qt.Key.Key_Plus, Qt.KeyboardModifier.ShiftModifier), "zoom-in"),
        (GRAPH_KEYS, press(Qt.Key.Key_F), "centre"),
        (GRAPH_KEYS, press(Qt.Key.Key_Return), "enter"),
        (GRAPH_KEYS, press(Qt.Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier), "enter"),
        (FIND_KEYS, press(Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier), "previous"),
        (INSPECTOR_KEYS, press(Qt.Key.Key_Space), ""),
    ],
)
def test_keys_are_read_by_place(scope: KeyScope, event: QKeyEvent, command: str) -> None:
    assert pressed(scope, event) == command


@pytest.mark.parametrize("scope", key_scopes(), ids=lambda scope: scope.title)
def test_no_key_has_two_meanings_in_one_panel(scope: KeyScope) -> None:
    keys = [key for local in scope.keys for key in local.keys]
    assert len(keys) == len(set(keys))
    commands = [local.command for local in scope.keys]
    assert len(commands) == len(set(commands))
    for local in scope.keys:
        assert all(not QKeySequence(key).isEmpty() for key in local.keys)
        assert keys_of(scope, local.command)


def test_the_sheet_has_every_place(qtbot: QtBot) -> None:
    bar = QMenuBar()
    qtbot.addWidget(bar)
    groups = key_groups(bar)
    assert len(groups) == len(key_scopes()) + 1
    assert len({group.title for group in groups}) == len(groups)


def test_function_keys_have_alternatives_on_a_mac() -> None:
    keys: list[Key] = ["F10", "PgDown", QKeySequence.StandardKey.Find]
    assert with_mac_alternatives(keys, "linux") == keys
    assert with_mac_alternatives(keys, "darwin") == [*keys, "Ctrl+]"]
    assert len(set(MAC_ALTERNATIVES.values())) == len(MAC_ALTERNATIVES)


def reads_keys(path: Path) -> bool:
    """Whether a module compares keys by itself, or handles key presses at all."""
    tree = ast.parse(path.read_text())
    names = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return "keyPressEvent" in names


def test_key_handlers_follow_the_table() -> None:
    hearing = {path for path in VIEWER.rglob("*.py") if reads_keys(path)}
    without = {
        str(path.relative_to(VIEWER)) for path in hearing if "pressed(" not in path.read_text()
    }
    assert without <= WITHOUT_TABLE
    assert len(hearing) > len(without)
