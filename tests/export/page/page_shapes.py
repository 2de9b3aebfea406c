"""The shapes that a drawing of the page shows, and those of the same graph as a figure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from xml.etree import ElementTree

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.appearance.palette import color, theme_paint
from gradviz.drawing.content.drawn_graph import DrawnGraph
from gradviz.drawing.content.graph_state import graph_states
from gradviz.drawing.content.hidden_graph_parts import hidden_graph_parts
from gradviz.drawing.display.graph_display import GraphDisplay
from gradviz.drawing.geometry.box_geometry import graph_geometry
from gradviz.drawing.graphviz.layout_engine import lay_out
from gradviz.export.graph.svg import graph_drawing
from gradviz.export.page.drawing import PageGraph

Shapes = Counter[tuple[str, ...]]

_NAMES = ("x", "y", "width", "height", "d", "points", "stroke", "stroke-width", "fill")


def laid_out(index: TraceIndex, graph: DrawnGraph) -> GraphDisplay:
    faces = graph_geometry(graph, font_measure())
    layout = lay_out(graph, faces)
    return GraphDisplay(index, graph, faces, layout)


def shapes_of_figure(
    drawing: GraphDisplay, number: int, revealed: RevealedTrace | None = None
) -> Shapes:
    """All shapes and texts at a step."""
    shown = RevealedTrace.of_all(drawing.index) if revealed is None else revealed
    (state,) = graph_states(
        drawing.index, drawing.graph, (number,), answer_hidden=shown.hides_answer
    )
    hidden = hidden_graph_parts(shown, drawing.graph.nodes)
    inside = graph_drawing(theme_paint("light"), drawing, state, hidden)
    return Counter(facts(each) for each in leaves(ElementTree.fromstring(f"<svg>{inside}</svg>")))


class PageShapes:
    """Reads the shapes of one drawing of a page, in their light colors."""

    def __init__(self, page: PageGraph, key: str) -> None:
        self._colors = page.styles.colors()
        self._looks = looks(page.styles.rules())
        self._svg = ElementTree.fromstring(page.drawings[key])
        self._parts = [each for each in self._svg.iter("g") if "data-part" in each.attrib]

    def at(self, state: dict[int, int]) -> Shapes:
        """All shapes and texts in a state, except for the legend."""
        inside = {each for part in self._parts for each in part.iter()}
        shown = [each for each in leaves(self._svg) if each not in inside]
        for part in self._parts:
            if part.attrib["id"] != "graph-legend":
                shown += shown_in(part, state.get(int(part.attrib["data-part"]), -1))
        return Counter(facts(each, self._looks, self._colors) for each in shown)


def shown_in(part: ElementTree.Element, variant: int) -> Iterator[ElementTree.Element]:
    """The shapes and texts of a part that one of its variants shows."""
    for child in part if variant >= 0 else ():
        only = child.attrib.get("data-in")
        if only is None or str(variant) in only.split():
            yield from leaves(child)


def looks(rules: str) -> dict[str, dict[str, str]]:
    """The attributes for which each class stands."""
    found = re.findall(r"\.(s\d+)\{(.*?)\}", rules)
    return {name: dict(each.split(":") for each in style.split(";")) for name, style in found}


def leaves(element: ElementTree.Element) -> list[ElementTree.Element]:
    return [each for each in element.iter() if each.tag not in ("g", "svg")]


def facts(
    element: ElementTree.Element,
    looks: dict[str, dict[str, str]] | None = None,
    colors: dict[str, tuple[str, str]] | None = None,
) -> tuple[str, ...]:
    """Tag, text, place and light colors of a shape."""

    def light(match: re.Match[str]) -> str:
        known = (colors or {}).get(match[1])
        return known[0] if known else color(match[1].replace("-", "_"), "light")  # type: ignore[arg-type]

    known = element.attrib | (looks or {}).get(element.get("class", ""), {})
    found = (re.sub(r"var\(--([a-z0-9-]+)\)", light, known.get(name, "")) for name in _NAMES)
    return (element.tag, *found, element.text or "")
