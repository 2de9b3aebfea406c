"""``make pictures``: takes the README's screenshots and its film, in English.

The programs are those that the README shows, so a picture is what its reader gets.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from contextlib import chdir
from pathlib import Path

from PIL import Image

from gradviz.lesson.shipped import shipped_path
from gradviz.viewer.lesson.lesson_player import LessonPlayer
from gradviz.viewer.screenshot import WindowCapture

ROOT = Path(__file__).resolve().parents[1]
SIZE = (1280, 800)
_COLORS = 256
_STOP = 4
"""Of the lecture, from 0: the chain rule beside the numbers."""
_PROGRAM = re.compile(r"^```python\n(# (\S+\.py)\n.*?)^```", re.DOTALL | re.MULTILINE)


def readme_programs() -> dict[str, str]:
    """The README's programs by the file name in their first line."""
    return {name: text for text, name in _PROGRAM.findall((ROOT / "README.md").read_text("utf-8"))}


def main() -> int:
    """Write the pictures to ``docs/``; returns the exit code."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    pictures: dict[str, Callable[[WindowCapture], None]] = {
        "window": _library_function,
        "own-function": _own_function,
        "lecture": _lecture,
        "failing-gradcheck": _failing_gradcheck,
        "training-script": _training_script,
    }
    with tempfile.TemporaryDirectory(prefix="gradviz-pictures-") as folder, chdir(folder):
        for name, text in readme_programs().items():
            Path(name).write_text(text, encoding="utf-8")
        _gradviz("record", "train.py")
        for name, prepare in pictures.items():
            with WindowCapture("light", SIZE) as capture:
                prepare(capture)
                _shrink(capture.take(ROOT / "docs" / f"{name}.png"))
    for tab, more in (("jacobians", ()), ("compare", ("--with", "linear", "--step", "5"))):
        path = ROOT / "docs" / f"{tab}.png"
        _gradviz("screenshot", "linear-wrong", "--tab", tab, *more, "-o", str(path))
        _shrink(path)
    film = str(ROOT / "docs" / "linear.gif")
    _gradviz("export", "linear", "-o", film, "--size", "960x540", "--seconds", "2")
    return 0


def _library_function(capture: WindowCapture) -> None:
    capture.load("functional-linear")
    capture.go_to_place("5/backward/line3")


def _own_function(capture: WindowCapture) -> None:
    capture.load(Path("square.py"))
    capture.go_to(5)


def _lecture(capture: WindowCapture) -> None:
    capture.load(shipped_path("lecture"))
    capture.place.presenter.enter(full_screen=False)
    capture.place.window.parts[LessonPlayer].go_to(_STOP)


def _failing_gradcheck(capture: WindowCapture) -> None:
    capture.load(Path("square.py"))
    capture.show_jacobians(check=True)


def _training_script(capture: WindowCapture) -> None:
    capture.load(Path("train.gradviz"))
    capture.go_to(None)
    capture.show_graph(training=True)


def _gradviz(*arguments: str) -> None:
    command = [sys.executable, "-m", "gradviz", *arguments]
    subprocess.run(command, stdin=subprocess.DEVNULL, check=True)


def _shrink(path: Path) -> None:
    """Store a picture with a palette, in fewer bytes."""
    with Image.open(path) as image:
        reduced = image.convert("RGB").quantize(_COLORS, dither=Image.Dither.NONE)
    reduced.save(path, optimize=True)


if __name__ == "__main__":
    sys.exit(main())
