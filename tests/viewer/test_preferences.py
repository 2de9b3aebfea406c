"""Preferences are stored; invalid stored values are ignored."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from gradviz.viewer.preferences import Preferences
from tests.programs import run_program


def test_what_is_chosen_is_remembered(qtbot: QtBot) -> None:
    preferences = Preferences()
    with qtbot.waitSignal(preferences.changed) as caught:
        preferences.motion = "off"
    assert caught.args == ["motion"]
    preferences.text_scale = 1.25
    preferences.theme = "dark"
    again = Preferences()
    assert (again.motion, again.text_scale, again.theme) == ("off", 1.25, "dark")


def test_a_theme_for_one_process_is_not_stored(qtbot: QtBot) -> None:
    preferences = Preferences(theme="dark")
    preferences.motion = "off"
    assert (preferences.theme, Preferences().theme) == ("dark", "system")
    preferences.theme = "light"
    assert preferences.theme == Preferences().theme == "light"


def test_the_same_again_is_no_change(qtbot: QtBot) -> None:
    preferences = Preferences()
    with qtbot.assertNotEmitted(preferences.changed):
        preferences.text_scale = 1.0


def test_a_scale_stays_in_its_bounds(qtbot: QtBot) -> None:
    preferences = Preferences()
    preferences.text_scale = 50
    assert preferences.text_scale == 2.0


@pytest.mark.parametrize("stored", ["nan", "huge", "7", ["1", "2"]])
def test_an_invalid_stored_scale_is_reported_and_kept(
    qtbot: QtBot, caplog: pytest.LogCaptureFixture, stored: object
) -> None:
    QSettings().setValue("window/text_scale", stored)
    assert Preferences().text_scale == 1.0
    assert "window/text_scale" in caplog.text
    caplog.clear()


def test_an_invalid_stored_theme_is_reported_and_kept(
    qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    QSettings().setValue("window/theme", "pink")
    assert Preferences().theme == "system"
    assert "pink" in caplog.text
    caplog.clear()


def test_numbers_and_switches_keep_their_kind(qtbot: QtBot) -> None:
    preferences = Preferences()
    assert (preferences.time_limit_s, preferences.memory_percent) == (120, 50)
    assert (preferences.budget_mib, preferences.watch_files) == (256, True)
    assert (preferences.trace_mib, preferences.output_characters) == (2048, 1_000_000)
    assert preferences.legend
    preferences.time_limit_s = -5
    preferences.memory_percent = 1000
    preferences.budget_mib = 0
    preferences.watch_files = False
    again = Preferences()
    assert (again.time_limit_s, again.memory_percent) == (0, 90)
    assert (again.budget_mib, again.watch_files) == (16, False)


def test_all_is_put_back_and_what_changed_is_announced(qtbot: QtBot) -> None:
    preferences = Preferences()
    preferences.text_scale = 1.5
    preferences.watch_files = False
    heard: list[str] = []
    preferences.changed.connect(heard.append)
    preferences.reset()
    assert sorted(heard) == ["text_scale", "watch_files"]
    assert (Preferences().text_scale, Preferences().watch_files) == (1.0, True)


def test_what_is_not_stored_touches_nothing(qtbot: QtBot) -> None:
    Preferences().theme = "dark"
    other = Preferences(stored=False)
    assert other.theme == "system"
    other.theme = "light"
    other.text_scale = 2.0
    assert (other.theme, other.text_scale) == ("light", 2.0)
    assert (Preferences().theme, Preferences().text_scale) == ("dark", 1.0)
    other.reset()
    assert other.theme == "system"


def test_parts_of_the_inspector_are_remembered_and_nonsense_is_left() -> None:
    preferences = Preferences()
    preferences.folded_sections = {"ctx": False, "incoming": True}
    preferences.same_scale = False
    assert Preferences().folded_sections == {"ctx": False, "incoming": True}
    assert not Preferences().same_scale
    QSettings().setValue("inspector/sections", "ctx=maybe =true saved=true x")
    assert Preferences().folded_sections == {"": True, "saved": True}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("name", ["gradviz/gradviz.conf", "gradviz.conf"])
def test_a_pipe_in_place_of_the_settings_is_not_waited_for(name: str, tmp_path: Path) -> None:
    pipe = tmp_path / name
    pipe.parent.mkdir(exist_ok=True)
    os.mkfifo(pipe)
    program = (
        "from gradviz.viewer.window_controller import make_application\n"
        "from gradviz.viewer.preferences import Preferences\n"
        "app, preferences = make_application([]), Preferences()\n"
        "preferences.recording_level = 'all'\n"
        "print(preferences.theme)\n"
    )
    variables = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"}
    ended = run_program([sys.executable, "-c", program], timeout=100, env=variables)
    assert ended.stdout == "system\n"
    sentence = f"{pipe} is a pipe or device, not a regular file. No settings are kept."
    assert ended.stderr.splitlines() == [sentence]
