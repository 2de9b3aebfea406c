"""The lessons that ship with gradviz: a folder for each language."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from gradviz.catalogue.language import current_language
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
    """Path of a shipped lesson's file in the current language; English if the language lacks it.

    Raises:
        LessonError: If there is no such lesson.
    """
    if name not in LESSONS:
        raise LessonError(say("lesson.no_lesson", name=name, names=", ".join(LESSONS)))
    folder, file = resource_path("lessons"), f"{name}{SUFFIX}"
    translated = folder / current_language() / file
    return translated if translated.is_file() else folder / "en" / file


def shipped_lesson(name: str) -> Lesson:
    """Read a shipped lesson in the current language.

    Raises:
        LessonError: If there is no such lesson.
    """
    return _read_once(shipped_path(name))


@cache
def _read_once(path: Path) -> Lesson:
    return read_lesson(path)


def shipped_version(path: Path) -> Path:
    """Path of the same lesson in the current language, for the file of a shipped lesson."""
    return shipped_path(path.name.removesuffix(SUFFIX)) if is_shipped(path) else path


def handout_command(path: Path) -> str:
    """The command that writes the handout of a shipped lesson; empty for any other file."""
    name = path.name.removesuffix(SUFFIX)
    return f"gradviz export {name} -o handout.pdf" if is_shipped(path) else ""


def is_shipped(path: Path) -> bool:
    """Whether a file is that of a shipped lesson, which nobody should change."""
    return path.resolve().parent.parent == resource_path("lessons").resolve()
