"""Writes the handout or the slides of a lesson.

Its runs are embedded in it, in files next to it, shipped with it, or recorded when they are needed.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.catalogue.messages import say, say_count
from gradviz.catalogue.optional_packages import missing_packages
from gradviz.cli import output
from gradviz.cli.errors import UsageError, refuse_options, writing
from gradviz.cli.limit_options import LIMIT_NAMES, limits_of
from gradviz.cli.traces import check_offer, record_offer

if TYPE_CHECKING:
    from gradviz.analysis.index.trace_index import TraceIndex
    from gradviz.drawing.appearance.palette import PaletteTheme
    from gradviz.host.limits import Limits
    from gradviz.lesson.lesson import Lesson, LessonStop
    from gradviz.story.frame import Frame
    from gradviz.story.run import StoryRun


class LessonRuns:
    """Finds the run of each stop.

    Args:
        lesson: The lesson.
        file: Its file, to whose folder paths of traces are relative.
        folder: Where traces are written.
        limits: What the run of a scene may use.

    Attributes:
        records: Whether a run is recorded, for a stop without a trace.
    """

    def __init__(self, lesson: Lesson, file: Path, folder: Path, limits: Limits) -> None:
        from gradviz.lesson.shipped import is_shipped
        from gradviz.lesson.stop_runs import missing_runs

        self._embedded = dict(lesson.traces)
        # A reader of the Jacobians tab cannot start the check.
        self._checked = {each.run for each in lesson.stops if each.check or each.tab == "jacobians"}
        self._lesson_folder, self._folder, self._limits = file.absolute().parent, folder, limits
        self._language = self._lesson_folder.name if is_shipped(file) else None
        self._found: dict[str, Path | str] = {}
        missing = missing_runs(lesson, lesson.stops)
        self.records = any(self._shipped_key(name) is None for name in missing)

    @contextlib.contextmanager
    def run_of(self, stop: LessonStop) -> Iterator[StoryRun | str]:
        """Give the run of a stop, which is open until the context ends, or why there is none."""
        from gradviz.analysis.index.trace_index import index_reader
        from gradviz.store.errors import TraceError
        from gradviz.store.reader import open_trace
        from gradviz.story.run import StoryRun

        def opened(name: str) -> StoryRun | str:
            if name not in self._found:
                self._found[name] = self._trace(name, stop)
            found = self._found[name]
            if isinstance(found, str):
                return found
            try:
                reader = readers.enter_context(open_trace(found, repair=True))
                return StoryRun(index=index_reader(reader))
            except TraceError as error:
                return str(error)

        with contextlib.ExitStack() as readers:
            run = opened(stop.run)
            if not isinstance(run, str) and stop.compared_run:
                other = opened(stop.compared_run)
                if isinstance(other, str):
                    run = replace(run, no_other=say("handout.no_other", reason=other))
                else:
                    run = replace(run, other=other)
            yield run

    def _shipped_key(self, name: str) -> str | None:
        """Name under which a run of a shipped lesson ships; None if it does not."""
        from gradviz.store.shipped_run import shipped_run_key

        if self._language is None:
            return None
        return shipped_run_key(self._language, name, checked=name in self._checked)

    def _trace(self, name: str, stop: LessonStop) -> Path | str:
        """The trace of a stop's run or compared run, or why there is none."""
        from gradviz.gallery.registry import UnknownSceneError
        from gradviz.lesson.stop_runs import stop_offers
        from gradviz.model.check_settings import CheckSettings
        from gradviz.store.shipped_run import unpack_lesson_run

        path = self._folder / f"{len(self._found)}.gradviz"
        if name in self._embedded:
            path.write_bytes(self._embedded[name])
            return path
        if self._language is not None and (key := self._shipped_key(name)) is not None:
            unpack_lesson_run(self._language, key, path)
            return path
        if name == stop.trace:
            return self._lesson_folder / name
        try:
            offer = next(offer for each, offer in stop_offers(stop) if each == name)
            record_offer(offer, path, self._limits, "all")
        except (UnknownSceneError, UsageError) as error:
            return str(error)
        if name in self._checked:
            settings = CheckSettings(auto_cast=True)
            # The recorded run is complete however the check ends, as when the lesson is played.
            with contextlib.suppress(UsageError):
                check_offer(offer, path, self._limits, settings)
        return path


