"""The graph at one step as a standalone SVG, for slides and papers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gradviz.analysis.index.step_queries import NodeStatus
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.position.trace_position import Level, TracePosition
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.appearance.palette import Paint, PaletteRole, PaletteTheme, theme_paint
from gradviz.drawing.appearance.text_styles import BASELINE, FONTS, Measure
from gradviz.drawing.content.color_scales import color_scales
from gradviz.drawing.content.drawn_graph import DrawnEdge, DrawnFrame, DrawnGraph, TooLarge
from gradviz.drawing.content.graph_builder import NO_FOLDS, drawn_graph
from gradviz.drawing.content.graph_state import GraphState, graph_states
from gradviz.drawing.content.node_problems import problem_colors
from gradviz.drawing.geometry.box_geometry import (
    FrameGeometry,
    GraphGeometry,
    graph_geometry,
    rect_beside_label,
)
from gradviz.drawing.geometry.rect import PlacedText, Rect
from gradviz.drawing.graphviz.graph_layout import GraphLayout, LayoutPoint
from gradviz.drawing.graphviz.layout_engine import TIMEOUT_S, LayoutEngine, lay_out
from gradviz.drawing.grouping.groups import FoldState
from gradviz.export.errors import ExportError
from gradviz.export.graph.svg_box import svg_halo, svg_node_box, svg_thumbnail
from gradviz.export.graph.svg_document import SvgSize, svg_document
from gradviz.export.graph.svg_elements import (
    SvgAttributes,
    svg_element,
    svg_text_line,
)
from gradviz.export.graph.svg_frame import svg_header, svg_legend
from gradviz.model.tensor import TensorValues
from gradviz.text.narration import describe_position
from gradviz.text.titles import origin_title

_STROKES: dict[NodeStatus, tuple[PaletteRole, float, str]] = {
    "done": ("edge_done", 2.0, ""),
    "now": ("edge_now", 3.4, ""),
    "to come": ("edge_to_come", 1.4, ""),
    "untouched": ("edge_to_come", 1.2, "2 4"),
}


def svg_edge(
    paint: Paint, edge: DrawnEdge, curve: tuple[LayoutPoint, ...], status: NodeStatus
) -> str:
    """Draw one edge, with an arrow if it carries a gradient."""
    if edge.kind == "saved":
        path = svg_element("path", **_path(paint, curve, "saved_border", 1.3, "3 3"))
        return svg_element("g", path, id=edge.id, class_=edge.kind)
    if edge.kind in ("made", "dead_end"):
        path = svg_element("path", **_path(paint, curve, "edge_link", 1.3, "1.4 3"))
        return svg_element("g", path, id=edge.id, class_=edge.kind)
    if edge.kind == "cut":
        path = svg_element("path", **_path(paint, curve, "failing_border", 2.0, "5.5 4"))
        return svg_element("g", path + _cross(paint, curve), id=edge.id, class_=edge.kind)
    role, width, dashes = _STROKES[status]
    tip = arrow_points(curve, 3.2 + 1.4 * width)
    # The line ends at the base of the arrow, or its thick end would cover the tip.
    shortened = (*curve[:-1], _between(tip[1], tip[2]))
    path = svg_element("path", **_path(paint, shortened, role, width, dashes))
    points = " ".join(f"{x:.2f},{y:.2f}" for x, y in tip)
    head = svg_element("polygon", points=points, fill=paint(role))
    return svg_element("g", path + head, id=edge.id, class_=f"{edge.kind} {status}")


def _cross(paint: Paint, curve: tuple[LayoutPoint, ...]) -> str:
    """Draw the cross over the middle of a path that no gradient can take."""
    at = (len(curve) - 1) // 6 * 3
    first, second, third, last = curve[at : at + 4]
    x, y = (
        (a + 3 * b + 3 * c + d) / 8 for a, b, c, d in zip(first, second, third, last, strict=True)
    )
    data = f"M{x - 6:.2f},{y - 6:.2f} l12,12 M{x - 6:.2f},{y + 6:.2f} l12,-12"
    return svg_element(
        "path", d=data, fill="none", stroke=paint("failing_border"), stroke_width=2.0
    )


def arrow_points(
    curve: tuple[LayoutPoint, ...], size: float
) -> tuple[LayoutPoint, LayoutPoint, LayoutPoint]:
    """Tip and two corners of the arrow at the end of a curve."""
    end = curve[-1]
    before = next(
        (p for p in reversed(curve[:-1]) if math.dist(p, end) > 0.5), (end[0], end[1] + 1)
    )
    length = math.dist(before, end)
    along = ((end[0] - before[0]) / length, (end[1] - before[1]) / length)
    base = (end[0] - along[0] * size, end[1] - along[1] * size)
    half = size * 0.45
    across = (-along[1] * half, along[0] * half)
    corners = (base[0] + across[0], base[1] + across[1]), (base[0] - across[0], base[1] - across[1])
    return end, *corners


def svg_edge_label(paint: Paint, content: str, slot: Rect) -> str:
    """Draw the label of a gradient in the space reserved for it."""
    font = FONTS["label"]
    height = font.size * 1.21
    top = slot.y + (slot.height - height) / 2
    x, baseline = slot.x + 5, top + BASELINE * height
    # An outline in the background color keeps the text readable near an edge. It is a text of its
    # own, as not every program knows `paint-order`.
    rim: SvgAttributes = {"stroke": paint("canvas"), "stroke_width": 3, "aria_hidden": "true"}
    outline = svg_text_line(content, x, baseline, "label", paint("canvas"), more=rim)
    return outline + svg_text_line(content, x, baseline, "label", paint("edge_label"))


def _path(
    paint: Paint, curve: tuple[LayoutPoint, ...], role: PaletteRole, width: float, dashes: str
) -> SvgAttributes:
    start, *rest = [f"{x:.2f},{y:.2f}" for x, y in curve]
    pieces = (" ".join(rest[at : at + 3]) for at in range(0, len(rest), 3))
    data = f"M{start}" + "".join(f" C{piece}" for piece in pieces)
    style: SvgAttributes = {
        "d": data,
        "fill": "none",
        "stroke": paint(role),
        "stroke_width": width,
    }
    return style | ({"stroke_dasharray": dashes} if dashes else {})


def _between(first: LayoutPoint, second: LayoutPoint) -> LayoutPoint:
    return (first[0] + second[0]) / 2, (first[1] + second[1]) / 2


_ROUND, _HIGH, _SIGN, _PAD = 10.0, 16.0, 9.0, 5.0


def group_frame_depths(graph: DrawnGraph) -> dict[str, int]:
    """Nesting depth of each frame, by its id."""
    found = {"": -1}
    for frame in graph.frames:
        found[frame.id] = found[frame.parent] + 1
    return found


def svg_group_frame(paint: Paint, drawn: DrawnFrame, rect: Rect, depth: int) -> str:
    """Draw the background of an open group."""
    fill = paint("frame_inner" if depth % 2 else "frame_fill")
    size = {"x": rect.x, "y": rect.y, "width": rect.width, "height": rect.height, "rx": _ROUND}
    inside = svg_element("rect", fill=fill, stroke=paint("frame_border"), **size)
    return svg_element("g", inside, id=drawn.id, class_="frame")


def svg_group_title(paint: Paint, face: FrameGeometry, rect: Rect, depth: int) -> str:
    """Draw the title of a frame on a background that covers crossing edges."""
    if not face.texts:
        return ""
    # An export has no close button, so the title takes its place.
    left = face.sign.x - face.texts[0].x
    width = face.texts[-1].x + face.texts[-1].width + left
    ground = svg_element(
        "rect",
        x=rect.x + face.sign.x - 3,
        y=rect.y + 4,
        width=width - face.sign.x + 6,
        height=face.height - 6,
        fill=paint("frame_inner" if depth % 2 else "frame_fill"),
    )
    ink = paint("frame_text")
    return ground + "".join(
        svg_text_line(each.text, rect.x + each.x + left, rect.y + each.baseline, each.style, ink)
        for each in face.texts
    )


def svg_group_progress(paint: Paint, slot: PlacedText, rect: Rect, content: str) -> str:
    """Draw how many nodes of a folded group are done."""
    place = (rect.x + slot.x, rect.y + slot.baseline)
    return svg_text_line(content, *place, slot.style, paint("folded_text"))


def svg_problem_mark(paint: Paint, word: str, rect: Rect, measure: Measure) -> str:
    """Draw the mark for something that went wrong in a box."""
    x, y = rect.x + 8, rect.y - _HIGH / 2
    width, height = measure(word, "mark")
    middle, half = y + _HIGH / 2, _SIGN / 2
    ink, ground = (paint(role) for role in problem_colors(word))
    pill = svg_element(
        "rect",
        x=x,
        y=y,
        width=width + _SIGN + 3 * _PAD,
        height=_HIGH,
        rx=_HIGH / 2,
        fill=ground,
        stroke=ink,
    )
    left = x + _PAD
    points = f"{left + half},{middle - half} {left + _SIGN},{middle + half} {left},{middle + half}"
    sign = svg_element("polygon", points=points, fill=ink)
    place = (left + _SIGN + _PAD, middle + 0.3 * height)
    return pill + sign + svg_text_line(word, *place, "mark", ink)


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
