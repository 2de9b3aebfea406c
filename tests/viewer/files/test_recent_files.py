"""Recent files: newest first, without duplicates, remembered, robust to bad settings."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from pytestqt.qtbot import QtBot

from gradviz.viewer.files.recent_files import MOST_RECENT, RecentFiles, RecentMenu


def test_the_newest_is_first_and_each_file_is_listed_once(qtbot: QtBot, tmp_path: Path) -> None:
    recent = RecentFiles()
    one, two = tmp_path / "one.py", tmp_path / "two.gradviz"
    for path in (one, two, one):
        recent.add(path)
    assert recent.paths == (one, two)
    assert RecentFiles().paths == (one, two)


def test_it_is_as_long_as_there_are_keys(qtbot: QtBot, tmp_path: Path) -> None:
    recent = RecentFiles()
    for number in range(12):
        recent.add(tmp_path / f"{number}.py")
    assert len(recent.paths) == MOST_RECENT
    assert recent.paths[0].name == "11.py"


def test_a_single_file_is_read_back(qtbot: QtBot, tmp_path: Path) -> None:
    RecentFiles().add(tmp_path / "only.py")
    QSettings().sync()
    assert RecentFiles().paths == (tmp_path / "only.py",)


def test_removing_and_clearing_are_announced(qtbot: QtBot, tmp_path: Path) -> None:
    recent = RecentFiles()
    recent.add(tmp_path / "a.py")
    recent.add(tmp_path / "b.py")
    with qtbot.waitSignal(recent.changed):
        recent.remove(tmp_path / "a.py")
    assert recent.paths == (tmp_path / "b.py",)
    with qtbot.waitSignal(recent.changed):
        recent.clear()
    assert recent.paths == ()
    with qtbot.assertNotEmitted(recent.changed):
        recent.clear()


def test_an_invalid_stored_value_is_reported_and_kept(
    qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    QSettings().setValue("files/recent", {"a": 1})
    assert RecentFiles().paths == ()
    assert "files/recent" in caplog.text
    caplog.clear()


def test_nothing_is_stored_where_nothing_shall_be(qtbot: QtBot, tmp_path: Path) -> None:
    recent = RecentFiles(stored=False)
    recent.add(tmp_path / "secret.py")
    assert recent.paths == (tmp_path / "secret.py",)
    assert RecentFiles().paths == ()


def test_the_menu_shows_names_with_keys_and_picks_paths(qtbot: QtBot, tmp_path: Path) -> None:
    from PySide6.QtWidgets import QWidget

    window = QWidget()
    qtbot.addWidget(window)
    recent = RecentFiles()
    menu = RecentMenu(recent, window)
    assert not menu.menuAction().isEnabled()
    recent.add(tmp_path / "old.py")
    recent.add(tmp_path / "black & white.gradviz")
    shown = [action for action in menu.actions() if action.isVisible() and action.data()]
    assert [action.text() for action in shown] == ["&1  black && white.gradviz", "&2  old.py"]
    assert [action.shortcut().toString() for action in shown] == ["Ctrl+1", "Ctrl+2"]
    with qtbot.waitSignal(menu.picked) as caught:
        shown[1].trigger()
    assert caught.args == [tmp_path / "old.py"]
    menu.clear_list.trigger()
    assert not menu.menuAction().isEnabled()
    assert not any(action.isEnabled() for action in menu.actions() if action.data())
