"""Writes the handout of a lesson."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.catalogue.messages import say, say_count
from gradviz.catalogue.optional_packages import missing_packages
from gradviz.cli import output
from gradviz.cli.errors import UsageError, refuse_options
from gradviz.cli.handout.lesson_runs import LessonRuns
from gradviz.cli.handout.slide_export import lesson_slides
from gradviz.cli.limit_options import LIMIT_NAMES, limits_of

if TYPE_CHECKING:
    from gradviz.lesson.lesson import Lesson

_WITHOUT_EFFECT = (
    *("step", "steps", "size", "scale", "transparent", "seconds", "bare", "text", "with"),
)
_MOST_CHARACTERS = 300
"""Of a title in a PDF's properties, which are given to the process that writes it."""


def lesson_path(word: str) -> Path | None:
    """The file of a lesson that a word names: a path, or a lesson that ships with gradviz."""
    from gradviz.lesson.shipped import LESSONS, shipped_path
    from gradviz.store.file_kind import kind_of

    if word in LESSONS:
        return shipped_path(word)
    path = Path(word)
    return path if kind_of(path) == "lesson" else None


def export_handout(arguments: argparse.Namespace, lesson_file: Path) -> str:
    """Write the handout of a lesson, or its slides; return what was written.

    Raises:
        UsageError: If the lesson cannot be read, or the file cannot be written.
    """
    from gradviz.drawing.content.plain_text import label_text
    from gradviz.host.svg_rendering import PictureError, write_pdf
    from gradviz.lesson.facts import shown_text
    from gradviz.lesson.lesson import LessonError
    from gradviz.lesson.reading import read_lesson

    path: Path = arguments.output
    if path.suffix.lower() != ".pdf":
        raise UsageError(say("handout.only_pdf", path=path))
    refuse_options(arguments, _WITHOUT_EFFECT, lesson_file.name)
    if arguments.slides:
        refuse_options(arguments, ("paper",), say("command.slides"))
    else:
        refuse_options(arguments, ("theme",), lesson_file.name)
    if arguments.tab != "graph":
        raise UsageError(say("command.tab", tab=arguments.tab, path=path.name))
    # Before runs are recorded, which takes a while.
    if missing := missing_packages("view", "draw"):
        raise UsageError(missing)
    try:
        lesson = read_lesson(lesson_file)
        if not lesson.stops:
            raise UsageError(say("handout.no_stops", path=lesson_file))
        with tempfile.TemporaryDirectory(prefix="gradviz-") as folder:
            limits = limits_of(arguments)
            runs = LessonRuns(lesson, lesson_file.absolute().parent, Path(folder), limits)
            if not runs.records:
                refuse_options(arguments, LIMIT_NAMES, lesson_file.name)
            if arguments.slides:
                pages = list(lesson_slides(lesson, runs, arguments.theme or "light"))
            else:
                pages = list(_pages(lesson, runs, arguments.paper or "a4"))
        write_pdf(pages, path, label_text(shown_text(lesson.title), _MOST_CHARACTERS))
    except (LessonError, PictureError) as error:
        raise UsageError(str(error)) from None
    finally:
        output.say_progress("")
    return say_count("command.pages", len(pages), path=path)


def _pages(lesson: Lesson, runs: LessonRuns, name: str) -> Iterator[str]:
    """Draw the page of each stop, and then the answers."""
    from gradviz.export.handout.page_layout import PAPERS, page_svg, print_paint
    from gradviz.export.handout.stop_content import stop_content
    from gradviz.export.handout.stop_page import answer_columns, stop_column
    from gradviz.lesson.facts import shown_text

    paint, total, contents = print_paint(), len(lesson.stops), []
    paper = PAPERS[name]
    title = shown_text(lesson.title)
    for number, stop in enumerate(lesson.stops, 1):
        output.say_progress(say("command.drawing", done=number, total=total))
        with runs.run_of(stop) as run:
            contents.append(stop_content(stop, run, paint))
            where = say("handout.stop", number=number, total=total)
            column = stop_column(contents[-1], number, paint, paper)
        yield page_svg(paint, title, where, number, column, paper)
    for number, column in enumerate(answer_columns(contents, paint, paper), total + 1):
        yield page_svg(paint, title, say("handout.answers"), number, column, paper)
