"""The lessons that ship with gradviz."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from gradviz.catalogue.messages import say
from gradviz.lesson.lesson import SUFFIX, Lesson, LessonError
from gradviz.lesson.reading import read_lesson
from gradviz.resource import resource_path

LESSONS = (
    "lecture",
    "first-function",
    "what-the-engine-does",
    "a-wrong-gradient",
    "differentiate-twice",
    "in-place-and-marks",
)
"""Names of the lessons: the 45-minute lecture, then the short ones in teaching order."""


def shipped_path(name: str) -> Path:
    """Path of a shipped lesson's file.

    Raises:
        LessonError: If there is no such lesson.
    """
    if name not in LESSONS:
        raise LessonError(say("lesson.no_lesson", name=name, names=", ".join(LESSONS)))
    return resource_path(f"lessons/{name}{SUFFIX}")


@cache
def shipped_lesson(name: str) -> Lesson:
    """Read a shipped lesson.

    Raises:
        LessonError: If there is no such lesson.
    """
    return read_lesson(shipped_path(name))


def is_shipped(path: Path) -> bool:
    """Whether a file is that of a shipped lesson, which nobody should change."""
    return path.resolve().parent == resource_path("lessons").resolve()
