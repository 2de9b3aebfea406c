"""Commands of the File menu, and About: open, save, export, settings."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from gradviz.drawing.graphviz.layout_engine import LayoutError
from gradviz.export.errors import ExportError
from gradviz.host.svg_rendering import PictureError
from gradviz.model.tensor import TensorValue
from gradviz.store.errors import TraceError
from gradviz.store.finalize import save_copy
from gradviz.text.punctuation import join_sentences
from gradviz.viewer.actions import Actions
from gradviz.viewer.background import Background, BackgroundJob
from gradviz.viewer.compare.launcher import CompareLauncher
from gradviz.viewer.files.run_export import (
    RunWriter,
    ShownRun,
    write_graph,
    write_page,
    write_tensors,
)
from gradviz.viewer.files.save_dialog import ask_save_path, save_questions
from gradviz.viewer.questions import Questions
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.session.session import Session
from gradviz.viewer.state import ViewerState
from gradviz.viewer.trace_values import TraceReaderProtocol
from gradviz.viewer.window.message_bar import MessageBar, MessageTone

if TYPE_CHECKING:
    from gradviz.viewer.files.run_export import FilmProgress

# Export and About are imported on first use, so that the window starts sooner.
EXPECTED = (ExportError, LayoutError, OSError, PictureError)

ExportWork = Callable[[BackgroundJob], Sequence[str]]
"""Writes a file; returns sentences on what the file lacks."""


class FileController(QObject):
    """Asks for file names and does the work in the background.

    Signals:
        other_window_requested: Tuple with the path to open in a new window.
    """

    other_window_requested = Signal(object)

    def __init__(
        self,
        state: ViewerState,
        session: Session,
        background: Background,
        actions: Actions,
        controllers: tuple[RunController, CompareLauncher],
        messages: MessageBar,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._state = state
        self._session = session
        self._background = background
        self._actions = actions
        self._run_control, self._compare = controllers
        self._messages = messages
        self._window = window
        self._films: dict[FilmProgress, Path] = {}
        actions.open.triggered.connect(self._on_open_triggered)
        actions.open_elsewhere.triggered.connect(self._on_open_elsewhere_triggered)
        actions.save.triggered.connect(self._on_save_triggered)
        actions.export_graph.triggered.connect(self._on_export_graph_triggered)
        actions.export_page.triggered.connect(self._on_export_page_triggered)
        actions.export_film.triggered.connect(self._on_export_film_triggered)
        actions.export_tensors.triggered.connect(self._on_export_tensors_triggered)
        actions.settings.triggered.connect(self._on_settings_triggered)
        actions.about.triggered.connect(self._on_about_triggered)
        state.trace_changed.connect(self._on_state_trace_changed)
        self._on_state_trace_changed(state.index)

    @property
    def films(self) -> tuple[Path, ...]:
        """The films that are being exported."""
        return tuple(self._films.values())

    def _ask_target(self, title: str, kinds: str) -> Path | None:
        name = self._suggestion()
        return ask_save_path(self._window, title, name, kinds, self._say_error) if name else None

    def _suggestion(self) -> str:
        """A name for a file of the shown run, without suffix; empty if there is none."""
        index = self._state.index
        title = "" if index is None else index.trace.origin.title
        name = re.sub(r"[^\w.-]+", "-", title).strip("-.")[:60]
        return "" if index is None else name or "graph"

    def _say_error(self, sentence: str) -> None:
        self._messages.say(sentence, "error")

    def _shown_run(self) -> ShownRun | None:
        """What is shown now: another run may be shown by the time a file is chosen."""
        state, index, reader = self._state, self._state.index, self._state.reader
        if index is None or reader is None:
            return None
        compared = self._compare.shown
        return ShownRun(
            index=replace(index, value=_values_of(reader)),
            place=state.place,
            level=state.level,
            folds=state.folds,
            comparison=None if compared is None else compared[0],
            readers=(reader,) if compared is None else (reader, compared[1]),
        )

    def _export(self, title: str, kinds: str, write: RunWriter) -> None:
        """Ask for a file, then export the shown run in the background."""
        run = self._shown_run()
        path = None if run is None else self._ask_target(title, kinds)
        if run is not None and path is not None:
            self._start(path, lambda _: write(run, path))

    def _start(
        self, path: Path, work: ExportWork, progress: FilmProgress | None = None
    ) -> BackgroundJob:
        """Write a file in the background, and say how that ended."""

        def say(text: str, tone: MessageTone) -> None:
            if progress is not None:
                self._end_film(progress)
            self._messages.say(text, tone)

        done = self.tr("Saved {0}.").format(str(path))
        return self._background.start(
            work,
            lambda notes: say(join_sentences((done, *notes)), "info"),
            lambda error: say(self._sentence(path, error), "error"),
            None if progress is None else progress.show_progress,
            expected=EXPECTED,
        )

    def _sentence(self, path: Path, error: Exception) -> str:
        if isinstance(error, OSError):
            return self.tr("{0} cannot be written: {1}.").format(path, error.strerror)
        return str(error)

    def _ask_source(self, title: str) -> Path | None:
        kinds = self.tr(
            "Python files, notebooks, traces and lessons (*.py *.ipynb *.gradviz *.gradviz-lesson)"
        )
        chosen, _ = QFileDialog.getOpenFileName(self._window, title, "", kinds)
        return Path(chosen) if chosen else None

    def save_now(self) -> Questions:
        """Ask for a file and save the shown trace; return whether that was done."""
        name = f"{self._suggestion()}.gradviz"
        title, kinds = self.tr("Save Trace As"), self.tr("Traces (*.gradviz)")
        dialog = QFileDialog(self._window, title, name, kinds)
        dialog.selectFile(name)
        return (yield from save_questions(dialog, self._say_error, self._save_to))

    def _save_to(self, path: Path) -> bool:
        source = self._session.trace_path
        if source is None:
            return False
        try:
            save_copy(source, path)
        except TraceError as error:
            self._say_error(str(error))
            return False
        return True

    def _on_open_triggered(self) -> None:
        path = self._ask_source(self.tr("Open"))
        if path is not None:
            self._run_control.open_path(path)

    def _on_open_elsewhere_triggered(self) -> None:
        path = self._ask_source(self.tr("Open in New Window"))
        if path is not None:
            self.other_window_requested.emit((path,))

    def _on_save_triggered(self) -> None:
        path = self._ask_target(self.tr("Save Trace As"), self.tr("Traces (*.gradviz)"))
        if path is not None:
            self._session.save(path)

    def _on_export_graph_triggered(self) -> None:
        kinds = ("SVG (*.svg)", "PDF (*.pdf)", "PNG (*.png)", "DOT (*.dot)")
        self._export(self.tr("Export Graph"), ";;".join(kinds), write_graph)

    def _on_export_page_triggered(self) -> None:
        self._export(self.tr("Export Run as HTML Page"), "HTML (*.html)", write_page)

    def _on_export_tensors_triggered(self) -> None:
        kinds = "NumPy (*.npz);;safetensors (*.safetensors)"
        self._export(self.tr("Export Tensors"), kinds, write_tensors)

    def _on_export_film_triggered(self) -> None:
        from gradviz.export.film.film import missing_for_film
        from gradviz.viewer.files.run_export import FilmProgress, export_film

        run, path, missing = self._shown_run(), None, missing_for_film()
        if run is not None and not missing:
            path = self._ask_target(self.tr("Export Film"), "MP4 (*.mp4);;GIF (*.gif)")
        if missing:
            self._say_error(missing)
        elif run is not None and path is not None:
            progress = FilmProgress(path, self._window)
            self._films[progress] = path
            job = self._start(path, lambda job: export_film(run, path, job), progress)
            progress.canceled.connect(lambda: self._cancel_film(job, progress))

    def _cancel_film(self, job: BackgroundJob, progress: FilmProgress) -> None:
        # If it is too late, the message that it is saved follows.
        if job.cancel():
            self._end_film(progress)

    def _end_film(self, progress: FilmProgress) -> None:
        self._films.pop(progress, None)
        progress.deleteLater()

    def _on_settings_triggered(self) -> None:
        from gradviz.viewer.settings_dialog import SettingsDialog

        existing = self._window.findChild(SettingsDialog)
        dialog = SettingsDialog(self._state, self._window) if existing is None else existing
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    def _on_about_triggered(self) -> None:
        from gradviz.viewer.window.about_dialog import AboutDialog

        ready = self._session.ready
        AboutDialog("" if ready is None else ready.torch, self._window).open()

    def _on_state_trace_changed(self, index: object) -> None:
        actions = self._actions
        exports = (actions.export_page, actions.export_graph, actions.export_tensors)
        for action in (actions.save, *exports, actions.export_film):
            action.setEnabled(index is not None)


def _values_of(reader: TraceReaderProtocol) -> Callable[[int], TensorValue | None]:
    """Return a function that reads elements, or raises an error once the trace is closed."""

    def value(tensor: int) -> TensorValue | None:
        found = reader.value(tensor)
        if found is None and reader.is_closed:
            raise ExportError("export.closed")
        return found

    return value