def lesson_slides(lesson: Lesson, runs: LessonRuns, command: str = "") -> Iterator[Frame]:
    """Draw the slides of each stop, then those of `gradviz.story.summary`."""
    from gradviz.story.frames import Progress, stop_frames
    from gradviz.story.summary import summary_frames
    from gradviz.story.thumbnail import stop_picture

    total = len(lesson.stops)
    pictures = {}
    for at, stop in enumerate(lesson.stops):
        output.say_progress(say("command.drawing", done=at + 1, total=total))
        with runs.run_of(stop) as run:
            progress = Progress(at=at, count=total + 1)
            yield from stop_frames(stop, lesson.last_step(at), run, progress)
            if not isinstance(run, str):
                pictures[stop] = stop_picture(stop, run)
    yield from summary_frames(lesson, pictures, command=command)


def run_slides(index: TraceIndex, places: Sequence[str]) -> Iterator[Frame]:
    """Draw the slides of each of some positions of a run."""
    from gradviz.lesson.lesson import LessonStop
    from gradviz.story.frames import Progress, stop_frames
    from gradviz.story.run import StoryRun

    run, total = StoryRun(index=index), len(places)
    for at, place in enumerate(places):
        output.say_progress(say("command.drawing", done=at + 1, total=total))
        yield from stop_frames(LessonStop(step=place), 0, run, Progress(at=at, count=total))


def write_slides(slides: Iterable[Frame], path: Path, theme: PaletteTheme, title: str) -> str:
    """Write slides as PDF or for PowerPoint; return what was written.

    Raises:
        PictureError: If the PDF cannot be written.
        UsageError: If the other one cannot.
    """
    from gradviz.drawing.appearance.palette import theme_paint

    paint = theme_paint(theme)
    if path.suffix.lower() == ".pptx":
        from gradviz.export import slides_pptx

        with writing(path) as file:
            count = slides_pptx.write_slides(file, slides, paint, title)
        return say_count("command.slides", count, path=path)
    from gradviz.export.frame_svg import frame_svg
    from gradviz.host.svg_rendering import write_pdf

    pages = [frame_svg(each, paint) for each in slides]
    write_pdf(pages, path, title)
    return say_count("command.pages", len(pages), path=path)


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


def has_slides(arguments: argparse.Namespace) -> bool:
    """Whether slides are written: if they are asked for, or the file can have nothing else."""
    return bool(arguments.slides) or arguments.output.suffix.lower() == ".pptx"


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
    from gradviz.lesson.shipped import handout_command

    path: Path = arguments.output
    is_pdf = path.suffix.lower() == ".pdf"
    if path.suffix.lower() not in (".pdf", ".pptx"):
        raise UsageError(say("handout.only_pdf", path=path))
    refuse_options(arguments, _WITHOUT_EFFECT, lesson_file.name)
    if has_slides(arguments):
        refuse_options(arguments, ("paper",), say("command.slides"))
    else:
        refuse_options(arguments, ("theme",), lesson_file.name)
    if arguments.tab != "graph":
        raise UsageError(say("command.tab", tab=arguments.tab, path=path.name))
    # Before runs are recorded, which takes a while.
    if missing := missing_packages("view" if is_pdf else "slides", "draw"):
        raise UsageError(missing)
    try:
        lesson = read_lesson(lesson_file)
        if not lesson.stops:
            raise UsageError(say("handout.no_stops", path=lesson_file))
        with tempfile.TemporaryDirectory(prefix="gradviz-") as folder:
            limits = limits_of(arguments)
            runs = LessonRuns(lesson, lesson_file, Path(folder), limits)
            if not runs.records:
                refuse_options(arguments, LIMIT_NAMES, lesson_file.name)
            title = label_text(shown_text(lesson.title), _MOST_CHARACTERS)
            if has_slides(arguments):
                slides = lesson_slides(lesson, runs, handout_command(lesson_file))
                return write_slides(slides, path, arguments.theme or "light", title)
            pages = list(_pages(lesson, runs, arguments.paper or "a4"))
            write_pdf(pages, path, title)
    except (LessonError, PictureError) as error:
        raise UsageError(str(error)) from None
    finally:
        output.say_progress("")
    return say_count("command.pages", len(pages), path=path)


def _pages(lesson: Lesson, runs: LessonRuns, name: str) -> Iterator[str]:
    """Write the pages of a handout as SVG."""
    from gradviz.export.frame_svg import frame_svg
    from gradviz.export.handout.page_layout import PAPERS, print_paint
    from gradviz.export.handout.stop_pieces import StopPieces, handout_frames, stop_pieces
    from gradviz.lesson.facts import shown_text

    total = len(lesson.stops)

    def drawn() -> Iterator[StopPieces]:
        for number, stop in enumerate(lesson.stops, 1):
            output.say_progress(say("command.drawing", done=number, total=total))
            with runs.run_of(stop) as run:
                yield stop_pieces(stop, number, run)

    paint = print_paint()
    frames = handout_frames(shown_text(lesson.title), lesson.page, drawn(), total, PAPERS[name])
    return (frame_svg(each, paint) for each in frames)
