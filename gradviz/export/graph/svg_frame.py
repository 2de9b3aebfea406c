"""Surroundings of a drawn graph: title, the step's sentence, and a legend."""

from __future__ import annotations

from collections.abc import Container

from gradviz.analysis.index.step_queries import phase_of, step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.drawing.appearance.palette import Paint, PaletteRole
from gradviz.drawing.appearance.text_styles import FONTS, Measure
from gradviz.drawing.content.drawn_graph import DrawnGraph, DrawnKind
from gradviz.drawing.geometry.box_geometry import SHAPES
from gradviz.drawing.geometry.rect import Rect
from gradviz.export.graph.svg_box import color_role, svg_outline
from gradviz.export.graph.svg_elements import SvgAttributes, svg_element, svg_text_line
from gradviz.text.line_breaks import wrap
from gradviz.text.titles import origin_title

LINE, ROW = 17.0, 22.0
_KINDS: tuple[DrawnKind, ...] = (
    *("leaf", "custom", "builtin", "saved", "output", "folded", "error", "cut", "dead_end"),
)
_FLOWS: tuple[tuple[str, PaletteRole, float], ...] = (
    ("done", "edge_done", 2.0),
    ("now", "edge_now", 3.4),
    ("to_come", "edge_to_come", 1.4),
)


def svg_header(
    paint: Paint,
    index: TraceIndex,
    number: int,
    description: str,
    width: float,
    measure: Measure,
) -> tuple[str, float]:
    """Draw title, position and sentence of a step; also return their height."""
    title = origin_title(index.trace.origin)
    parts = [svg_text_line(title, 0, 15, "title", paint("text"), size=17)]
    y = 15.0
    step = step_at(index, number)
    if step is not None:
        phase = phase_of(step)
        total = len(index.trace.steps)
        where = say(
            "drawing.step", number=format_count(number), total=format_count(total), phase=phase
        )
        y += LINE + 4
        parts.append(svg_text_line(where, 0, y, "label", paint(phase)))
    for line in wrap_text(description, width, measure) if description else ():
        y += LINE
        parts.append(svg_text_line(line, 0, y, "line", paint("text"), size=12))
    return svg_element("g", "".join(parts), id="caption"), y + 14


def wrap_text(content: str, width: float, measure: Measure) -> list[str]:
    """Break text into at most 12 lines that fit a width when set at 12 points."""
    # `measure` knows only the sizes of the graph's texts.
    scale = 12 / FONTS["line"].size
    return wrap(content, width, lambda line: measure(line, "line")[0] * scale)[:12]


def svg_legend(
    paint: Paint,
    graph: DrawnGraph,
    width: float,
    measure: Measure,
    absent: Container[int] = (),
    *,
    has_flow: bool = True,
) -> tuple[str, float]:
    """Draw the legend of the colors, shapes and lines in use; also return its height.

    Args:
        paint: Returns the color of a role.
        graph: What is drawn.
        width: Largest width of a row.
        measure: Measures text.
        absent: Positions of the boxes that are left out.
        has_flow: Whether a run was recorded, in which gradients flow.
    """
    used_kinds = {node.kind for at, node in enumerate(graph.nodes) if at not in absent}
    entries = [
        (say(f"drawing.kind.{kind}"), _swatch(paint, kind)) for kind in _KINDS if kind in used_kinds
    ]
    flows = _FLOWS if has_flow else ()
    entries += [(say(f"drawing.flow.{name}"), _stroke(paint, line, w)) for name, line, w in flows]
    parts, x, y = [], 0.0, 0.0
    for name, sign in entries:
        entry_width = 30 + measure(name, "line")[0] + 18
        # At x = 0, a new row would only leave an empty one above an entry that is too wide anyway.
        if x and x + entry_width > width:
            x, y = 0.0, y + ROW
        parts.append(svg_element("g", sign, transform=f"translate({x:.2f} {y:.2f})"))
        parts.append(svg_text_line(name, x + 30, y + 11.5, "line", paint("text_muted")))
        x += entry_width
    return svg_element("g", "".join(parts), id="legend"), y + ROW


def _swatch(paint: Paint, kind: DrawnKind) -> str:
    # Kinds differ in outline as well as in color, for readers who cannot tell the colors apart.
    dashes: SvgAttributes = {"stroke_dasharray": "3 2"} if kind in ("saved", "cut") else {}
    width = 2.0 if kind == "custom" else 1.2
    colors = {
        "fill": paint(color_role(kind, "fill")),
        "stroke": paint(color_role(kind, "border")),
    }
    rect = Rect(x=1, y=1, width=22, height=14)
    if SHAPES[kind] == "chamfered":
        points = "5,1 19,1 23,5 23,11 19,15 5,15 1,11 1,5"
        return svg_element("polygon", points=points, stroke_width=width, **colors)
    return svg_outline(SHAPES[kind], rect, stroke_width=width, **colors, **dashes)


def _stroke(paint: Paint, line: PaletteRole, width: float) -> str:
    path = svg_element("path", d="M1,8 L17,8", stroke=paint(line), stroke_width=width)
    half = 1.4 + 0.65 * width
    head = svg_element(
        "polygon", points=f"24,8 16,{8 - half:.1f} 16,{8 + half:.1f}", fill=paint(line)
    )
    return path + head
