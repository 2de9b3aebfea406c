"""A trace, lesson or text is data: however it is opened, nothing in it runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gradviz.analysis.position.view_target import ViewTarget
from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.lesson.writing import write_lesson
from gradviz.model.inputs import Offer
from gradviz.protocol.messages import DescribeRequest
from gradviz.viewer.compare.launcher import CompareLauncher
from gradviz.viewer.compare.other_run import OtherRunLoader
from gradviz.viewer.lesson.lesson_player import LessonPlayer
from gradviz.viewer.library.panel import LibraryPanel
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.session.session import Session
from gradviz.viewer.session.view_navigator import ViewNavigator
from tests.builders import linear_trace, write_trace
from tests.gui.conftest import WindowDriver
from tests.gui.test_files import drop

NAMES = ("run.gradviz", "talk.gradviz-lesson", "notes.txt", "notes", "data.json", "a.py.gradviz")
WAYS = ("open", "start", "drop", "recent", "link", "compare", "lesson", "embedded")


def contents(marker: Path) -> dict[str, bytes]:
    """Each kind of content that leaves a marker if it is run, and a lesson that names a program."""
    program = f"import torch\nopen({str(marker)!r}, 'w')\ndef f(x):\n    return x\n"
    cell = {"cell_type": "code", "source": program, "metadata": {}, "outputs": []}
    notebook = {"cells": [cell], "nbformat": 4, "nbformat_minor": 5, "metadata": {}}
    lesson = 'title = "x"\n[[stop]]\ntrace = "program.py"\n'
    return {
        "python": program.encode(),
        "with a byte order mark": b"\xef\xbb\xbf" + program.encode(),
        "notebook": json.dumps(notebook).encode(),
        "lesson": lesson.encode(),
    }


def play(driver: WindowDriver, path: Path, content: bytes, *, embeds: bool) -> None:
    """Play a lesson whose stop names a file, or has its content as a trace."""
    name = "run 1" if embeds else path.name
    traces = ((name, content),) if embeds else ()
    lesson = Lesson(title="L", stops=(LessonStop(trace=name),), traces=traces)
    file = path.with_name("main.gradviz-lesson")
    write_lesson(lesson, file)
    driver.window.start([file])
    player = driver.window.parts[LessonPlayer]
    can_be_named = embeds or name.endswith(".gradviz")
    assert (player.lesson is not None) == can_be_named
    driver.qtbot.waitUntil(lambda: bool(player.problem) or not can_be_named)
    player.leave()


def open_by(driver: WindowDriver, way: str, path: Path, content: bytes) -> None:
    parts = driver.window.parts
    ways: dict[str, Callable[[], object]] = {
        "open": lambda: parts[RunController].open_path(path),
        "start": lambda: driver.window.start([path]),
        "drop": lambda: drop(driver.window, [path]),
        "recent": lambda: parts[LibraryPanel].file_picked.emit(path),
        "link": lambda: parts[ViewNavigator].show(ViewTarget(trace=str(path))),
        "compare": lambda: parts[CompareLauncher].controller().choose_file(path),
        "lesson": lambda: play(driver, path, content, embeds=False),
        "embedded": lambda: play(driver, path, content, embeds=True),
    }
    ways[way]()
    driver.wait()


@pytest.mark.quick
@pytest.mark.parametrize("way", WAYS)
def test_no_content_of_data_is_run(
    driver: WindowDriver, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    real = Session.describe

    def describe(session: Session, request: DescribeRequest, likely: Offer | None = None) -> None:
        asked.append(request.path)
        real(session, request, likely)

    def describe_other(loader: OtherRunLoader, path: Path) -> None:
        asked.append(str(path))

    monkeypatch.setattr(Session, "describe", describe)
    monkeypatch.setattr(OtherRunLoader, "describe", describe_other)
    driver.window.start([write_trace(tmp_path / "first.gradviz", linear_trace())])
    driver.wait()
    first = driver.state.index
    marker = tmp_path / "PWNED"
    for at, (kind, content) in enumerate(contents(marker).items()):
        # Each kind is opened by each name in every other way.
        for name in NAMES[(at + WAYS.index(way)) % 2 :: 2]:
            path = tmp_path / name
            path.write_bytes(content)
            open_by(driver, way, path, content)
            assert not marker.exists(), (kind, name)
            assert asked == [], (kind, name)
            assert driver.state.index is first, (kind, name)
