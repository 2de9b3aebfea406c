"""The editor command starts detached, and reports problems."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gradviz.model.source import Location
from gradviz.model.trace import Trace
from gradviz.viewer.actions import Actions
from gradviz.viewer.source.editor_controller import EditorController
from gradviz.viewer.source.panel import SourcePanel
from gradviz.viewer.state import ViewerState
from gradviz.viewer.theme.theme import LIGHT
from tests.inside_builder import TEXT, inside_trace
from tests.viewer.source.traces import reader
from tests.viewer.view_requests import requests_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="programs are made as scripts here")


class EditorDriver:
    def __init__(self, qtbot: QtBot) -> None:
        self.owner = QWidget()
        qtbot.addWidget(self.owner)
        self.state = ViewerState(LIGHT)
        self.actions = Actions(self.owner)
        self.panel = SourcePanel(
            self.state, requests_of(self.state), self.owner, actions=self.actions
        )
        control = EditorController(self.state, self.panel, self.actions, self.owner)
        self.message_emitted: list[tuple[str, str]] = []
        control.message_emitted.connect(
            lambda text, kind: self.message_emitted.append((text, kind))
        )
        self.owner.resize(900, 300)
        self.owner.show()


@pytest.fixture
def driver(qtbot: QtBot) -> EditorDriver:
    return EditorDriver(qtbot)


def at_path(path: str) -> Trace:
    def moved(location: Location | None) -> Location | None:
        return None if location is None else replace(location, path=path)

    trace = inside_trace()
    call = trace.calls[0]
    call = replace(call, forward=moved(call.forward), backward=moved(call.backward))
    return replace(trace, calls=(call,), sources=(replace(trace.sources[0], path=path),))


@pytest.fixture
def editor(tmp_path: Path) -> Path:
    """A program that stores its arguments."""
    program = tmp_path / "my editor"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{tmp_path}/given.new"\n'
                       f'mv "{tmp_path}/given.new" "{tmp_path}/given"\n')  # fmt: skip
    program.chmod(0o755)
    return program


def test_the_editor_gets_file_and_line(
    driver: EditorDriver, editor: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    file = tmp_path / "it's mine.py"
    file.write_text(TEXT)
    driver.state.preferences.editor = f"'{editor}' --line {{line}} {{file}}"
    driver.state.show(reader(at_path(str(file))))
    assert driver.actions.edit_source.isEnabled()
    places: list[Location] = []
    driver.panel.edit_here_requested.connect(places.append)
    driver.actions.edit_here.trigger()
    assert [(each.path, each.line) for each in places] == [(str(file), 12)]
    driver.state.presentation.set_presenting(True)
    assert not driver.actions.edit_here.isEnabled()
    driver.actions.edit_source.trigger()
    given = tmp_path / "given"
    qtbot.waitUntil(given.exists)
    assert given.read_text().splitlines() == ["--line", "12", str(file)]
    assert driver.message_emitted == []


def test_a_changed_file_is_reported(
    driver: EditorDriver, editor: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    file = tmp_path / "mine.py"
    file.write_text(TEXT + "# edited\n")
    driver.state.preferences.editor = f"'{editor}' {{file}}"
    driver.state.show(reader(at_path(str(file))))
    driver.actions.edit_source.trigger()
    ((text, kind),) = driver.message_emitted
    assert text.startswith("mine.py has changed since it was recorded: line 12")
    assert kind == "info"
    qtbot.waitUntil((tmp_path / "given").exists)


def test_without_the_file_there_is_nothing_to_open(driver: EditorDriver) -> None:
    driver.state.show(reader())
    assert not driver.actions.edit_source.isEnabled()
    assert not driver.actions.edit_here.isEnabled()
    assert not driver.panel.forward.edit.isEnabled()
    assert "not on this machine" in driver.panel.forward.edit.toolTip()


def test_showing_a_trace_touches_no_file_that_it_names(
    driver: EditorDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    touched: list[str] = []

    def recorded(original: Any, path: Any, *args: Any, **more: Any) -> Any:
        if "evil" in str(path):
            touched.append(str(path))
        return original(path, *args, **more)

    for name in ("stat", "access", "open"):
        monkeypatch.setattr(os, name, partial(recorded, getattr(os, name)))
    driver.state.show(reader(at_path("/net/evil/share/x.py")))
    assert driver.actions.edit_source.isEnabled()
    assert driver.actions.edit_here.isEnabled()
    assert touched == []
    driver.actions.edit_source.trigger()
    ((text, kind),) = driver.message_emitted
    assert text == "This Python file does not exist on this machine: /net/evil/share/x.py"
    assert kind == "error"
    assert touched == ["/net/evil/share/x.py"]


def test_an_editor_that_is_not_there_is_named(driver: EditorDriver, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(TEXT)
    driver.state.preferences.editor = "no-such-editor {file}"
    driver.state.show(reader(at_path(str(file))))
    driver.actions.edit_source.trigger()
    ((text, kind),) = driver.message_emitted
    assert "No editor could be started" in text
    assert kind == "error"
