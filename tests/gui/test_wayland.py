"""Presenting with two screens on Wayland; Weston draws them in windows of the X display."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QGuiApplication, QImage
from pytestqt.qtbot import QtBot

from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.lesson.writing import write_lesson
from tests.builders import linear_trace, write_trace

pytestmark = [
    pytest.mark.xcb,
    pytest.mark.quick,
    pytest.mark.skipif(shutil.which("weston") is None, reason="needs weston"),
]

SOCKET = "gradviz-test"
EMPTY = "#2050a0"
"""Color of a screen without windows."""

WESTON = f"""
[core]
idle-time=0
[shell]
background-color=0xff{EMPTY[1:]}
background-type=tile
panel-position=none
locking=false
"""
COVERING = ("own", "beside")
OUTPUTS = ("--output-count=2", "--width=900", "--height=560")

PROGRAM = """
import json
import sys
from pathlib import Path
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from gradviz.viewer.lesson.controller import LessonController
from gradviz.viewer.lesson.lesson_player import LessonPlayer
from gradviz.viewer.lesson.speaker_window import SpeakerWindow
from gradviz.viewer.window_controller import WindowController, make_application

app = make_application([])
place = WindowController(app, "light", remember=False)
window, presenter = place.window, place.presenter

def say(**what):
    print(json.dumps(what), flush=True)
    sys.stdin.readline()

def wait_for(condition):
    QTest.qWait(100)
    for _ in range(400):
        if condition():
            break
        QTest.qWait(25)
    QTest.qWait(100)

def tell(what):
    size, state = list(window.size().toTuple()), window.isMaximized()
    say(what=what, size=size, maximized=state, window=window.isFullScreen())

def show_notes(what):
    window.commands.speaker_view.trigger()
    (speaker,) = [each for each in app.topLevelWidgets() if isinstance(each, SpeakerWindow)]
    wait_for(lambda: speaker.isFullScreen() and speaker.notes.isVisible() or what == "small")
    say(what=what, notes=speaker.notes.isVisible(), full=speaker.isFullScreen())
    if what == "small":
        QTest.keyClick(speaker, Qt.Key.Key_Return)
        say(what="revealed", notes=speaker.notes.isVisible())
    speaker.close()

player = window.parts[LessonPlayer]
window.show_on_screen()
wait_for(window.isMaximized)
tell("start")
window.parts[LessonController].open(Path(sys.argv[1]))
wait_for(lambda: player.has_arrived and window.isFullScreen())
show_notes("own")
presenter.leave()
wait_for(lambda: not window.isFullScreen())
for screen in reversed(app.screens()):
    presenter.screens.choose(screen.name())
    wait_for(window.isFullScreen)
    tell("stage")
    show_notes("beside")
    presenter.leave()
    wait_for(lambda: not window.isFullScreen() and window.isMaximized())
    tell("left")
show_notes("small")
window.showNormal()
wait_for(lambda: not window.isMaximized())
tell("normal")
size = window.size()
window.commands.present.trigger()
wait_for(window.isFullScreen)
presenter.leave()
wait_for(lambda: window.size() == size)
tell("normal")
place.close()
"""


@pytest.fixture
def runtime(tmp_path: Path, qapp: object) -> Iterator[Path]:
    """The folder with the socket of a running Weston."""
    # The path of a socket has at most 107 bytes.
    runtime = Path(tempfile.mkdtemp(prefix="weston-"))
    config = tmp_path / "weston.ini"
    config.write_text(WESTON)
    command = ["weston", "--backend=x11-backend.so", *OUTPUTS, f"--socket={SOCKET}"]
    weston = subprocess.Popen(
        [*command, f"--config={config}"],
        env=os.environ | {"XDG_RUNTIME_DIR": str(runtime)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield runtime
    finally:
        weston.terminate()
        weston.wait()
        shutil.rmtree(runtime)


def empty_pixels() -> list[int]:
    """Return how many pixels of Weston's screens show no window, and where the first one is."""
    picture = QGuiApplication.primaryScreen().grabWindow(0).toImage()
    image = picture.convertToFormat(QImage.Format.Format_RGB32)
    pixels, color = bytes(image.constBits()), QColor(EMPTY).rgb().to_bytes(4, sys.byteorder)
    return [pixels.count(color), pixels.find(color)]


def test_stage_and_notes_have_a_screen_each_and_sizes_come_back(
    runtime: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    write_trace(tmp_path / "run.gradviz", linear_trace())
    stops = tuple(LessonStop(trace="run.gradviz", headline=each) for each in ("One", "Two"))
    lesson = tmp_path / "a.gradviz-lesson"
    write_lesson(Lesson(title="All", stops=stops), lesson)
    qtbot.waitUntil(lambda: empty_pixels()[0] > 100_000)
    environ = {"XDG_RUNTIME_DIR": str(runtime), "WAYLAND_DISPLAY": SOCKET}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(lesson)],
        env=os.environ | environ | {"QT_QPA_PLATFORM": "wayland"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        told = []
        for line in child.stdout:
            qtbot.wait(100)
            told.append([*json.loads(line).values(), *empty_pixels()])
            child.stdin.write("\n")
            child.stdin.flush()
        assert child.stderr is not None
        errors = child.stderr.read()
    assert child.returncode == 0, errors
    assert errors == ""
    maximized, stage, beside = [[894, 527], True, False], [[900, 560], True, True], [True, True]
    normal = [told[-1][1], False, False]
    assert [line[:-2] for line in told] == [
        ["start", *maximized],
        ["own", *beside],
        *2 * [["stage", *stage], ["beside", *beside], ["left", *maximized]],
        ["small", False, False],
        ["revealed", True],
        ["normal", *normal],
        ["normal", *normal],
    ]
    # The stage and the notes cover a screen each, and the stage was on each of them.
    empty = [line[-2:] for line in told]
    assert [
        count for (what, *_), (count, _) in zip(told, empty, strict=True) if what in COVERING
    ] == [0] * 3
    first, second = (where for what, *_, count, where in told if what == "stage" and count)
    assert first != second
