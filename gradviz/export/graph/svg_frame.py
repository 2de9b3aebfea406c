"""Surroundings of a drawn graph: title, the step's sentence, and a legend."""

from __future__ import annotations

from collections.abc import Container

from gradviz.analysis.index.step_queries import phase_of, step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.drawing.appearance.palette import Paint
from gradviz.drawing.appearance.text_styles import FONTS, Measure
from gradviz.drawing.content.drawn_graph import DrawnGraph, DrawnKind
from gradviz.drawing.content.graph_progress import DONE, NOW, TO_COME
from gradviz.drawing.display.legend_signs import BOX, LINE_LEFT, kind_sign, line_sign
from gradviz.export.graph.svg_elements import svg_element, svg_moved, svg_text_line
from gradviz.export.graph.svg_parts import svg_parts
from gradviz.text.line_breaks import wrap
from gradviz.text.titles import origin_title

LINE, ROW = 17.0, 22.0
_KINDS: tuple[DrawnKind, ...] = (
    *("leaf", "custom", "builtin", "saved", "output", "folded", "error", "cut", "dead_end"),
)
_FLOWS = {"done": DONE, "now": NOW, "to_come": TO_COME}
_SIGN = 0.62
"""Scale of the signs in proportion to those in the graph."""


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
        (say(f"drawing.kind.{kind}"), svg_parts(paint, kind_sign(kind)), BOX.x)
        for kind in _KINDS
        if kind in used_kinds
    ]
    entries += [
        (say(f"drawing.flow.{name}"), svg_parts(paint, line_sign(state)), LINE_LEFT)
        for name, state in (_FLOWS.items() if has_flow else ())
    ]
    parts, x, y = [], 0.0, 0.0
    for name, sign, left in entries:
        entry_width = 30 + measure(name, "line")[0] + 18
        # At x = 0, a new row would only leave an empty one above an entry that is too wide anyway.
        if x and x + entry_width > width:
            x, y = 0.0, y + ROW
        parts.append(svg_moved(sign, x - left * _SIGN, y + 8 - BOX.center[1] * _SIGN, _SIGN))
        parts.append(svg_text_line(name, x + 30, y + 11.5, "line", paint("text_muted")))
        x += entry_width
    return svg_element("g", "".join(parts), id="legend"), y + ROW
