"""Presenting on a second screen, simulated by Qt's offscreen platform."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

LAPTOP = {"name": "laptop", "x": 0, "y": 0, "width": 1280, "height": 800}
PROJECTOR = {"name": "projector", "x": 1280, "y": 0, "width": 1920, "height": 1080}
COMMON = {"logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}

PROGRAM = """
import json
from PySide6.QtTest import QTest
from gradviz.viewer.window_controller import WindowController, make_application
from tests.viewer.traces import linear_reader

app = make_application([])
place = WindowController(app, "light", remember=False)
window, presenter, told = place.window, place.presenter, []

def tell():
    QTest.qWait(200)
    told.append([window.screen().name(), window.geometry().getRect(), window.isFullScreen()])

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
place.close()
print(json.dumps([offered, told, type_height]))
"""


def run(screens: list[dict[str, object]], folder: Path) -> tuple[list[object], list[object], int]:
    config = folder / "screens.json"
    config.write_text(json.dumps({"screens": [each | COMMON for each in screens]}))
    environment = os.environ | {"QT_QPA_PLATFORM": f"offscreen:configfile={config}"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    offered, told, height = json.loads(done.stdout.splitlines()[-1])
    return offered, told, height


@pytest.mark.skipif(os.environ["QT_QPA_PLATFORM"] != "offscreen", reason="makes up its screens")
def test_the_presenter_view_moves_to_the_other_screen_and_back(tmp_path: Path) -> None:
    offered, told, height = run([LAPTOP, PROJECTOR], tmp_path)
    assert offered == [True, ["laptop, 1280 × 800", "projector, 1920 × 1080"]]
    at_home = told[0]
    assert at_home[0] == "laptop"  # type: ignore[index]
    assert told == [
        at_home,
        ["projector", [1280, 0, 1920, 1080], True],
        at_home,
        ["laptop", [0, 0, 1280, 800], True],
        at_home,
    ]
    assert height >= 1080 / 40
