"""How soon the window is there, and how smoothly 10,000 nodes move: wall time, offscreen."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

from benchmarks.line import Line, wall

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
place = Workplace(app, "light", remember=False)
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


def _frames(count: int, bar: float) -> Line:
    said = _python_output("-m", "benchmarks.frames", str(count))
    return Line(
        name=f"pan and zoom, {count:,} nodes, worst frame median",
        ours_s=float(said),
        peer="",
        peer_s=None,
        bar=bar,
    )


def _python(code: str, *arguments: str) -> None:
    _python_output("-c", code, *arguments)


def _python_output(*arguments: str) -> str:
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [sys.executable, *arguments], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout
