"""Turns a trace into a laid-out picture in the background."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.content.drawn_graph import DrawnGraph, TooLarge
from gradviz.drawing.content.graph_builder import drawn_graph
from gradviz.drawing.content.node_problems import QUICK, NodeProblems, find_node_problems
from gradviz.drawing.geometry.box_geometry import GraphGeometry, graph_geometry
from gradviz.drawing.graphviz.graph_layout import GraphLayout
from gradviz.drawing.graphviz.layout_dot import dot_source
from gradviz.drawing.graphviz.layout_engine import LayoutError, lay_out
from gradviz.drawing.grouping.groups import FoldState, Hierarchy
from gradviz.drawing.grouping.hierarchy import hierarchy_of
from gradviz.store.errors import TraceError
from gradviz.viewer.background import Background, BackgroundJob
from gradviz.viewer.canvas.layers.graph_text import measure
from gradviz.viewer.canvas.layout.graph_picture import GraphPicture, picture_of

LANE, LOOKING = "layout", "problems"


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceGraph:
    """What stays the same for a trace, whichever groups are open.

    Attributes:
        index: The trace.
        hierarchy: Its groups.
        node_problems: Problems found by the quick checks.
    """

    index: TraceIndex
    hierarchy: Hierarchy
    node_problems: NodeProblems


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    source: str
    layout: GraphLayout
    picture: GraphPicture


class GraphArranger(QObject):
    """Lays out one graph at a time; a newer request replaces the older one.

    Signals:
        began: The layout has started; carries the number of boxes.
        layout_finished: The `GraphPicture`, and whether its layout is the same as before.
        failed: An error message.
        problems_found: All `NodeProblems` of the run, emitted after a picture is available.
    """

    began = Signal(object)
    layout_finished = Signal(object, bool)
    failed = Signal(str)
    problems_found = Signal(object)

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
        self._graph: TraceGraph | None = None
        self._node_problems: NodeProblems | None = None
        self.busy = False

    @property
    def hierarchy(self) -> Hierarchy | None:
        """Groups of the most recently drawn graph, or None."""
        return None if self._graph is None else self._graph.hierarchy

    def arrange(self, index: TraceIndex, folds: FoldState) -> None:
        """Start laying out a trace's graph with these groups opened and closed by the user."""
        self.busy = True
        # Groups and problems depend only on the trace, so opening a group does not search again.
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

    def _on_graph_drawn(self, result: tuple[TraceGraph, DrawnGraph | TooLarge]) -> None:
        graph, drawn = result
        if graph is not self._graph:
            self._graph = graph
            self._node_problems = graph.node_problems if graph.node_problems.complete else None
        if isinstance(drawn, TooLarge):
            self._fail(drawn.sentence)
            return
        # Qt can measure text only in the GUI thread.
        faces = graph_geometry(drawn, measure)
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
        self.layout_finished.emit(placed.picture, same)
        if self._node_problems is not None:
            self.problems_found.emit(self._node_problems)
        # Only now, so that the full search does not delay the picture.
        elif self._graph is not None:
            index = self._graph.index
            self._background.start(
                lambda job: find_node_problems(index, cancelled=job.cancelled),
                self._on_problems_found,
                lane=self._looking,
                expected=(TraceError,),
                computes=True,
            )

    def _on_problems_found(self, node_problems: NodeProblems) -> None:
        self._node_problems = node_problems
        self.problems_found.emit(node_problems)

    def _on_layout_failed(self, error: Exception) -> None:
        self._fail(str(error))

    def _fail(self, sentence: str) -> None:
        self.busy = False
        self.failed.emit(sentence)


def _drawn(
    index: TraceIndex, folds: FoldState, known: TraceGraph | None
) -> tuple[TraceGraph, DrawnGraph | TooLarge]:
    graph = known or TraceGraph(
        index=index, hierarchy=hierarchy_of(index), node_problems=find_node_problems(index, QUICK)
    )
    drawn = drawn_graph(
        index, hierarchy=graph.hierarchy, folds=folds, node_problems=graph.node_problems
    )
    return graph, drawn


def _placing(
    graph: DrawnGraph, faces: GraphGeometry, last: _Placed | None
) -> Callable[[BackgroundJob], _Placed]:
    def work(job: BackgroundJob) -> _Placed:
        source = dot_source(graph, faces) if graph.nodes else ""
        # Equal sources give equal layouts, and Graphviz takes longer than everything else here.
        if last is not None and last.source == source:
            layout = last.layout
        else:
            layout = lay_out(graph, faces, cancelled=job.cancelled)
        picture = picture_of(graph, faces, layout)
        return _Placed(source=source, layout=layout, picture=picture)

    return work
