"""The whole program as a process of its own: exit codes, pictures, nothing left running."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from PySide6.QtGui import QImage

from tests.builders import linear_trace, write_trace

CLOSE_WHEN_SHOWN = """
import sys
from PySide6.QtCore import QTimer
from gradviz.viewer import app, workplace
original = workplace.Workplace.__init__
def init(self, *args, **kwargs):
    original(self, *args, **kwargs)
    def end(*_):
        print(self.window.status.facts.text())
        QTimer.singleShot(0, self.window.close)
    self.session.ended.connect(end)
workplace.Workplace.__init__ = init
code = app.run_app([])
assert "torch" not in sys.modules
sys.exit(code)
"""


def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", code, *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_window_ends_cleanly_and_leaves_nothing_running() -> None:
    before = {each.pid for each in psutil.process_iter() if _is_worker(each)}
    done = run(CLOSE_WHEN_SHOWN)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "8 steps" in done.stdout
    left = {each.pid for each in psutil.process_iter() if _is_worker(each)} - before
    assert not left


def _is_worker(process: psutil.Process) -> bool:
    try:
        return "gradviz.worker" in process.cmdline() and process.status() != "zombie"
    except psutil.Error:
        return False


SCREENSHOT = """
import sys
from pathlib import Path
from gradviz.viewer.screenshot import take_screenshot
take_screenshot(Path(sys.argv[1]), step=5, theme="dark", size=(1280, 800), out=Path(sys.argv[2]))
"""


@pytest.mark.parametrize("theme", ["dark"])
def test_screenshot_of_a_trace_is_a_png_of_the_size(tmp_path: Path, theme: str) -> None:
    trace = write_trace(tmp_path / "linear.gradviz", linear_trace())
    out = tmp_path / "window.png"
    done = run(SCREENSHOT, str(trace), str(out))
    assert done.returncode == 0, done.stderr
    image = QImage(str(out))
    assert (image.width(), image.height()) == (1280, 800)
    assert image.pixelColor(640, 5).lightness() < 80
