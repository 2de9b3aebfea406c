"""The runs that ship with the lessons, and what a picture contains."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gradviz.analysis.index.trace_index import TraceIndex, index_reader
from gradviz.drawing.appearance.text_styles import FONTS
from gradviz.drawing.display.parts import TextRun
from gradviz.lesson.lesson import LessonStop
from gradviz.store.reader import open_trace
from gradviz.store.shipped_run import lesson_run_key, lesson_run_keys, unpack_lesson_run
from gradviz.story.frame import Drawn, Frame
from gradviz.story.run import StoryRun


@contextmanager
def shipped_run(stop: LessonStop, checked: frozenset[str], folder: Path) -> Iterator[StoryRun]:
    """The run of a stop, with the one that it is compared with."""
    with opened(stop.run, stop.run in checked, folder) as index:
        if not stop.compared_run:
            yield StoryRun(index=index)
            return
        with opened(stop.compared_run, False, folder) as other:
            yield StoryRun(index=index, other=StoryRun(index=other))


@contextmanager
def opened(name: str, checked: bool, folder: Path) -> Iterator[TraceIndex]:
    key = lesson_run_key(name, checked=checked)
    assert key in lesson_run_keys("en"), key
    path = folder / f"{len(list(folder.iterdir()))}.gradviz"
    unpack_lesson_run("en", key, path)
    with open_trace(path) as reader:
        yield index_reader(reader)


def texts(frame: Frame) -> list[tuple[str, float, Drawn]]:
    """Each text of a picture, its size in pixels of a slide, and its object."""
    return [
        (part.text, FONTS[part.style].size * drawn.scale, drawn)
        for drawn in frame.drawn
        for part in drawn.parts
        if isinstance(part, TextRun)
    ]


def faults_of(frame: Frame, least: tuple[float, float]) -> list[str]:
    """What cannot be read: small or cut texts, what is missing, and what is outside.

    Args:
        frame: A picture.
        least: Smallest size of a text, and of one in a graph.
    """
    found = []
    for text, size, drawn in texts(frame):
        if size < least[drawn.key.startswith("graph:")]:
            found.append(f"small: {text!r} {size:.1f} px")
        if text.endswith(("…", "...")) and not drawn.key.startswith(("code", "graph", "sum")):
            found.append(f"cut: {text!r}")
        if drawn.key.startswith("problem"):
            found.append(f"problem: {text!r}")
    for drawn in frame.drawn:
        is_inside = -1 <= drawn.x <= frame.width + 1 and -1 <= drawn.y <= frame.height + 1
        if not is_inside and not drawn.key.startswith("graph:"):
            found.append(f"outside: {drawn.key}")
    return found
