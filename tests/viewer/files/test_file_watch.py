"""Saving a file is noticed, whether it is overwritten or replaced."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gradviz.viewer.files import rerun_controller
from gradviz.viewer.files.rerun_controller import FileWatch


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text("one")
    return path


@pytest.fixture
def watch(qtbot: QtBot, path: Path) -> FileWatch:
    watch = FileWatch()
    watch.watch(path)
    return watch


def test_writing_in_place_is_noticed(qtbot: QtBot, watch: FileWatch, path: Path) -> None:
    with qtbot.waitSignal(watch.saved) as caught:
        path.write_text("three")
    assert caught.args == [path]


def test_replacing_is_noticed_again_and_again(qtbot: QtBot, watch: FileWatch, path: Path) -> None:
    for text in ("first", "second", "third"):
        new = path.with_suffix(".tmp")
        new.write_text(text)
        with qtbot.waitSignal(watch.saved):
            os.replace(new, path)


def test_removing_first_and_writing_then_is_noticed(
    qtbot: QtBot, watch: FileWatch, path: Path
) -> None:
    path.unlink()
    qtbot.wait(300)
    with qtbot.waitSignal(watch.saved):
        path.write_text("back")


def test_other_files_of_the_folder_are_nothing(qtbot: QtBot, watch: FileWatch, path: Path) -> None:
    with qtbot.assertNotEmitted(watch.saved, wait=400):
        (path.parent / "other.py").write_text("x")


def test_one_save_in_several_writes_is_noticed_once(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, path: Path
) -> None:
    # A busy machine may pause between the writes.
    monkeypatch.setattr(rerun_controller, "SETTLE_MS", 1000)
    watch = FileWatch()
    watch.watch(path)
    heard: list[object] = []
    watch.saved.connect(heard.append)
    for text in ("a", "ab", "abc"):
        path.write_text(text)
        qtbot.wait(20)
    qtbot.waitUntil(lambda: bool(heard))
    qtbot.wait(200)
    assert heard == [path]


def test_a_file_that_is_no_longer_watched_is_silent(
    qtbot: QtBot, watch: FileWatch, path: Path
) -> None:
    watch.watch(None)
    with qtbot.assertNotEmitted(watch.saved, wait=400):
        path.write_text("more")
