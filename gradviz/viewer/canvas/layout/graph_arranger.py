"""Turns a trace into a laid-out picture in the background."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace

from PySide6.QtCore import QObject, Signal

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.content.drawn_graph import (
    ADAPTED_DETAILS,
    FULL,
    DrawingDetail,
    DrawnGraph,
    TooLarge,
)
from gradviz.drawing.content.graph_builder import drawn_graph, overview_details
from gradviz.drawing.content.node_problems import QUICK, NodeProblems, find_node_problems
from gradviz.drawing.geometry.box_geometry import GraphGeometry, graph_geometry
from gradviz.drawing.graphviz.graph_layout import GraphLayout
from gradviz.drawing.graphviz.layout_dot import UPWARD, dot_source
from gradviz.drawing.graphviz.layout_engine import LayoutError, LayoutRequest, lay_out_all
from gradviz.drawing.grouping.groups import FoldState, Hierarchy
from gradviz.drawing.grouping.hierarchy import hierarchy_of
from gradviz.store.errors import TraceError
from gradviz.viewer.background import Background, BackgroundJob
from gradviz.viewer.canvas.layers.graph_text import measure
from gradviz.viewer.canvas.layout.graph_picture import GraphPicture, picture_of
from gradviz.viewer.canvas.layout.graph_space import MOST_ADAPTED, Arrangement, GraphSpace

_Measured = tuple[DrawnGraph, GraphGeometry]
"""A drawing and its sizes."""

LANE, LOOKING = "layout", "problems"

_BATCHES = (1, 6)
"""Numbers of arrangements after which the next ones are laid out; most graphs need only one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceGraph:
    """What stays the same for a trace, whichever groups are open.

    Attributes:
        index: The trace.
        hierarchy: Its groups.
        node_problems: Problems found by the quick checks.
        drawings: What was drawn so far, so that another space needs nothing from the trace.
        overviews: Details of the overviews that differ, by the groups that the user has changed.
        layouts: Layouts by their source, since a space often becomes what it was before, and other
            iterations of the run mostly have the same structure.
    """

    index: TraceIndex
    hierarchy: Hierarchy
    node_problems: NodeProblems
    drawings: dict[tuple[FoldState, DrawingDetail], DrawnGraph] = field(default_factory=dict)
    overviews: dict[FoldState, tuple[DrawingDetail, ...]] = field(default_factory=dict)
    layouts: dict[str, GraphLayout] = field(default_factory=dict)

    def has_drawn(self, folds: FoldState, details: Details) -> bool:
        """Whether the graph was drawn in all these details."""
        if details.overviews and folds not in self.overviews:
            return False
        return all((folds, each) in self.drawings for each in details.adapted)

    def drawn(self, folds: FoldState, details: Details) -> list[DrawnGraph]:
        """The drawings in these details."""
        overviews = self.overviews[folds] if details.overviews else ()
        return [self.drawings[folds, each] for each in (*details.adapted, *overviews)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """Details in which a graph is drawn, to choose from them.

    Attributes:
        adapted: Those that show the groups which are open by default, richest first.
        overviews: Whether overviews are possible as well.
    """

    adapted: tuple[DrawingDetail, ...]
    overviews: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Placed:
    source: str
    picture: GraphPicture
    arrangement: Arrangement
    pixels: float
    scale: float = 0.0

    def looks_like(self, other: _Placed) -> bool:
        """Whether the same boxes are at the same places."""
        pairs = zip(self.picture.nodes, other.picture.nodes, strict=False)
        return self.source == other.source and all(one.id == two.id for one, two in pairs)


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
        self._folds = FoldState()
        self._graph: TraceGraph | None = None
        self._node_problems: NodeProblems | None = None
        self.busy = False

    @property
    def hierarchy(self) -> Hierarchy | None:
        """Groups of the most recently drawn graph, or None."""
        return None if self._graph is None else self._graph.hierarchy

    @property
    def arrangement(self) -> Arrangement | None:
        """Arrangement of the most recent picture, or None."""
        return None if self._last is None else self._last.arrangement

    @property
    def wanted_scale(self) -> float:
        """Scale at which the most recent picture's text is as large as its space wants it.

        It is 0 if the whole graph can be shown at this scale.
        """
        return 0.0 if self._last is None else self._last.scale

    def arrange(self, index: TraceIndex, folds: FoldState, space: GraphSpace | None = None) -> None:
        """Start laying out a trace's graph.

        Args:
            index: The trace.
            folds: Groups opened and closed by the user.
            space: Space in which the whole graph should be readable; None for any.
        """
        self.busy = True
        details = self._details_of(index, folds, space)
        self._folds = folds
        # Groups and problems depend only on the trace, so opening a group does not search again.
        known = self._graph if self._graph is not None and self._graph.index is index else None
        if known is not None and known.has_drawn(folds, details):
            self._lay_out(known, known.drawn(folds, details), space)
            return
        before, problems = self._graph, None
        layouts: dict[str, GraphLayout] = {}
        if before is not None and before.index.trace.steps is index.trace.steps:
            # The graph of another iteration of the same run.
            problems, layouts = self._node_problems or before.node_problems, before.layouts
        self._background.start(
            lambda _: _drawn(index, folds, known, details, problems, layouts),
            lambda result: self._on_graph_drawn(result[0], result[1], space),
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

    def _details_of(self, index: TraceIndex, folds: FoldState, space: GraphSpace | None) -> Details:
        if space is None:
            return Details(adapted=(FULL,))
        if space.only is not None:
            return Details(adapted=space.details)
        same = self._graph is not None and self._graph.index is index
        if same and folds != self._folds and self._last is not None:
            detail, _ = self._last.arrangement
            if detail.overview:
                # Opening a group by hand must not close others.
                return Details(adapted=(detail,))
        if len(index.trace.nodes) > MOST_ADAPTED:
            return Details(adapted=space.details[:1], overviews=True)
        # An overview shows the modules, by whose names people know their model.
        known = index.trace.modules and space.growth <= 1.0
        adapted = tuple(each for each in space.details if each.frames or not known)
        return Details(adapted=adapted, overviews=True)

    def _on_graph_drawn(
        self, graph: TraceGraph, drawn: list[DrawnGraph] | TooLarge, space: GraphSpace | None
    ) -> None:
        if graph is not self._graph:
            self._graph = graph
            self._node_problems = graph.node_problems if graph.node_problems.complete else None
        if isinstance(drawn, TooLarge):
            self._fail(drawn.sentence)
        else:
            self._lay_out(graph, drawn, space)

    def _lay_out(
        self, graph: TraceGraph, drawn: list[DrawnGraph], space: GraphSpace | None
    ) -> None:
        # Qt can measure text only in the GUI thread.
        measured = [(each, graph_geometry(each, measure)) for each in drawn]
        self.began.emit(len(drawn[0].nodes))
        self._background.start(
            lambda job: _placed(graph.layouts, measured, space, job),
            self._on_layout_done,
            self._on_layout_failed,
            lane=self._lane,
            expected=(LayoutError,),
        )

    def _on_layout_done(self, placed: _Placed) -> None:
        last = self._last
        same = last is not None and placed.looks_like(last)
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
    index: TraceIndex,
    folds: FoldState,
    known: TraceGraph | None,
    details: Details,
    problems: NodeProblems | None,
    layouts: dict[str, GraphLayout],
) -> tuple[TraceGraph, list[DrawnGraph] | TooLarge]:
    """Draw a graph in several details; several are wanted only of small graphs and overviews."""
    graph = known or TraceGraph(
        index=index,
        hierarchy=hierarchy_of(index),
        node_problems=problems or find_node_problems(index, QUICK),
        layouts=layouts,
    )
    wanted = ADAPTED_DETAILS if len(details.adapted) > 1 else details.adapted
    if details.overviews:
        overviews = overview_details(index, graph.hierarchy, folds, graph.node_problems)
        graph.overviews[folds] = overviews
        wanted = (*wanted, *overviews)
    for detail in wanted:
        drawn = drawn_graph(
            index,
            hierarchy=graph.hierarchy,
            folds=folds,
            node_problems=graph.node_problems,
            detail=detail,
        )
        if isinstance(drawn, TooLarge):
            return graph, drawn
        graph.drawings[folds, detail] = drawn
    # Here, since the GUI thread would have to wait for it: the picture shows progress by step.
    index.times.made(())
    return graph, graph.drawn(folds, details)


def _placed(
    layouts: dict[str, GraphLayout],
    measured: list[_Measured],
    space: GraphSpace | None,
    job: BackgroundJob,
) -> _Placed:
    """Lay out a graph as it is, if that can be read, else the richest overview that can be.

    Args:
        layouts: Known layouts by source; new ones are added.
        measured: The drawings, most detailed first.
        space: The space for the whole graph; None for any.
        job: Cancels the layouts.
    """
    adapted = [each for each in measured if not each[0].detail.overview]
    overviews = measured[len(adapted) :]
    if space is not None and space.marked:
        # Small boxes have no space for marks.
        overviews = [each for each in overviews if not each[0].detail.brief] or overviews
    if space is None or not overviews:
        return _adapted(layouts, adapted, space, job)
    best: _Placed | None = None
    if len(adapted) > 1 or any(space.may_hold(faces, graph.detail) for graph, faces in adapted):
        best = _adapted(layouts, adapted, space, job)
        # Of small graphs, a part can be shown larger.
        if best.pixels >= space.overview_least / (space.growth if len(adapted) > 1 else 1.0):
            return best
    for at, (graph, faces) in enumerate(overviews, 1):
        if at < len(overviews) and not space.may_hold(faces, graph.detail):
            continue
        requests = [(graph, faces, style) for style in space.styles(graph.detail)]
        found = _laid_out(layouts, requests, job)
        placed = max((_place(*each, space) for each in found), key=lambda each: each.pixels)
        if best is None or placed.pixels > best.pixels:
            best = placed
        if placed.pixels >= space.overview_least:
            return placed
    assert best is not None
    return best


def _adapted(
    layouts: dict[str, GraphLayout],
    measured: list[_Measured],
    space: GraphSpace | None,
    job: BackgroundJob,
) -> _Placed:
    """Lay out the most detailed drawing that is readable, else the one with the largest text.

    If text should grow, it is as large as in the drawing chosen otherwise, times the factor.
    """
    requests = [
        (graph, faces, style)
        for graph, faces in measured
        for style in ((UPWARD,) if space is None else space.styles(graph.detail))
    ]
    # Wrapped second-order graphs are hard to follow, so everything else comes first.
    requests.sort(key=lambda each: each[2].columns > 1 and _is_second_order(each[0]))
    # Of large graphs only one arrangement is tried.
    requests = requests[: 1 if len(measured) == 1 else None]
    best: _Placed | None = None
    least, grown = (0.0 if space is None else space.least), False
    for first, last in itertools.pairwise((0, *_BATCHES, len(requests))):
        for each in _laid_out(layouts, requests[first:last], job):
            placed = _place(*each, space)
            if best is None or placed.pixels > best.pixels:
                best = placed
            if space is None or placed.pixels < least:
                continue
            if not grown and space.growth > 1.0:
                detail, _ = placed.arrangement
                least, grown = space.enlarged(placed.pixels, detail), True
            if placed.pixels >= least:
                return best
    assert best is not None
    if space is None or space.growth <= 1.0:
        return best
    detail, _ = best.arrangement
    least = least if grown else space.enlarged(best.pixels, detail)
    return replace(best, scale=space.scale_for(least, detail))


def _laid_out(
    layouts: dict[str, GraphLayout], requests: list[LayoutRequest], job: BackgroundJob
) -> list[tuple[str, LayoutRequest, GraphLayout]]:
    """Lay out what is not known, in one child process."""
    batch: dict[str, LayoutRequest] = {}
    for each in requests:
        batch.setdefault(dot_source(*each), each)
    missing = {source: each for source, each in batch.items() if source not in layouts}
    found = lay_out_all(list(missing.values()), cancelled=job.cancelled) if missing else []
    layouts.update(zip(missing, found, strict=True))
    return [(source, each, layouts[source]) for source, each in batch.items()]


def _place(
    source: str, request: LayoutRequest, layout: GraphLayout, space: GraphSpace | None
) -> _Placed:
    graph, faces, style = request
    return _Placed(
        source=source,
        picture=picture_of(graph, faces, layout),
        arrangement=(graph.detail, style),
        pixels=0.0 if space is None else space.text_pixels(layout, graph.detail),
    )


def _is_second_order(graph: DrawnGraph) -> bool:
    return any(node.order > 1 for node in graph.nodes)
