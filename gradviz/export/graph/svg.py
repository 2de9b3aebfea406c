"""The graph at one step as a standalone SVG, for slides and papers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import Level, TracePosition
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.appearance.palette import Paint, PaletteTheme, theme_paint
from gradviz.drawing.content.color_scales import color_scales
from gradviz.drawing.content.drawn_graph import DrawnGraph, TooLarge
from gradviz.drawing.content.graph_builder import NO_FOLDS, drawn_graph
from gradviz.drawing.content.graph_state import GraphState, graph_states
from gradviz.drawing.geometry.box_geometry import (
    GraphGeometry,
    graph_geometry,
    rect_beside_label,
)
from gradviz.drawing.graphviz.graph_layout import GraphLayout
from gradviz.drawing.graphviz.layout_engine import TIMEOUT_S, LayoutEngine, lay_out
from gradviz.drawing.grouping.groups import FoldState
from gradviz.export.errors import ExportError
from gradviz.export.graph.svg_box import svg_halo, svg_node_box, svg_problem_mark, svg_thumbnail
from gradviz.export.graph.svg_document import SvgSize, svg_document
from gradviz.export.graph.svg_edge import svg_edge, svg_edge_label
from gradviz.export.graph.svg_elements import svg_element
from gradviz.export.graph.svg_frame import svg_header, svg_legend
from gradviz.export.graph.svg_group import (
    group_frame_depths,
    svg_group_frame,
    svg_group_progress,
    svg_group_title,
)
from gradviz.model.tensor import TensorValues
from gradviz.text.narration import describe_position
from gradviz.text.titles import origin_title

MARGIN, LEAST_WIDTH = 22.0, 420.0


def graph_svg(
    index: TraceIndex,
    values: TensorValues,
    step: int | None = None,
    *,
    place: TracePosition | None = None,
    level: Level = "node",
    timeout_s: float = TIMEOUT_S,
    engine: LayoutEngine | None = None,
    folds: FoldState = NO_FOLDS,
    theme: PaletteTheme = "light",
    size: SvgSize | None = None,
    embedded_paint: Paint | None = None,
) -> str:
    """Draw the graph of a trace at a step.

    Args:
        index: The trace.
        values: Reads the elements of small tensors.
        step: Number of the step; None for the last one.
        place: Place inside that step for the sentence above the drawing; None for the step.
        level: Level of detail of that sentence; ``pass`` describes the phase.
        timeout_s: Maximum time of the layout in seconds.
        engine: Layout engine; None for any that is available.
        folds: Groups that the user opened and closed.
        theme: The colors; light ones suit papers and slides.
        size: Size of the figure; None for the graph's own.
        embedded_paint: Colors of an HTML document in which the figure is an element, without title
            and ids; None for a file with the colors of the theme.

    Raises:
        ExportError: If there is no graph, no such step, or the graph is too large.
        LayoutError: If the layout failed.
    """
    last = len(index.trace.steps)
    number = last if step is None else step
    if step is not None and not 1 <= step <= last:
        raise ExportError("export.no_step", number=step, last=last)
    drawing = laid_out_graph(index, values, timeout_s=timeout_s, engine=engine, folds=folds)
    places = (place or TracePosition(step=number),)
    if embedded_paint is None:
        style = SvgStyle(paint=theme_paint(theme), size=size)
        return next(graph_figures(drawing, places, style, level))
    style = SvgStyle(paint=embedded_paint, size=size, embedded=True)
    # Nothing refers to the ids, which would not be unique in a document with several figures.
    return re.sub(r'<g id="[^"]*"', "<g", next(graph_figures(drawing, places, style, level)))


@dataclass(frozen=True, slots=True, kw_only=True)
class LaidOutGraph:
    """The drawing of a trace that has the same boxes and curves at each step.

    Attributes:
        index: The trace.
        values: Reads the elements of small tensors.
        graph: What is drawn.
        faces: The contents of the boxes.
        layout: Where they are.
    """

    index: TraceIndex
    values: TensorValues
    graph: DrawnGraph
    faces: GraphGeometry
    layout: GraphLayout


@dataclass(frozen=True, slots=True, kw_only=True)
class SvgStyle:
    """How a figure looks.

    Attributes:
        paint: Its colors.
        size: Its size; None for the graph's own.
        embedded: Whether it is an element of an HTML document, without a title.
        transparent: Whether it has no background.
    """

    paint: Paint
    size: SvgSize | None = None
    embedded: bool = False
    transparent: bool = False


def laid_out_graph(
    index: TraceIndex,
    values: TensorValues,
    *,
    timeout_s: float = TIMEOUT_S,
    engine: LayoutEngine | None = None,
    folds: FoldState = NO_FOLDS,
) -> LaidOutGraph:
    """Lay out the graph of a trace; see `graph_svg` for arguments and errors."""
    graph = drawn_graph(index, folds=folds)
    if isinstance(graph, TooLarge):
        raise ExportError("export.too_large", why=graph.sentence)
    if not graph.nodes:
        raise ExportError("export.no_graph")
    faces = graph_geometry(graph, font_measure())
    layout = lay_out(graph, faces, timeout_s=timeout_s, engine=engine)
    return LaidOutGraph(index=index, values=values, graph=graph, faces=faces, layout=layout)


def graph_figures(
    drawing: LaidOutGraph, places: Sequence[TracePosition], style: SvgStyle, level: Level = "node"
) -> Iterator[str]:
    """Draw a graph at some positions, with title, sentence and legend.

    All figures have the same size and the same place for the graph, so that nothing moves when
    one follows the other.
    """
    index, layout, paint, measure = drawing.index, drawing.layout, style.paint, font_measure()
    width = max(layout.width, LEAST_WIDTH)
    told = [describe_position(index, place, level) for place in places]
    tops = [
        ("", 0.0)
        if style.embedded
        else svg_header(paint, index, place.step, sentence, width, measure)
        for place, sentence in zip(places, told, strict=True)
    ]
    bottom, bottom_height = svg_legend(paint, drawing.graph, width, measure)
    shift = ((width - layout.width) / 2, max(height for _, height in tops) + 8)
    below = shift[1] + layout.height + 22
    states = graph_states(index, drawing.graph, (place.step for place in places))
    for (top, _), sentence, state in zip(tops, told, states, strict=True):
        drawn = _moved(_drawing(paint, drawing, state), *shift)
        inside = "\n".join((top, drawn, _moved(bottom, 0, below)))
        yield svg_document(
            _moved(inside, MARGIN, MARGIN),
            width + 2 * MARGIN,
            below + bottom_height + 2 * MARGIN,
            "none" if style.transparent else paint("canvas"),
            title=origin_title(index.trace.origin) or "gradviz",
            description=sentence,
            size=style.size,
            declared=not style.embedded,
        )


def _drawing(paint: Paint, drawing: LaidOutGraph, state: GraphState) -> str:
    """Draw frames, halos, edges, boxes and labels, in this order, with labels on top."""
    index, values, graph = drawing.index, drawing.values, drawing.graph
    faces, layout = drawing.faces, drawing.layout
    depth = group_frame_depths(graph)
    scales = color_scales(index, graph.nodes, graph.edges)
    parts = [
        svg_group_frame(paint, each, layout.frames[each.id], depth[each.id])
        for each in graph.frames
    ]
    parts += [
        svg_halo(paint, faces.boxes[node.id].shape, layout.boxes[node.id], state.phase)
        for node in graph.nodes
        if state.nodes[node.id] == "now"
    ]
    parts += [
        svg_edge(paint, edge, layout.curves[edge.id], state.edges[edge.id])
        # Current edges come last, on top of the others.
        for edge in sorted(graph.edges, key=lambda each: state.edges[each.id] == "now")
    ]
    for each in graph.frames:
        parts.append(
            svg_group_title(paint, faces.frames[each.id], layout.frames[each.id], depth[each.id])
        )
    for node in graph.nodes:
        rect, face = layout.boxes[node.id], faces.boxes[node.id]
        parts.append(svg_node_box(paint, node, face, rect, state.nodes[node.id], values, scales))
        if face.group_progress is not None and state.group_progresses[node.id]:
            parts.append(
                svg_group_progress(
                    paint, face.group_progress, rect, state.group_progresses[node.id]
                )
            )
    for edge, content in state.labels.items():
        parts.append(svg_edge_label(paint, content, layout.labels[edge]))
        tiny = state.gradients.get(edge)
        if tiny is not None:
            parts.append(
                svg_thumbnail(
                    paint,
                    values(tiny.tensor),
                    rect_beside_label(layout.labels[edge], tiny),
                    scales.get(tiny.tensor),
                )
            )
    parts += [
        svg_problem_mark(paint, node.problem, layout.boxes[node.id], font_measure())
        for node in graph.nodes
        if node.problem
    ]
    return "\n".join(parts)


def _moved(inside: str, x: float, y: float) -> str:
    return svg_element("g", inside, transform=f"translate({x:.2f} {y:.2f})")
