"""The runs of a lesson: embedded in it, in files next to it, or recorded when they are needed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.cli.errors import UsageError
from gradviz.cli.traces import check_offer, record_offer

if TYPE_CHECKING:
    from gradviz.export.handout.stop_content import StopRun
    from gradviz.host.limits import Limits
    from gradviz.lesson.lesson import Lesson, LessonStop


class LessonRuns:
    """Finds the run of each stop.

    Args:
        lesson: The lesson.
        lesson_folder: Folder of its file, to which paths of traces are relative.
        folder: Where traces are written.
        limits: What the run of a scene may use.
    """

    def __init__(self, lesson: Lesson, lesson_folder: Path, folder: Path, limits: Limits) -> None:
        self._embedded = dict(lesson.traces)
        self._records = any(
            (not each.trace and each.run not in self._embedded)
            or (each.compared_run and self._compared_name(each) not in self._embedded)
            for each in lesson.stops
        )
        self._checked = {each.scene for each in lesson.stops if _is_checked(each)}
        self._lesson_folder, self._folder, self._limits = lesson_folder, folder, limits
        self._found: dict[str, Path | str] = {}

    @property
    def records(self) -> bool:
        """Whether a run is recorded, for a stop without a trace."""
        return self._records

    @contextlib.contextmanager
    def run_of(self, stop: LessonStop) -> Iterator[StopRun | str]:
        """Give the run of a stop, which is open until the context ends, or why there is none."""
        from gradviz.analysis.index.trace_index import index_reader
        from gradviz.export.handout.stop_content import StopRun
        from gradviz.lesson.lesson import LessonStop
        from gradviz.store.errors import TraceError
        from gradviz.store.reader import open_trace

        def opened(name: str, of: LessonStop) -> StopRun | str:
            if name not in self._found:
                self._found[name] = self._trace(name, of)
            found = self._found[name]
            if isinstance(found, str):
                return found
            try:
                reader = readers.enter_context(open_trace(found, repair=True))
                return StopRun(index=index_reader(reader), values=reader.value)
            except TraceError as error:
                return str(error)

        with contextlib.ExitStack() as readers:
            run = opened(stop.run, stop)
            if not isinstance(run, str) and stop.compared_run:
                run = replace(
                    run, other=opened(self._compared_name(stop), LessonStop(scene=stop.compare))
                )
            yield run

    def _compared_name(self, stop: LessonStop) -> str:
        """Name of the run that a stop is compared with: its own trace, or that of its scene."""
        embedded = stop.compared_run in self._embedded
        return stop.compared_run if embedded else stop.compare

    def _trace(self, name: str, stop: LessonStop) -> Path | str:
        """The trace of a stop's run, or why there is none."""
        from gradviz.gallery.registry import UnknownSceneError, offer_of, scene
        from gradviz.model.check_settings import CheckSettings

        path = self._folder / f"{len(self._found)}.gradviz"
        if name in self._embedded:
            path.write_bytes(self._embedded[name])
            return path
        if stop.trace:
            return self._lesson_folder / stop.trace
        try:
            offer = offer_of(scene(stop.scene))
            record_offer(offer, path, self._limits, "all")
        except (UnknownSceneError, UsageError) as error:
            return str(error)
        if stop.scene in self._checked:
            settings = CheckSettings(auto_cast=True)
            # The recorded run is complete however the check ends, as when the lesson is played.
            with contextlib.suppress(UsageError):
                check_offer(offer, path, self._limits, settings)
        return path


def _is_checked(stop: LessonStop) -> bool:
    """Whether the Jacobians are checked: a reader of the Jacobians tab cannot start the check."""
    return stop.check or stop.tab == "jacobians"
