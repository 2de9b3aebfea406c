"""Presenting with two screens of Qt's offscreen platform; a speaker's window on one."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from gradviz.lesson.lesson import Lesson, LessonStop
from gradviz.lesson.writing import write_lesson
from tests.builders import linear_trace, write_trace
from tests.programs import run_program

LAPTOP = {"name": "laptop", "x": 0, "y": 0, "width": 1280, "height": 800}
PROJECTOR = {"name": "projector", "x": 1280, "y": 0, "width": 1920, "height": 1080}
COMMON = {"logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}

PROGRAM = """
import json
import sys
from pathlib import Path
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from gradviz.viewer.lesson.controller import LessonController
from gradviz.viewer.lesson.lesson_player import GLIMPSE_MS, LessonPlayer
from gradviz.viewer.lesson.speaker_window import SpeakerWindow
from gradviz.viewer.window_controller import WindowController, make_application
from tests.viewer.traces import linear_reader

app = make_application([])
place = WindowController(app, "light", remember=False)
window, presenter, told = place.window, place.presenter, []

def tell(widget=window):
    QTest.qWait(200)
    told.append([widget.screen().name(), widget.geometry().getRect(), widget.isFullScreen()])

def settle():
    # A click while a stop is on its way, or just there, is kept for a moment.
    while player.is_pending:
        QTest.qWait(10)
    QTest.qWait(GLIMPSE_MS + 100)

def click(key):
    settle()
    QTest.keyClick(speaker, key)
    settle()
    told.append([player.at, speaker.headline.text()])

window.resize(1200, 760)
window.show()
place.state.show(linear_reader())
tell()
offered = [window.commands.present_on.isVisible(), presenter.screens.entries]
presenter.screens.choose("projector")
tell()
type_height = place.state.theme.font().pixelSize()
presenter.leave()
tell()
presenter.screens.choose("laptop")
tell()
presenter.leave()
tell()
at_home, told = told, []
player = window.parts[LessonPlayer]
window.parts[LessonController].open(Path(sys.argv[1]))
for _ in range(300):
    if not player.has_arrived:
        QTest.qWait(50)
window.commands.speaker_view.trigger()
(speaker,) = [each for each in app.topLevelWidgets() if isinstance(each, SpeakerWindow)]
tell()
tell(speaker)
click(Qt.Key.Key_PageDown)
# Simulated screens cannot be removed; Qt then leaves the window where nothing shows it.
app.screenRemoved.emit(speaker.screen())
tell(speaker)
tell()
click(Qt.Key.Key_PageUp)
click(Qt.Key.Key_Escape)
told.append([speaker.isVisible(), player.lesson is not None])
place.close()
print(json.dumps([offered, at_home, type_height, told]))
"""


@pytest.mark.skipif(os.environ["QT_QPA_PLATFORM"] != "offscreen", reason="makes up its screens")
@pytest.mark.sweep
def test_the_stage_and_the_speaker_have_a_screen_each(tmp_path: Path) -> None:
    write_trace(tmp_path / "run.gradviz", linear_trace())
    stops = (
        LessonStop(trace="run.gradviz", headline=each, show=("graph",)) for each in ("One", "Two")
    )
    lesson = tmp_path / "a.gradviz-lesson"
    write_lesson(Lesson(title="All", stops=tuple(stops)), lesson)
    config = tmp_path / "screens.json"
    config.write_text(json.dumps({"screens": [each | COMMON for each in (LAPTOP, PROJECTOR)]}))
    done = run_program(
        [sys.executable, "-c", PROGRAM, str(lesson)],
        timeout=120,
        env=os.environ | {"QT_QPA_PLATFORM": f"offscreen:configfile={config}"},
    )
    assert done.returncode == 0, done.stderr
    offered, told, height, spoken = json.loads(done.stdout.splitlines()[-1])
    assert offered == [True, ["laptop, 1280 × 800", "projector, 1920 × 1080"]]
    at_home = told[0]
    assert at_home[0] == "laptop"
    stage = ["laptop", [0, 0, 1280, 800], True]
    assert told == [at_home, ["projector", [1280, 0, 1920, 1080], True], at_home, stage, at_home]
    assert height >= 1080 / 40
    speaker = spoken.pop(1)
    assert (speaker[0], speaker[1][0] >= 1280) == ("projector", True)
    assert spoken == [
        stage,
        [1, "2 / 2  Two"],
        ["laptop", [200, 100, 880, 600], False],
        stage,
        [0, "1 / 2  One"],
        [0, "1 / 2  One"],
        [False, True],
    ], "without the second screen, the speaker's window is on the first, and both go on"
