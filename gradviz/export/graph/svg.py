"""The graph at one step as a standalone SVG, for slides and papers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import Level, TracePosition
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.appearance.palette import Paint, theme_paint
from gradviz.drawing.content.drawn_graph import DrawnGraph, TooLarge
from gradviz.drawing.content.graph_builder import NO_FOLDS, drawn_graph
from gradviz.drawing.content.graph_progress import GraphState
from gradviz.drawing.content.graph_state import graph_states
from gradviz.drawing.content.hidden_graph_parts import HiddenGraphParts, hidden_graph_parts
from gradviz.drawing.content.node_problems import NodeProblems
from gradviz.drawing.display.graph_display import GraphDisplay
from gradviz.drawing.geometry.box_geometry import graph_geometry
from gradviz.drawing.graphviz.layout_engine import lay_out
from gradviz.drawing.grouping.groups import FoldState
from gradviz.export.errors import ExportError
from gradviz.export.graph.svg_document import svg_document
from gradviz.export.graph.svg_elements import svg_element
from gradviz.export.graph.svg_figure import (
    FigureFrame,
    SvgStyle,
    arrange_frame,
)
from gradviz.export.graph.svg_parts import svg_parts
from gradviz.text.titles import origin_title


def graph_svg(
    index: TraceIndex,
    step: int | None = None,
    *,
    place: TracePosition | None = None,
    level: Level = "node",
    folds: FoldState = NO_FOLDS,
) -> str:
    """Draw the graph of a trace at a step, in the colors for papers and slides.

    Args:
        index: The trace.
        step: Number of the step; None for the last one.
        place: Place inside that step for the sentence above the drawing; None for the step.
        level: Level of detail of that sentence; ``pass`` describes the phase.
        folds: Groups that the user opened and closed.

    Raises:
        ExportError: If there is no graph, no such step, or the graph is too large.
        LayoutError: If the layout failed.
    """
    last = len(index.trace.steps)
    number = last if step is None else step
    if step is not None and not 1 <= step <= last:
        raise ExportError("export.no_step", number=step, last=last)
    drawing = laid_out_graph(index, folds=folds)
    places = (place or TracePosition(step=number),)
    style = SvgStyle(paint=theme_paint("light"))
    return next(graph_figures(drawing, places, style, level))


def laid_out_graph(index: TraceIndex, *, folds: FoldState = NO_FOLDS) -> GraphDisplay:
    """Lay out the graph of a trace; see `graph_svg` for arguments and errors."""
    graph = exported_graph(index, folds=folds)
    faces = graph_geometry(graph, font_measure())
    layout = lay_out(graph, faces)
    return GraphDisplay(index, graph, faces, layout)


def exported_graph(
    index: TraceIndex, *, folds: FoldState = NO_FOLDS, node_problems: NodeProblems | None = None
) -> DrawnGraph:
    """Build the drawing of a trace's graph for an export; see `drawn_graph` for arguments.

    Raises:
        ExportError: If there is no graph, or it is too large.
    """
    graph = drawn_graph(index, folds=folds, node_problems=node_problems)
    if isinstance(graph, TooLarge):
        raise ExportError("export.too_large", why=graph.sentence)
    if not graph.nodes:
        raise ExportError("export.no_graph")
    return graph


def graph_figures(
    drawing: GraphDisplay, places: Sequence[TracePosition], style: SvgStyle, level: Level = "node"
) -> Iterator[str]:
    """Draw a graph at some positions, with title, sentence and legend.

    All figures have the same size and the same place for the graph, so that nothing moves when
    one follows the other. In a figure with a size, the texts around the graph are as wide as the
    figure and readable on a screen of that size, however large the graph is.
    """
    frame = arrange_frame(drawing, places, style, level)
    return draw_framed_figures(drawing, places, style, frame)


def draw_framed_figures(
    drawing: GraphDisplay, places: Sequence[TracePosition], style: SvgStyle, frame: FigureFrame
) -> Iterator[str]:
    """Draw a graph at some positions in a frame from `arrange_frame`; see `graph_figures`."""
    index, paint = drawing.index, style.paint
    everything = hidden_graph_parts(RevealedTrace.of_all(index), drawing.graph.nodes)
    states = graph_states(index, drawing.graph, (place.step for place in places))
    for top, sentence, state in zip(frame.tops, frame.sentences, states, strict=True):
        drawn = graph_drawing(paint, drawing, state, everything)
        yield svg_document(
            frame.compose(top, drawn),
            frame.width,
            frame.height,
            "none" if style.transparent else paint("canvas"),
            title=origin_title(index.trace.origin) or "gradviz",
            description=sentence,
            size=style.size,
        )


def graph_drawing(
    paint: Paint, drawing: GraphDisplay, state: GraphState, hidden: HiddenGraphParts
) -> str:
    """Draw a graph in a state, without what is hidden and without anything around it."""
    parts = []
    for group in drawing.at(state, hidden):
        inside = svg_parts(paint, group.parts)
        if group.look:
            inside = svg_element("g", inside, id=group.name, class_=group.look)
        parts.append(inside)
    return "\n".join(filter(None, parts))
