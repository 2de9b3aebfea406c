"""The graph at one step as a standalone SVG, for slides and papers."""

from __future__ import annotations

from pathlib import Path

from gradviz.drawing.drawn import DrawnGraph, TooLarge
from gradviz.drawing.face import Faces, beside_label, faces_of
from gradviz.drawing.folds import Folds
from gradviz.drawing.font_widths import font_measure
from gradviz.drawing.graph import AS_FOUND, drawn_graph
from gradviz.drawing.layout import Layout
from gradviz.drawing.placed import Rect
from gradviz.drawing.run import TIMEOUT_S, Engine, lay_out
from gradviz.drawing.state import GraphState, state_at
from gradviz.export.errors import ExportError
from gradviz.export.svg_box import box, halo, thumbnail
from gradviz.export.svg_frame import header, legend
from gradviz.export.svg_group import depths, frame, tally, title, trouble
from gradviz.export.svg_line import label, line
from gradviz.export.svg_marks import element, paint, plain
from gradviz.model.index import Index
from gradviz.model.narrate import sentence_at
from gradviz.model.places import Level, Place
from gradviz.model.tensor import Values

MARGIN, LEAST_WIDTH = 22.0, 420.0


def write_svg(
    index: Index,
    values: Values,
    path: Path,
    step: int | None = None,
    *,
    place: Place | None = None,
    level: Level = "node",
    timeout_s: float = TIMEOUT_S,
    engine: Engine | None = None,
    folds: Folds = AS_FOUND,
) -> None:
    """Write the graph of a trace at a step.

    Args:
        index: The trace.
        values: Reads the elements of small tensors.
        path: The file; an existing one is replaced.
        step: Number of the step; None for the last one.
        place: Place inside that step for the sentence above the drawing; None for the step.
        level: Level of detail of that sentence; ``pass`` describes the phase.
        timeout_s: Maximum time of the layout in seconds.
        engine: Layout engine; None for any that is available.
        folds: Groups that the user opened and closed.

    Raises:
        ExportError: If there is no graph, no such step, or the graph is too large.
        LayoutError: If the layout failed.
        OSError: If the file cannot be written.
    """
    last = len(index.trace.steps)
    number = last if step is None else step
    if step is not None and not 1 <= step <= last:
        raise ExportError("export.no_step", number=step, last=last)
    graph = drawn_graph(index, folds=folds)
    if isinstance(graph, TooLarge):
        raise ExportError("export.too_large", why=graph.sentence)
    if not graph.nodes:
        raise ExportError("export.no_graph")
    faces = faces_of(graph, font_measure())
    layout = lay_out(graph, faces, timeout_s=timeout_s, engine=engine)
    told = sentence_at(index, place or Place(step=number), level)
    text = svg_text(index, values, graph, faces, layout, number, told)
    path.write_text(text, encoding="utf-8")


def svg_text(
    index: Index,
    values: Values,
    graph: DrawnGraph,
    faces: Faces,
    layout: Layout,
    number: int,
    told: str,
) -> str:
    """Render a laid-out drawing at a step, with title, sentence and legend."""
    measure = font_measure()
    width = max(layout.width, LEAST_WIDTH)
    top, top_height = header(index, number, told, width, measure)
    bottom, bottom_height = legend(graph, width, measure)
    shift = ((width - layout.width) / 2, top_height + 8)
    below = shift[1] + layout.height + 22
    state = state_at(index, graph, number)
    inside = "\n".join(
        (
            top,
            _moved(picture(values, graph, faces, layout, state), *shift),
            _moved(bottom, 0, below),
        )
    )
    size = (width + 2 * MARGIN, below + bottom_height + 2 * MARGIN)
    return _document(index, told, _moved(inside, MARGIN, MARGIN), *size)


def picture(
    values: Values, graph: DrawnGraph, faces: Faces, layout: Layout, state: GraphState
) -> str:
    """Draw frames, halos, edges, boxes and labels, in this order, with labels on top."""
    depth = depths(graph)
    parts = [frame(each, layout.frames[each.id], depth[each.id]) for each in graph.frames]
    parts += [
        halo(faces.boxes[node.id].shape, layout.boxes[node.id], state.phase)
        for node in graph.nodes
        if state.nodes[node.id] == "now"
    ]
    parts += [
        line(edge, layout.curves[edge.id], state.edges[edge.id])
        for edge in sorted(graph.edges, key=lambda each: state.edges[each.id] == "now")
    ]
    for each in graph.frames:
        parts.append(title(faces.frames[each.id], layout.frames[each.id], depth[each.id]))
    for node in graph.nodes:
        rect, face = layout.boxes[node.id], faces.boxes[node.id]
        parts.append(box(node, face, rect, state.nodes[node.id], values))
        if face.tally is not None and state.tallies[node.id]:
            parts.append(tally(face.tally, rect, state.tallies[node.id]))
    for edge, content in state.labels.items():
        parts.append(label(content, layout.labels[edge]))
        tiny = state.gradients.get(edge)
        if tiny is not None:
            parts.append(thumbnail(values(tiny.tensor), beside_label(layout.labels[edge], tiny)))
    parts += [
        trouble(node.problem, layout.boxes[node.id], font_measure())
        for node in graph.nodes
        if node.problem
    ]
    return "\n".join(parts)


def _document(index: Index, told: str, inside: str, width: float, height: float) -> str:
    ground = Rect(x=0, y=0, width=width, height=height)
    name = element("title", plain(index.trace.origin.title) or "gradviz")
    name += "\n" + element("desc", plain(told)) if told else ""
    back = element("rect", width=ground.width, height=ground.height, fill=paint("canvas"))
    attributes = {"width": f"{width:.0f}", "height": f"{height:.0f}", "role": "img"}
    box_of = f"0 0 {width:.2f} {height:.2f}"
    svg = element(
        "svg",
        f"\n{name}\n{back}\n{inside}\n",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=box_of,
        **attributes,
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{svg}\n'


def _moved(inside: str, x: float, y: float) -> str:
    return element("g", inside, transform=f"translate({x:.2f} {y:.2f})")
