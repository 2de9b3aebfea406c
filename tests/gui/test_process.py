"""The whole program as a process: exit codes, screenshots, nothing left running."""

from __future__ import annotations

import os
import subprocess
import sys
import uuid
from pathlib import Path

import psutil
import pytest
from PySide6.QtGui import QImage

from tests.builders import linear_trace, write_trace
from tests.programs import run_program

CLOSE_WHEN_SHOWN = """
import sys
from PySide6.QtCore import QTimer
from gradviz.viewer import app
from gradviz.viewer.session.session import Session
from gradviz.viewer.window import main_window
from gradviz.viewer.window.status_bar import WindowStatusBar
original = main_window.MainWindow.start
def start(self, *arguments):
    def end(*_):
        print(self.parts[WindowStatusBar].facts.toolTip())
        QTimer.singleShot(0, self.close)
    self.parts[Session].ended.connect(end)
    original(self, *arguments)
main_window.MainWindow.start = start
code = app.run_app([])
assert "torch" not in sys.modules
sys.exit(code)
"""


MARK = "GRADVIZ_TEST_MARK"
"""In the environment of what a test starts, since other tests have children at the same time."""


def run(code: str, *arguments: str, mark: str = "") -> subprocess.CompletedProcess[str]:
    return run_program(
        [sys.executable, "-X", "faulthandler", "-c", code, *arguments],
        env=os.environ | {MARK: mark},
        timeout=120,
    )


@pytest.mark.quick
def test_window_ends_cleanly_and_leaves_nothing_running() -> None:
    mark = uuid.uuid4().hex
    done = run(CLOSE_WHEN_SHOWN, mark=mark)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "8 steps" in done.stdout
    assert [each for each in psutil.process_iter() if _has_mark(each, mark)] == []


def _has_mark(process: psutil.Process, mark: str) -> bool:
    try:
        return process.environ().get(MARK) == mark and process.status() != "zombie"
    except psutil.Error:
        return False


@pytest.mark.quick
def test_a_marked_process_would_be_found() -> None:
    mark = uuid.uuid4().hex
    pipe, environment = subprocess.PIPE, os.environ | {MARK: mark}
    with subprocess.Popen(
        [sys.executable, "-c", "input('.')"], env=environment, stdin=pipe, stdout=pipe
    ) as child:
        # While a program is being loaded, its environment is empty.
        assert child.stdout.read(1) == b"."
        found = [each.pid for each in psutil.process_iter() if _has_mark(each, mark)]
        child.communicate(b"\n")
    assert found == [child.pid]


SCREENSHOT = """
import sys
from pathlib import Path
from gradviz.viewer.screenshot import WindowCapture, take_screenshot
looks = []
at_rest = WindowCapture._at_rest
WindowCapture._at_rest = lambda capture: looks.append(capture) or at_rest(capture)
take_screenshot(Path(sys.argv[1]), step=5, theme="dark", size=(1280, 800), out=Path(sys.argv[2]))
print(len(looks))
"""


@pytest.mark.quick
@pytest.mark.parametrize("theme", ["dark"])
def test_screenshot_of_a_trace_is_a_png_of_the_size(tmp_path: Path, theme: str) -> None:
    trace = write_trace(tmp_path / "linear.gradviz", linear_trace())
    out = tmp_path / "window.png"
    done = run(SCREENSHOT, str(trace), str(out))
    assert done.returncode == 0, done.stderr
    image = QImage(str(out))
    assert (image.width(), image.height()) == (1280, 800)
    assert image.pixelColor(640, 5).lightness() < 80
    # Otherwise it keeps the interpreter lock from the jobs that it waits for.
    assert int(done.stdout) < 1000, "it polls the window instead of waiting for it"
