"""Turns a trace into a laid-out picture in the background."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from gradviz.drawing.dot import dot_source
from gradviz.drawing.drawn import DrawnGraph, TooLarge
from gradviz.drawing.errors import LayoutError
from gradviz.drawing.face import Faces, faces_of
from gradviz.drawing.folds import Folds
from gradviz.drawing.graph import drawn_graph
from gradviz.drawing.group import Hierarchy
from gradviz.drawing.hierarchy import hierarchy_of
from gradviz.drawing.layout import Layout
from gradviz.drawing.run import lay_out
from gradviz.drawing.troubles import QUICK, Troubles, troubles_of
from gradviz.model.index import Index
from gradviz.store.errors import TraceError
from gradviz.viewer.background import Background, Job
from gradviz.viewer.canvas.picture import Picture, picture_of
from gradviz.viewer.canvas.type import measure

LANE, LOOKING = "layout", "troubles"


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """What stays the same for a trace, whichever groups are open.

    Attributes:
        index: The trace.
        hierarchy: Its groups.
        troubles: Problems found by the quick checks.
    """

    index: Index
    hierarchy: Hierarchy
    troubles: Troubles


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    source: str
    layout: Layout
    picture: Picture


class Arranger(QObject):
    """Lays out one graph at a time; a newer request replaces the older one.

    Signals:
        began: The layout has started; carries the number of boxes.
        arranged: The `Picture`, and whether its layout is the same as before.
        failed: An error message.
        troubles_found: All `Troubles` of the run, emitted after a picture is available.
    """

    began = Signal(object)
    arranged = Signal(object, bool)
    failed = Signal(str)
    troubles_found = Signal(object)

    def __init__(
        self, background: Background, parent: QObject | None = None, *, name: str = ""
    ) -> None:
        """Create an idle arranger.

        Args:
            background: Runs the jobs.
            parent: The Qt parent.
            name: Distinguishes arrangers that run at the same time.
        """
        super().__init__(parent)
        self._background = background
        self._lane, self._looking = f"{LANE}{name}", f"{LOOKING}{name}"
        self._last: _Placed | None = None
        self._graph: Graph | None = None
        self._troubles: Troubles | None = None
        self.busy = False

    @property
    def hierarchy(self) -> Hierarchy | None:
        """Groups of the most recently drawn graph, or None."""
        return None if self._graph is None else self._graph.hierarchy

    def arrange(self, index: Index, folds: Folds) -> None:
        """Start laying out a trace's graph with these groups opened and closed by the user."""
        self.busy = True
        known = self._graph if self._graph is not None and self._graph.index is index else None
        self._background.start(
            lambda _: _drawn(index, folds, known),
            self._on_graph_drawn,
            self._on_layout_failed,
            lane=self._lane,
            expected=(TraceError,),
            computes=True,
        )

    def cancel(self) -> None:
        """Cancel the running layout and the search for problems."""
        self._background.cancel(self._lane)
        self._background.cancel(self._looking)
        self.busy = False

    def _on_graph_drawn(self, result: tuple[Graph, DrawnGraph | TooLarge]) -> None:
        graph, drawn = result
        if graph is not self._graph:
            self._graph = graph
            self._troubles = graph.troubles if graph.troubles.complete else None
        if isinstance(drawn, TooLarge):
            self._fail(drawn.sentence)
            return
        # Qt can measure text only in the GUI thread.
        faces = faces_of(drawn, measure)
        self.began.emit(len(drawn.nodes))
        self._background.start(
            _placing(drawn, faces, self._last),
            self._on_layout_done,
            self._on_layout_failed,
            lane=self._lane,
            expected=(LayoutError,),
        )

    def _on_layout_done(self, placed: _Placed) -> None:
        same = self._last is not None and self._last.source == placed.source
        self._last = placed
        self.busy = False
        self.arranged.emit(placed.picture, same)
        if self._troubles is not None:
            self.troubles_found.emit(self._troubles)
        elif self._graph is not None:
            index = self._graph.index
            self._background.start(
                lambda job: troubles_of(index, cancelled=job.cancelled),
                self._on_troubles_found,
                lane=self._looking,
                expected=(TraceError,),
                computes=True,
            )

    def _on_troubles_found(self, troubles: Troubles) -> None:
        self._troubles = troubles
        self.troubles_found.emit(troubles)

    def _on_layout_failed(self, error: Exception) -> None:
        self._fail(str(error))

    def _fail(self, sentence: str) -> None:
        self.busy = False
        self.failed.emit(sentence)


def _drawn(index: Index, folds: Folds, known: Graph | None) -> tuple[Graph, DrawnGraph | TooLarge]:
    graph = known or Graph(
        index=index, hierarchy=hierarchy_of(index), troubles=troubles_of(index, QUICK)
    )
    drawn = drawn_graph(index, hierarchy=graph.hierarchy, folds=folds, troubles=graph.troubles)
    return graph, drawn


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
