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

from benchmarks.line import Line, MemoryUse, Timing, wall
from benchmarks.pictures import long_trace, recorded, trace_of_size

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
controller = WindowController(app, "light", remember=False, at_once=False)
controller.window.resize(1280, 800)
controller.window.show()
app.processEvents()
# The measurement ends here: a regular shutdown waits for the child process.
os._exit(0)
"""
SCENE = """
import os
from gradviz.viewer.screenshot import WindowCapture
with WindowCapture() as capture:
    capture.load("linear")
    os._exit(0)
"""
WARM_SCENE = """
import os, time
from PySide6.QtWidgets import QApplication
from gradviz.viewer.screenshot import WindowCapture
with WindowCapture() as capture:
    while capture.place.session.ready is None:
        QApplication.processEvents()
    start = time.perf_counter()
    capture.load("linear")
    print(time.perf_counter() - start, flush=True)
    os._exit(0)
"""
TORCH = "import torch"


def lines() -> Iterator[Line | MemoryUse]:
    """Yields results for startup, first scene, frames, pauses, steps and memory."""
    ours, empty = wall(lambda: _python(OURS), lambda: _python(EMPTY))
    name = "show the window with the library filled"
    yield Line(name=name, ours=ours, peer="an empty PySide6 window", peers=empty, bar=2.0)
    ours, torch = wall(lambda: _python(SCENE), lambda: _python(TORCH), runs=3)
    name = "show the first scene, cold start"
    yield Line(name=name, ours=ours, peer="import torch", peers=torch, bar=1.5)
    warm = Timing.of([float(_python_output("-c", WARM_SCENE)) for _ in range(3)])
    name = "show the first scene, once the worker is ready"
    yield Line(name=name, ours=warm, peer="import torch", peers=torch, bar=0.1)
    for count, bar in ((5_000, 0.016), (10_000, 0.033)):
        yield _frames(count, bar)
    yield from _stalls()
    yield from _steps()
    yield _memory()


def _frames(count: int, bar: float) -> Line:
    said = _python_output("-m", "benchmarks.frames", str(count))
    name = f"pan and zoom, {count:,} nodes, slowest zoom"
    return Line(name=name, ours=_timing_of(said), bar=bar)


def _stalls() -> Iterator[Line]:
    """Yields the longest pause while a synthetic and a recorded trace of 100,000 steps open."""
    with tempfile.TemporaryDirectory() as folder:
        yield _stall_in(long_trace(Path(folder), 100_000), "100,000 synthetic steps")
    with tempfile.TemporaryDirectory() as folder:
        yield _stall_in(recorded("E5", Path(folder)), "a transformer of 100,000 nodes")


def _stall_in(path: Path, what: str) -> Line:
    said = [float(_python_output("-m", "benchmarks.stall", str(path))) for _ in range(3)]
    return Line(name=f"longest pause while opening {what}", ours=Timing.of(said), bar=0.1)


def _steps() -> Iterator[Line]:
    """Yields step times in a recorded graph of 10,000 nodes and in a very long trace."""
    with tempfile.TemporaryDirectory() as folder:
        path = recorded("W6", Path(folder))
        yield _steps_in(path, "node", "10,000 recorded nodes", 0.008)
    with tempfile.TemporaryDirectory() as folder:
        path = recorded("E4", Path(folder))
        yield _steps_in(path, "node", "a transformer of 10,000 nodes", 0.008)
    with tempfile.TemporaryDirectory() as folder:
        path = long_trace(Path(folder), 100_000, "ops")
        for level in ("node", "stage", "op"):
            yield _steps_in(path, level, "100,000 synthetic steps", 0.016)


def _steps_in(path: Path, level: str, what: str, bar: float) -> Line:
    said = _python_output("-m", "benchmarks.scrub", str(path), level)
    return Line(name=f"next {level} in the window, {what}", ours=_timing_of(said), bar=bar)


def _memory() -> MemoryUse:
    """Measures the resident memory of a window with a trace of 1 GB."""
    with tempfile.TemporaryDirectory() as folder:
        path = trace_of_size(Path(folder), 1_000_000_000)
        used = int(_python_output("-m", "benchmarks.resident", str(path)))
    return MemoryUse(name="window with a trace of 1 GB", used=used, limit=400_000_000)


def _timing_of(said: str) -> Timing:
    return Timing.of([float(word) for word in said.split()])


@functools.cache
def _bytecode() -> str:
    """Returns a bytecode cache folder that is removed when this process exits."""
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    return folder.name


def _python(code: str) -> None:
    _python_output("-c", code)


def _python_output(*arguments: str) -> str:
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPYCACHEPREFIX": _bytecode()}
    # As in an installed copy, modules are compiled only once; the median leaves that run out.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, *arguments],
        stdin=subprocess.DEVNULL,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout
