"""The system's motion setting is respected; without one, animations are allowed."""

from __future__ import annotations

import plistlib
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from gradviz.viewer.preferences import Motion, Preferences
from gradviz.viewer.theme import animation_policy


@pytest.fixture
def looked_at(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend that the window is visible."""
    monkeypatch.setattr(QGuiApplication, "platformName", lambda: "xcb")
    monkeypatch.setattr(animation_policy, "_qt_setting", lambda: None)
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    monkeypatch.setattr(animation_policy.sys, "platform", "linux")


def test_a_hidden_widget_is_not_animated(qtbot: QtBot) -> None:
    assert not animation_policy.system_may_move()


@pytest.mark.parametrize(("chosen", "moves"), [("on", True), ("off", False), ("system", False)])
def test_the_users_choice_comes_first(qtbot: QtBot, chosen: Motion, moves: bool) -> None:
    preferences = Preferences(stored=False)
    preferences.motion = chosen
    assert animation_policy.may_move(preferences) is moves


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("[KDE]\nAnimationDurationFactor=0\n", False),
        ("[KDE]\nAnimationDurationFactor=0.5\n", True),
        ("[General]\nName=%{weird}\nlonely\n", True),
        ("[KDE]\nAnimationDurationFactor=never\n", True),
        ("no section at all", True),
        (None, True),
    ],
)
def test_kde_is_asked_by_its_file(
    looked_at: None,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    text: str | None,
    moves: bool,
) -> None:
    monkeypatch.setenv("XDG_CURRENT_DESKTOP", "KDE")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    if text is not None:
        (tmp_path / "kdeglobals").write_text(text)
    assert animation_policy.system_may_move() is moves


def test_a_desktop_without_a_bus_allows_motion(
    looked_at: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CURRENT_DESKTOP", "GNOME")
    assert animation_policy.system_may_move()


@pytest.mark.parametrize(("stored", "moves"), [({"reduceMotion": True}, False), ({}, True)])
def test_a_mac_is_asked_by_its_file(
    looked_at: None,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    stored: dict[str, bool],
    moves: bool,
) -> None:
    monkeypatch.setattr(animation_policy.sys, "platform", "darwin")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert animation_policy.system_may_move()
    path = tmp_path / "Library/Preferences/com.apple.universalaccess.plist"
    path.parent.mkdir(parents=True)
    path.write_bytes(plistlib.dumps(stored))
    assert animation_policy.system_may_move() is moves
    path.write_bytes(b"no list")
    assert animation_policy.system_may_move()
