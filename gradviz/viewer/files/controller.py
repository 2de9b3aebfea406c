"""Commands of the File menu, and About: open, save, export, settings."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from gradviz.drawing.graphviz.layout_engine import LayoutError
from gradviz.export.errors import ExportError
from gradviz.host.svg_rendering import PictureError
from gradviz.model.tensor import TensorValue
from gradviz.store.errors import TraceError
from gradviz.store.finalize import save_copy
from gradviz.text.punctuation import join_sentences
from gradviz.viewer.actions import Actions
from gradviz.viewer.background import Background
from gradviz.viewer.compare.launcher import CompareLauncher
from gradviz.viewer.files.run_export import (
    RunWriter,
    ShownRun,
    write_graph,
    write_page,
    write_tensors,
)
from gradviz.viewer.files.save_dialog import ask_save_path
from gradviz.viewer.session.run_controller import RunController
from gradviz.viewer.session.session import Session
from gradviz.viewer.state import ViewerState
from gradviz.viewer.trace_values import TraceReaderProtocol
from gradviz.viewer.window.message_bar import MessageBar

# Export and About are imported on first use, so that the window starts sooner.
EXPECTED = (ExportError, LayoutError, OSError, PictureError)


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
        actions.open.triggered.connect(self._on_open_triggered)
        actions.open_elsewhere.triggered.connect(self._on_open_elsewhere_triggered)
        actions.save.triggered.connect(self._on_save_triggered)
        actions.export_graph.triggered.connect(self._on_export_graph_triggered)
        actions.export_page.triggered.connect(self._on_export_page_triggered)
        actions.export_tensors.triggered.connect(self._on_export_tensors_triggered)
        actions.settings.triggered.connect(self._on_settings_triggered)
        actions.about.triggered.connect(self._on_about_triggered)
        state.trace_changed.connect(self._on_state_trace_changed)
        self._on_state_trace_changed(state.index)

    def _ask_target(self, title: str, kinds: str) -> Path | None:
        index = self._state.index
        if index is None:
            return None
        name = re.sub(r"[^\w.-]+", "-", index.trace.origin.title).strip("-.") or "graph"
        return ask_save_path(self._window, title, name[:60], kinds, self._say_error)

    def _say_error(self, sentence: str) -> None:
        self._messages.say(sentence, "error")

    def _export(self, title: str, kinds: str, write: RunWriter) -> None:
        """Ask for a file, and write what is shown now in the background."""
        state, index, reader = self._state, self._state.index, self._state.reader
        if index is None or reader is None:
            return
        # Another run may be shown by the time a file is chosen.
        compared = self._compare.shown
        run = ShownRun(
            index=index,
            values=_values_of(reader),
            place=state.place,
            level=state.level,
            folds=state.folds,
            comparison=None if compared is None else compared[0],
            readers=(reader,) if compared is None else (reader, compared[1]),
        )
        path = self._ask_target(title, kinds)
        if path is None:
            return
        done = self.tr("Saved {0}.").format(str(path))
        self._background.start(
            lambda _: write(run, path),
            lambda notes: self._messages.say(join_sentences((done, *notes)), "info"),
            lambda error: self._say_error(self._sentence(path, error)),
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

    def save_now(self) -> bool:
        """Ask for a file and save the shown trace; return whether that was done."""
        path, source = self._ask_trace(), self._session.trace_path
        if path is None or source is None:
            return False
        try:
            save_copy(source, path)
        except TraceError as error:
            self._say_error(str(error))
            return False
        return True

    def _ask_trace(self) -> Path | None:
        return self._ask_target(self.tr("Save Trace As"), self.tr("Traces (*.gradviz)"))

    @Slot()
    def _on_open_triggered(self) -> None:
        path = self._ask_source(self.tr("Open"))
        if path is not None:
            self._run_control.open_path(path)

    @Slot()
    def _on_open_elsewhere_triggered(self) -> None:
        path = self._ask_source(self.tr("Open in New Window"))
        if path is not None:
            self.other_window_requested.emit((path,))

    @Slot()
    def _on_save_triggered(self) -> None:
        path = self._ask_trace()
        if path is not None:
            self._session.save(path)

    @Slot()
    def _on_export_graph_triggered(self) -> None:
        kinds = ("SVG (*.svg)", "PDF (*.pdf)", "PNG (*.png)", "DOT (*.dot)")
        self._export(self.tr("Export Graph"), ";;".join(kinds), write_graph)

    @Slot()
    def _on_export_page_triggered(self) -> None:
        self._export(self.tr("Export Run as HTML Page"), "HTML (*.html)", write_page)

    @Slot()
    def _on_export_tensors_triggered(self) -> None:
        kinds = "NumPy (*.npz);;safetensors (*.safetensors)"
        self._export(self.tr("Export Tensors"), kinds, write_tensors)

    @Slot()
    def _on_settings_triggered(self) -> None:
        from gradviz.viewer.settings.settings_dialog import SettingsDialog

        existing = self._window.findChild(SettingsDialog)
        dialog = SettingsDialog(self._state, self._window) if existing is None else existing
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    @Slot()
    def _on_about_triggered(self) -> None:
        from gradviz.viewer.window.about_dialog import AboutDialog

        ready = self._session.ready
        AboutDialog("" if ready is None else ready.torch, self._window).open()

    @Slot(object)
    def _on_state_trace_changed(self, index: object) -> None:
        actions = self._actions
        exports = (actions.export_page, actions.export_graph, actions.export_tensors)
        for action in (actions.save, *exports):
            action.setEnabled(index is not None)


def _values_of(reader: TraceReaderProtocol) -> Callable[[int], TensorValue | None]:
    """Return a function that reads elements, or raises an error once the trace is closed."""

    def value(tensor: int) -> TensorValue | None:
        found = reader.value(tensor)
        if found is None and reader.is_closed:
            raise ExportError("export.closed")
        return found

    return value
