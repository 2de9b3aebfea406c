"""Exports a film of the shown run, with a progress dialog."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QProgressDialog, QWidget

from gradviz.analysis.position.trace_position import TracePosition
from gradviz.catalogue.visible_text import visible_text
from gradviz.drawing.appearance.palette import theme_paint
from gradviz.export.errors import ExportError
from gradviz.export.film.film import FILM_SIZE, write_film
from gradviz.export.graph.svg import draw_framed_figures, laid_out_graph
from gradviz.export.graph.svg_figure import SvgStyle, arrange_frame
from gradviz.host.svg_rendering import write_pngs
from gradviz.store.replacement import replacing
from gradviz.viewer.background import BackgroundJob
from gradviz.viewer.files.run_export import ShownRun, known_suffix

FILM_SUFFIXES = (".mp4", ".gif")

_STAGES = 3
"""Each step is drawn, rendered and encoded."""


def export_film(run: ShownRun, path: Path, job: BackgroundJob) -> Sequence[str]:
    """Write a film of all steps, as large and as fast as the command line's.

    The file is for its owner: unlike the window, it shows hidden answers.

    Args:
        run: The run.
        path: The file, whose suffix decides the format.
        job: Is told the progress, and ends the work if it is cancelled.

    Returns:
        Sentences on what the film lacks: none.

    Raises:
        ExportError: If the suffix is unknown, or there is nothing to draw.
        JobCancelledError: If the job is cancelled. The file is then as it was.
        LayoutError: If the layout failed.
        OSError: If the file cannot be written.
        PictureError: If a step cannot be rendered.
    """
    known_suffix(path, FILM_SUFFIXES)
    steps = len(run.index.trace.steps)
    if not steps:
        raise ExportError("page.no_steps")
    places = [TracePosition(step=number) for number in range(1, steps + 1)]
    style = SvgStyle(paint=theme_paint("light"), size=FILM_SIZE)
    drawing = laid_out_graph(run.index, run.values, folds=run.folds)
    frame = arrange_frame(drawing, places, style)

    def tell(stage: int, done: int) -> None:
        job.pause()
        job.report(stage * steps + done, _STAGES * steps)

    def drawn() -> Iterator[str]:
        for at, figure in enumerate(draw_framed_figures(drawing, places, style, frame)):
            tell(0, at)
            yield figure

    def render(svgs: Iterable[str], pictures: Sequence[Path]) -> None:
        def waiting() -> None:
            tell(1, sum(each.exists() for each in pictures))

        write_pngs(svgs, pictures, 1, name=path, waiting=waiting)

    with replacing(path) as file:
        write_film(file, drawn(), frame, render, lambda at: tell(2, at), name=path)
        job.commit()
    return ()


class FilmProgress(QProgressDialog):
    """Progress of a film; the button emits ``canceled``."""

    def __init__(self, path: Path, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Export Film"))
        label = QLabel()
        # Otherwise Qt would guess whether a file's name is HTML.
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setText(self.tr("Exporting {0}").format(visible_text(path.name)))
        self.setLabel(label)
        self.setCancelButtonText(self.tr("Cancel"))
        self.setAutoReset(False)
        self.setAutoClose(False)
        self.setMinimumDuration(0)
        self.show_progress(0, 1)
        self.show()

    def show_progress(self, done: int, total: int) -> None:
        """Update the progress bar."""
        self.setMaximum(total)
        self.setValue(done)
