"""How soon the window is there, and how smoothly 10,000 nodes move: wall time, offscreen."""

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
from gradviz.viewer.workplace import Workplace, make_application
app = make_application([])
place = Workplace(app, "light", remember=False, at_once=False)
place.window.resize(1280, 800)
place.window.show()
app.processEvents()
# The measurement ends here: an orderly end, which waits for the child, is not part of it.
os._exit(0)
"""
SCENE = """
import os, sys, time
from gradviz.viewer.screenshot import Photographer
start = time.perf_counter()
with Photographer() as photographer:
    for scene in sys.argv[1:]:
        photographer.load(scene)
        print(time.perf_counter() - start, flush=True)
        start = time.perf_counter()
    os._exit(0)
"""
TORCH = "import torch"


def lines() -> Iterator[Line]:
    """Yields lines for start, first scene and frames."""
    empty = wall(lambda: _python(EMPTY))
    yield Line(
        name="window painted and library filled",
        ours_s=wall(lambda: _python(OURS)),
        peer="an empty PySide6 window",
        peer_s=empty,
        bar=2.0,
    )
    torch_s = wall(lambda: _python(TORCH))
    yield Line(
        name="first scene on screen, cold",
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
    """The longest pause while a trace of 100,000 steps opens, the best of three tries."""
    # What else the machine does can only lengthen it.
    with tempfile.TemporaryDirectory() as folder:
        path = long_trace(Path(folder), 100_000)
        said = [float(_python_output("-m", "benchmarks.stall", str(path))) for _ in range(3)]
    return Line(
        name="longest pause, a trace of 100,000 steps opens",
        ours_s=min(said),
        peer="",
        peer_s=None,
        bar=0.1,
    )


def _steps() -> Iterator[Line]:
    """Steps of a window on several levels, in a trace of 100,000 steps with the ops in each."""
    with tempfile.TemporaryDirectory() as folder:
        path = long_trace(Path(folder), 100_000, "ops")
        for level in ("node", "stage", "op"):
            said = _python_output("-m", "benchmarks.scrub", str(path), level)
            for name, seconds in zip(
                ("median", "nine of ten"), map(float, said.split()), strict=True
            ):
                yield Line(
                    name=f"one {level} on in the window, 100,000 steps, {name}",
                    ours_s=seconds,
                    peer="",
                    peer_s=None,
                    bar=0.016,
                )


@functools.cache
def _bytecode() -> str:
    """A folder for compiled modules that lasts as long as this process."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return folder.name


def _python(code: str, *arguments: str) -> None:
    _python_output("-c", code, *arguments)


def _python_output(*arguments: str) -> str:
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPYCACHEPREFIX": _bytecode()}
    # As where it is installed: modules are compiled once, which the median leaves out.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout
