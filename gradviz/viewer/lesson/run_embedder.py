"""Embeds all runs of a lesson in its file, so that a lecture runs no code."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from gradviz.store.errors import TraceError
from gradviz.viewer.actions import Actions
from gradviz.viewer.lesson.lesson_editor import LessonEditor, read_trace_bytes
from gradviz.viewer.lesson.lesson_player import LessonPlayer
from gradviz.viewer.lesson.stop_runs import missing_runs, recordable_names


class RunEmbedder(QObject):
    """Carries out Embed All Runs and Remove Embedded Runs.

    Signals:
        reported: A sentence on the progress or the result, and its `MessageTone`.
    """

    reported = Signal(str, str)

    def __init__(
        self,
        player: LessonPlayer,
        editor: LessonEditor,
        actions: Actions,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._player, self._editor, self._actions = player, editor, actions
        self._waiting: set[str] = set()
        self._total = 0
        self._problem = ""
        actions.embed_runs.triggered.connect(self.embed)
        actions.remove_runs.triggered.connect(self.remove)
        player.lesson_changed.connect(self._show_enabled)
        player.runs.cleared.connect(self._on_runs_cleared)
        player.runs.finished.connect(self._on_runs_finished)
        player.runs.failed.connect(self._on_runs_failed)
        self._show_enabled()

    @property
    def busy(self) -> bool:
        """Whether runs are being recorded for the file."""
        return bool(self._waiting)

    def embed(self) -> None:
        """Record the runs that are missing, then write all of them to the lesson's file."""
        lesson = self._player.lesson
        # First, as this may ask for a file.
        if lesson is None or not self._editor.set_traces(dict(lesson.traces)):
            return
        missing = missing_runs(lesson, lesson.stops)
        self._waiting = {name for name in missing if self._player.runs.path(name) is None}
        self._total, self._problem = len(missing), ""
        self._player.runs.prepare_later(missing)
        self._go_on()

    def remove(self) -> None:
        """Take out what can be recorded or read again; cancel recording."""
        self._waiting = set()
        self._player.runs.prepare_later({})
        lesson = self._player.lesson
        if lesson is not None:
            removable = self._removable()
            kept = {name: content for name, content in lesson.traces if name not in removable}
            if self._editor.set_traces(kept):
                text = self.tr("The embedded runs are removed. The lesson records its runs again.")
                self.reported.emit(text, "info")

    def _go_on(self) -> None:
        if self._waiting:
            done = self._total - len(self._waiting)
            text = self.tr("Recording the runs of the lesson: {0} of {1}…")
            self.reported.emit(text.format(done, self._total), "info")
        else:
            self._write()
        self._show_enabled()

    def _write(self) -> None:
        lesson = self._player.lesson
        assert lesson is not None
        traces = dict(lesson.traces)
        paths = {name: self._player.runs.path(name) for name in missing_runs(lesson, lesson.stops)}
        paths |= self._files()
        for name, path in paths.items():
            try:
                if path is not None:
                    traces[name] = read_trace_bytes(path)
            except (TraceError, OSError) as error:
                self._problem = str(error)
        if not self._editor.set_traces(traces) or self._player.path is None:
            return
        missing = self._missing()
        if missing:
            text = self.tr("The lesson is not complete without {0}. {1}")
            problem = self._problem or self.tr("Correct the stop, then embed the runs again.")
            self.reported.emit(text.format(", ".join(missing), problem), "warning")
        else:
            text = self.tr("All runs are embedded in {0}. The lesson runs no code any more.")
            self.reported.emit(text.format(self._player.path.name), "info")

    def _missing(self) -> list[str]:
        """Names of runs that the lesson needs and does not embed."""
        lesson = self._player.lesson
        if lesson is None:
            return []
        embedded = {"", *dict(lesson.traces)}
        needed = [name for stop in lesson.stops for name in (stop.run, stop.compared_run)]
        return [name for name in dict.fromkeys(needed) if name not in embedded]

    def _files(self) -> dict[str, Path]:
        """Trace files that stops name by their paths and that are not embedded."""
        lesson, path = self._player.lesson, self._player.path
        assert lesson is not None
        assert path is not None
        traces = {stop.trace for stop in lesson.stops}
        return {name: path.parent / name for name in self._missing() if name in traces}

    def _removable(self) -> set[str]:
        """Names of embedded runs that the lesson can do without."""
        lesson, path = self._player.lesson, self._player.path
        if lesson is None or path is None:
            return set()
        names = recordable_names(lesson)
        return {
            name for name, _ in lesson.traces if name in names or (path.parent / name).is_file()
        }

    def _show_enabled(self) -> None:
        self._actions.embed_runs.setEnabled(not self.busy and bool(self._missing()))
        self._actions.remove_runs.setEnabled(self.busy or bool(self._removable()))

    @Slot()
    def _on_runs_cleared(self) -> None:
        self._waiting = set()

    @Slot(str)
    def _on_runs_finished(self, name: str) -> None:
        if name in self._waiting:
            self._waiting.discard(name)
            self._go_on()

    @Slot(str, str)
    def _on_runs_failed(self, name: str, sentence: str) -> None:
        if name in self._waiting:
            self._waiting.discard(name)
            self._problem = sentence
            self._go_on()
