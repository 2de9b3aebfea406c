"""A virtual X screen with a window manager: its keys, its mouse and its pictures."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageGrab

Box = tuple[int, int, int, int]
"""Left, top, right and bottom."""

_LEAST_WIDTH, _LEAST_HEIGHT, _MOST_HEIGHT = 40, 14, 48
"""Of a button that is filled with one color; the underline of a tab is lower."""
_LEAST_FILLED = 6
"""Rows without text; a button that only has a border in the color has fewer."""

_TOLERANCE = 3


class Screen:
    """What a person has in front of them."""

    def __init__(self, display: str) -> None:
        self.display = display
        self._environment = os.environ | {"DISPLAY": display}

    def grab(self) -> Image.Image:
        """The picture that is shown now."""
        return ImageGrab.grab(xdisplay=self.display)

    def press(self, *keys: str) -> None:
        """Press and release keys one after another, by their X names."""
        self._xdotool("key", "--clearmodifiers", *keys)

    def type(self, text: str) -> None:
        """Type a text."""
        self._xdotool("type", "--delay", "40", text)

    def click(self, x: int, y: int, times: int = 1) -> None:
        """Move the mouse to a place and click."""
        self._xdotool("mousemove", str(x), str(y), "click", "--repeat", str(times), "1")
        # A button below the pointer has another color.
        self._xdotool("mousemove", "0", "0")

    def window(self, pid: int) -> str | None:
        """Identifier of the shown window of a process."""
        found = self._xdotool("search", "--onlyvisible", "--pid", str(pid), check=False).split()
        return found[-1] if found else None

    def maximize(self, window: str) -> bool:
        """Double-click the title until the window is as wide as the screen; whether it is."""
        # The reported place is that of the content, or as far below it again as the title is high.
        for above in (10, 30, 10, 30):
            x, y, width = self._place(window)
            if width >= self.grab().width:
                return True
            # Where the header has nothing to click, if the title is elsewhere.
            self.click(x + width // 3, max(4, y - above), times=2)
            time.sleep(1)
        return self._place(window)[2] >= self.grab().width

    def _place(self, window: str) -> tuple[int, int, int]:
        """Left, top and width."""
        shell = self._xdotool("getwindowgeometry", "--shell", window)
        place = dict(line.split("=") for line in shell.split())
        return int(place["X"]), int(place["Y"]), int(place["WIDTH"])

    def _xdotool(self, *arguments: str, check: bool = True) -> str:
        command = ["xdotool", *arguments]
        done = subprocess.run(
            command,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=check,
            timeout=60,
        )
        return done.stdout


@contextmanager
def virtual_screen(size: str, folder: Path) -> Iterator[Screen]:
    """A screen of a size such as ``1280x800``; its own files go into a folder."""
    shown, shows = os.pipe()
    command = ["Xvfb", "-displayfd", str(shows), "-screen", "0", f"{size}x24"]
    server = _quiet([*command, "-nolisten", "tcp"], {}, (shows,))
    os.close(shows)
    manager = None
    try:
        with os.fdopen(shown) as pipe:
            display = f":{pipe.readline().strip()}"
        manager = _quiet(["openbox"], {"DISPLAY": display, "HOME": str(folder)}, ())
        time.sleep(1)
        yield Screen(display)
    finally:
        for process in (manager, server):
            if process is not None:
                process.terminate()
                process.wait()


def _quiet(
    command: list[str], environment: dict[str, str], descriptors: tuple[int, ...]
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        command,
        env=os.environ | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=descriptors,
    )


def filled_boxes(picture: Image.Image, color: str) -> list[Box]:
    """Places of the buttons that are filled with a color, from top to bottom."""
    wanted = np.array([int(color[at : at + 2], 16) for at in (1, 3, 5)], np.int16)
    pixels = np.asarray(picture.convert("RGB"), np.int16)
    mask = np.all(abs(pixels - wanted) <= _TOLERANCE, axis=2)
    spans: dict[tuple[int, int], list[int]] = {}
    for row in np.flatnonzero(mask.sum(axis=1) >= _LEAST_WIDTH):
        for span in _runs(mask[row]):
            spans.setdefault(span, []).append(int(row))
    # A text interrupts the rows in the middle, and corners are round.
    found = [
        (left, min(rows), right, max(rows))
        for (left, right), rows in spans.items()
        if len(rows) >= _LEAST_FILLED and _LEAST_HEIGHT <= max(rows) - min(rows) <= _MOST_HEIGHT
    ]
    boxes: list[Box] = []
    for box in sorted(found, key=lambda each: (each[1], each[0] - each[2])):
        if not any(_overlap(box, other) for other in boxes):
            boxes.append(box)
    return boxes


def _runs(row: npt.NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate(([0], row.astype(np.int8), [0]))))
    for left, right in zip(edges[::2], edges[1::2], strict=True):
        if right - left >= _LEAST_WIDTH:
            yield int(left), int(right)


def _overlap(one: Box, other: Box) -> bool:
    across = one[0] < other[2] and other[0] < one[2]
    return across and one[1] < other[3] and other[1] < one[3]
