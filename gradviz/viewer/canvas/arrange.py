"""From a trace to a picture, in the background: what is drawn, how large, and where."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from gradviz.drawing.dot import dot_source
from gradviz.drawing.drawn import DrawnGraph, TooLarge
from gradviz.drawing.errors import LayoutError
from gradviz.drawing.face import Faces, faces_of
from gradviz.drawing.graph import drawn_graph
from gradviz.drawing.layout import Layout
from gradviz.drawing.run import lay_out
from gradviz.model.index import Index
from gradviz.viewer.background import Background, Job
from gradviz.viewer.canvas.picture import Picture, picture_of
from gradviz.viewer.canvas.type import measure

LANE = "layout"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    source: str
    layout: Layout
    picture: Picture


class Arranger(QObject):
    """Arranges one graph at a time; a newer request drops the older one.

    Signals:
        began: Number of boxes, when the layout itself begins.
        arranged: The `Picture`, and whether everything is where it was before.
        failed: A sentence.
    """

    began = Signal(object)
    arranged = Signal(object, bool)
    failed = Signal(str)

    def __init__(self, background: Background, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._background = background
        self._last: _Placed | None = None
        self.busy = False

    def arrange(self, index: Index) -> None:
        """Begins with a trace's graph."""
        self.busy = True
        self._background.start(
            lambda _: drawn_graph(index), self._on_graph_drawn, lane=LANE, expected=()
        )

    def cancel(self) -> None:
        """Drops what is under way."""
        self._background.cancel(LANE)
        self.busy = False

    def _on_graph_drawn(self, graph: DrawnGraph | TooLarge) -> None:
        if isinstance(graph, TooLarge):
            self._fail(graph.sentence)
            return
        # Qt measures text in the GUI thread only.
        faces = faces_of(graph, measure)
        self.began.emit(len(graph.nodes))
        self._background.start(
            _placing(graph, faces, self._last),
            self._on_layout_done,
            self._on_layout_failed,
            lane=LANE,
            expected=(LayoutError,),
        )

    def _on_layout_done(self, placed: _Placed) -> None:
        same = self._last is not None and self._last.source == placed.source
        self._last = placed
        self.busy = False
        self.arranged.emit(placed.picture, same)

    def _on_layout_failed(self, error: Exception) -> None:
        self._fail(str(error))

    def _fail(self, sentence: str) -> None:
        self.busy = False
        self.failed.emit(sentence)


def _placing(graph: DrawnGraph, faces: Faces, last: _Placed | None) -> Callable[[Job], _Placed]:
    def work(job: Job) -> _Placed:
        source = dot_source(graph, faces) if graph.nodes else ""
        if last is not None and last.source == source:
            layout = last.layout
        else:
            layout = lay_out(graph, faces, cancelled=job.cancelled)
        picture = picture_of(graph, faces, layout)
        return _Placed(source=source, layout=layout, picture=picture)

    return work
