"""Draws the graphs that pages of the guide show, which gradviz only reads."""

from __future__ import annotations

import json
import re
from dataclasses import asdict

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.drawing.appearance.palette import Paint
from gradviz.drawing.appearance.text_styles import FAMILIES
from gradviz.drawing.content.graph_state import graph_states
from gradviz.drawing.content.hidden_graph_parts import hidden_graph_parts
from gradviz.export.graph.svg import laid_out_graph
from gradviz.export.graph.svg_elements import svg_element, svg_moved
from gradviz.export.graph.svg_parts import svg_parts
from gradviz.export.page.painter import css_variable
from gradviz.gallery.guide.pages import page, page_names
from gradviz.gallery.guide.pictures import PICTURES, FigureDrawing, picture_key
from gradviz.gallery.guide.traversal import graphs_on
from gradviz.resource import resource_path

_COLOR = re.compile("#([0-9a-f]{6})")
_MARGIN = 14.0
_FAMILY = f' font-family="{FAMILIES}"'


def drawn_graph(index: TraceIndex, step: int) -> FigureDrawing:
    """Draw the graph of a run at a step, as the window shows it."""
    drawing = laid_out_graph(index)
    everything = hidden_graph_parts(RevealedTrace.of_all(index), drawing.graph.nodes)
    (state,) = graph_states(index, drawing.graph, [step])
    parts = [part for group in drawing.at(state, everything) for part in group.parts]
    light, dark = (svg_parts(Paint(theme, css_variable), parts) for theme in ("light", "dark"))
    others = iter(_COLOR.findall(dark))
    inside = _COLOR.sub(lambda match: f"var(--heat-{match[1]}-{next(others)})", light)
    # Nearly all texts have it.
    inside = inside.replace(_FAMILY, "").replace(' lengthAdjust="spacingAndGlyphs"', "")
    width, height = drawing.layout.width + 2 * _MARGIN, drawing.layout.height + 2 * _MARGIN
    ground = svg_element("rect", width=width, height=height, rx=8, fill=css_variable("canvas"))
    svg = svg_element(
        "svg",
        ground + svg_moved(inside, _MARGIN, _MARGIN),
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=f"{width:.0f}",
        height=f"{height:.0f}",
        font_family=FAMILIES,
    )
    return FigureDrawing(svg=svg, width=round(width), height=round(height))


def write_pictures(drawn: dict[str, FigureDrawing], language: str) -> None:
    """Write the graphs of all pages in a language, with one line for each.

    Args:
        drawn: Those that were drawn, by `picture_key`; others stay as they are stored.
        language: Name of the language.
    """
    path = resource_path("guide") / language / PICTURES
    stored = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    known = stored | {key: asdict(each) for key, each in drawn.items()}
    wanted = (
        picture_key(name, each.step)
        for name in page_names()
        for each in graphs_on(page(name, language))
    )
    lines = (f"{json.dumps(key)}: {json.dumps(known[key], ensure_ascii=False)}" for key in wanted)
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
