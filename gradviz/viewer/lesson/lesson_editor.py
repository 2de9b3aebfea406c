"""Changes a lesson: each change is written to its file at once."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from gradviz.analysis.position.position_paths import position_path
from gradviz.lesson.lesson import SUFFIX, Lesson, LessonError, LessonStop
from gradviz.lesson.selection import node_title
from gradviz.lesson.shipped import is_shipped
from gradviz.lesson.writing import write_lesson
from gradviz.store.errors import TraceError
from gradviz.store.finalize import save_copy
from gradviz.store.header import refuse_special
from gradviz.text.narration import describe_position, describe_revealed
from gradviz.text.provenance import element_name
from gradviz.viewer.commands.link_commands import LinkCommands
from gradviz.viewer.lesson.lesson_player import LessonPlayer
from gradviz.viewer.session.session import Session
from gradviz.viewer.state import ViewerState


class LessonEditor(QObject):
    """Adds, moves, changes and removes stops of the lesson that is played.

    A lesson that ships with gradviz is not changed; its copy is.

    Signals:
        failed: A sentence on a change that could not be made.
    """

    failed = Signal(str)

    def __init__(
        self,
        state: ViewerState,
        session: Session,
        player: LessonPlayer,
        links: LinkCommands,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._session = session
        self._player = player
        self._links = links
        self._window = parent

    def add_view(self) -> None:
        """Add the current view after the current stop, or to a new lesson."""
        path = self._own_path()
        if path is None or self._state.place is None:
            return
        try:
            stop, embedded = self._stop_of_view(self._player.lesson)
        except (TraceError, OSError) as error:
            self.failed.emit(str(error))
            return
        lesson = self._player.lesson or Lesson(title=path.stem)
        at = self._player.at + 1 if self._player.lesson is not None else 0
        stops = (*lesson.stops[:at], stop, *lesson.stops[at:])
        self._write(replace(lesson, stops=stops, traces=(*lesson.traces, *embedded)), path, at)

    def move(self, at: int, by: int) -> int:
        """Move a stop up (-1) or down (1); return its position."""

        def moved(stops: list[LessonStop]) -> int:
            to = max(0, min(at + by, len(stops) - 1))
            stops.insert(to, stops.pop(at))
            return to

        return self._change(at, moved)

    def remove(self, at: int) -> int:
        """Remove a stop, except the last one; return the position of the one in its place."""

        def removed(stops: list[LessonStop]) -> int:
            if len(stops) > 1:
                del stops[at]
            return min(at, len(stops) - 1)

        return self._change(at, removed)

    def replace_stop(self, at: int, stop: LessonStop) -> int:
        """Replace a stop, for example with other texts; return its position."""

        def replaced(stops: list[LessonStop]) -> int:
            stops[at] = stop
            return at

        return self._change(at, replaced)

    def _change(self, at: int, change: Callable[[list[LessonStop]], int]) -> int:
        """Change a list of the stops; the stop whose view is shown stays the current one.

        Args:
            at: Position of the stop to change.
            change: Changes the list and returns the position of the stop afterwards.

        Returns:
            The position of the stop afterwards; the same one if nothing was written.
        """
        lesson, path = self._player.lesson, self._own_path()
        if lesson is None or path is None:
            return at
        stops, current = list(lesson.stops), lesson.stops[self._player.at]
        to = change(stops)
        shown = next((row for row, stop in enumerate(stops) if stop is current), to)
        return to if self._write(replace(lesson, stops=tuple(stops)), path, shown) else at

    def _write(self, lesson: Lesson, path: Path, at: int) -> bool:
        used = {name for stop in lesson.stops for name in (stop.run, stop.compared_run)}
        kept = tuple(each for each in lesson.traces if each[0] in used)
        lesson = replace(lesson, traces=kept)
        try:
            write_lesson(lesson, path)
        except LessonError as error:
            self.failed.emit(str(error))
            return False
        self._player.change(lesson, path, at)
        return True

    def _own_path(self) -> Path | None:
        """Return the lesson's file; ask for one if there is none or it ships with gradviz."""
        path = self._player.path
        if path is not None and not is_shipped(path):
            return path
        chosen, _ = QFileDialog.getSaveFileName(
            self._window,
            self.tr("Save Lesson As"),
            f"lesson{SUFFIX}",
            self.tr("Lessons ({0})").format(f"*{SUFFIX}"),
        )
        if not chosen:
            return None
        path = Path(chosen) if chosen.endswith(SUFFIX) else Path(chosen + SUFFIX)
        try:
            refuse_special(path)
        except TraceError as error:
            self.failed.emit(str(error))
            return None
        return path

    def _stop_of_view(
        self, lesson: Lesson | None
    ) -> tuple[LessonStop, tuple[tuple[str, bytes], ...]]:
        """Return a stop that shows the current view, and its trace if that must be embedded."""
        state, target = self._state, self._links.target()
        index, place = state.index, state.place
        assert index is not None
        assert place is not None
        asks, found = state.revealed.hides_answer, state.arithmetic
        element = found and element_name(found.result.name, found.result.element)
        stop = LessonStop(
            step=position_path(place),
            tab=self._links.tab,
            select=node_title(index, state.selection),
            question=describe_revealed(state.revealed, place) if asks else "",
            answer=describe_position(index, place) if asks else "",
            show=(f"sum {element}", "graph") if element else (),
        )
        if target is not None:
            return replace(stop, scene=target.scene, trace=target.trace), ()
        # No command can show such a run again, so the lesson keeps it.
        path = self._session.trace_path
        assert path is not None
        content = read_trace_bytes(path)
        traces = () if lesson is None else lesson.traces
        same = [name for name, each in traces if each == content]
        names = {name for name, _ in traces}
        free = next(f"run {at}" for at in count(1) if f"run {at}" not in names)
        name = same[0] if same else free
        return replace(stop, trace=name), () if same else ((name, content),)


def read_trace_bytes(path: Path) -> bytes:
    """Read a trace as a single file, even while it is being written.

    Raises:
        TraceError: If it is not a trace.
        OSError: If there is no space for a copy.
    """
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "run.gradviz"
        save_copy(path, copy)
        return copy.read_bytes()
