"""Wall time, offscreen, to show the window, paint 10,000 nodes, and open and step long traces."""

from __future__ import annotations

import atexit
import functools
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.line import Line, wall
from benchmarks.pictures import long_trace

EMPTY = """
from PySide6.QtWidgets import QApplication, QMainWindow
app = QApplication([])
window = QMainWindow()
window.resize(1280, 800)
window.show()
app.processEvents()
"""
OURS = """
import os
from gradviz.viewer.window_controller import WindowController, make_application
app = make_application([])
place = WindowController(app, "light", remember=False, at_once=False)
place.window.resize(1280, 800)
place.window.show()
app.processEvents()
# The measurement ends here: a regular shutdown waits for the child process.
os._exit(0)
"""
SCENE = """
import os, sys, time
from gradviz.viewer.screenshot import WindowCapture
start = time.perf_counter()
with WindowCapture() as capture:
    for scene in sys.argv[1:]:
        capture.load(scene)
        print(time.perf_counter() - start, flush=True)
        start = time.perf_counter()
    os._exit(0)
"""
TORCH = "import torch"


def lines() -> Iterator[Line]:
    """Yields results for startup, first scene, frames, pauses and steps."""
    empty = wall(lambda: _python(EMPTY))
    yield Line(
        name="show the window with the library filled",
        ours_s=wall(lambda: _python(OURS)),
        peer="an empty PySide6 window",
        peer_s=empty,
        bar=2.0,
    )
    torch_s = wall(lambda: _python(TORCH))
    yield Line(
        name="show the first scene, cold start",
        ours_s=wall(lambda: _python(SCENE + "\n", "linear"), runs=3),
        peer="import torch",
        peer_s=torch_s,
        bar=1.5,
    )
    for count, bar in ((5_000, 0.016), (10_000, 0.033)):
        yield _frames(count, bar)
    yield _stall()
    yield from _steps()


def _frames(count: int, bar: float) -> Line:
    said = _python_output("-m", "benchmarks.frames", str(count))
    return Line(
        name=f"pan and zoom, {count:,} nodes, worst frame median",
        ours_s=float(said),
        peer="",
        peer_s=None,
        bar=bar,
    )


def _stall() -> Line:
    """Measures the longest pause while a trace of 100,000 steps opens, best of three runs."""
    # Other load on the machine can only make the pause longer.
    with tempfile.TemporaryDirectory() as folder:
        path = long_trace(Path(folder), 100_000)
        said = [float(_python_output("-m", "benchmarks.stall", str(path))) for _ in range(3)]
    return Line(
        name="longest pause while 100,000 steps open",
        ours_s=min(said),
        peer="",
        peer_s=None,
        bar=0.1,
    )


def _steps() -> Iterator[Line]:
    """Yields step times on several levels in a trace of 100,000 steps with recorded ops."""
    with tempfile.TemporaryDirectory() as folder:
        path = long_trace(Path(folder), 100_000, "ops")
        for level in ("node", "stage", "op"):
            said = _python_output("-m", "benchmarks.scrub", str(path), level)
            for name, seconds in zip(
                ("median", "90th percentile"), map(float, said.split()), strict=True
            ):
                yield Line(
                    name=f"next {level} in the window, 100,000 steps, {name}",
                    ours_s=seconds,
                    peer="",
                    peer_s=None,
                    bar=0.016,
                )


@functools.cache
def _bytecode() -> str:
    """Returns a bytecode cache folder that is removed when this process exits."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return folder.name


def _python(code: str, *arguments: str) -> None:
    _python_output("-c", code, *arguments)


def _python_output(*arguments: str) -> str:
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPYCACHEPREFIX": _bytecode()}
    # As in an installed copy, modules are compiled only once; the median leaves that run out.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout
