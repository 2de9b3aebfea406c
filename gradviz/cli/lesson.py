"""``gradviz lesson``: plays a lesson in the window, offers the shipped ones, or prints them."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.catalogue.messages import say
from gradviz.cli import output
from gradviz.cli.arguments import VerbArguments
from gradviz.cli.errors import UsageError, check_window

if TYPE_CHECKING:
    from gradviz.lesson.lesson import Lesson


def add_arguments(add: VerbArguments) -> None:
    """Add the arguments of `run`."""
    add("lesson", nargs="?", metavar="FILE")
    add("--print", action="store_true")


def run(arguments: argparse.Namespace) -> int:
    """Play a lesson; without one, show those that ship with gradviz in the window, or list them."""
    from gradviz.analysis.position.view_target import ViewTarget
    from gradviz.cli.window import open_window
    from gradviz.lesson.lesson import SUFFIX, LessonError
    from gradviz.lesson.reading import read_lesson
    from gradviz.lesson.shipped import shipped_path

    if arguments.lesson is None:
        if not arguments.print and check_window():
            return open_window([], ViewTarget(panel="lesson"))
        _print_lessons()
        return 0
    given = Path(arguments.lesson)
    if given.suffix not in ("", SUFFIX):
        raise UsageError(say("lesson.other_name", path=given, suffix=SUFFIX))
    try:
        path = given if given.suffix else shipped_path(arguments.lesson)
        # A mistake in the file then ends in an error here, not in an empty window.
        lesson = read_lesson(path)
    except LessonError as error:
        raise UsageError(str(error)) from None
    if arguments.print:
        _print(lesson)
        return 0
    if not check_window():
        raise UsageError(say("lesson.no_display"))
    return open_window([path.absolute()])


def _print_lessons() -> None:
    from gradviz.lesson.shipped import LESSONS, shipped_lesson

    for name in LESSONS:
        each = shipped_lesson(name)
        minutes = f"{each.minutes:g}"
        output.say(say("lesson.listed", name=name, title=each.title, minutes=minutes))


def _print(lesson: Lesson) -> None:
    """Print the stops of a lesson with their questions, solutions and notes."""
    from gradviz.lesson.facts import shown_text, speaker_text

    for number, stop in enumerate(lesson.stops, 1):
        place = f"{stop.scene or stop.trace} {stop.step}".strip()
        headline = shown_text(stop.headline)
        output.say(say("lesson.stop", number=number, headline=headline, place=place))
        for text in (shown_text(stop.question), speaker_text(stop)):
            if text:
                output.say_lines(text)
        output.say("")
