"""Draws one graph as an SVG, in which each part has a variant for each of its states."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from itertools import zip_longest
from xml.etree import ElementTree

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.appearance.palette import Paint, PaletteRole
from gradviz.drawing.content.color_scales import color_scales
from gradviz.drawing.content.drawn_graph import DrawnEdge, DrawnGraph, DrawnNode
from gradviz.drawing.content.element_grid import ElementGrid
from gradviz.drawing.content.graph_progress import NOW, STATUSES, GraphState
from gradviz.drawing.content.hidden_graph_parts import HiddenGraphParts
from gradviz.drawing.display.graph_display import GraphDisplay
from gradviz.drawing.display.parts import Part
from gradviz.drawing.geometry.box_geometry import GraphGeometry
from gradviz.drawing.graphviz.graph_layout import GraphLayout
from gradviz.export.graph.svg_elements import SvgAttributes, svg_element
from gradviz.export.graph.svg_figure import MARGIN
from gradviz.export.graph.svg_frame import svg_legend
from gradviz.export.graph.svg_parts import svg_parts
from gradviz.model.tensor import TensorValues

_COLOR = re.compile("#[0-9a-f]{6}")
_TAG = re.compile(r"^<(\w+)")
_LOOK = (
    "fill",
    "stroke",
    "stroke-width",
    "stroke-dasharray",
    "stroke-linecap",
    "font-family",
    "font-size",
    "font-weight",
    "text-anchor",
)
"""Attributes that CSS has too."""

_UNITS = {"font-size": "px"}
_LEAST_WIDTH = 300.0
_LEGEND = "graph-legend"


def css_variable(role: PaletteRole) -> str:
    """The CSS value of a palette color, which follows the theme of the page."""
    return f"var(--{role.replace('_', '-')})"


class DrawingStyles:
    """Collects what drawings have in common: colors that differ by theme, and classes."""

    def __init__(self) -> None:
        self._colors: dict[tuple[str, str], str] = {}
        self._classes: dict[str, str] = {}

    def colors(self) -> dict[str, tuple[str, str]]:
        """The light and the dark color for each name of a CSS variable."""
        return {name: pair for pair, name in self._colors.items()}

    def rules(self) -> str:
        """CSS rules of the classes."""
        return "".join(f".{name}{{{style}}}" for style, name in self._classes.items())

    def themed(self, draw: Callable[[Paint], str]) -> str:
        """Markup whose colors follow the theme of the page."""
        light = draw(Paint("light", css_variable))
        if not _COLOR.search(light):
            return light
        dark = iter(_COLOR.findall(draw(Paint("dark", css_variable))))
        return _COLOR.sub(lambda match: self._variable(match[0], next(dark)), light)

    def _variable(self, light: str, dark: str) -> str:
        if light == dark:
            return light
        return f"var(--{self._colors.setdefault((light, dark), f'heat-{len(self._colors)}')})"

    def classify(self, element: ElementTree.Element) -> None:
        """Replace how an element looks by a class; thousands of elements look the same."""
        look = {name: element.attrib.pop(name) for name in _LOOK if name in element.attrib}
        style = ";".join(f"{name}:{value}{_UNITS.get(name, '')}" for name, value in look.items())
        if style:
            element.set("class", self._classes.setdefault(style, f"s{len(self._classes)}"))


class _Part:
    """A part of the drawing with its variants, in the order in which steps first show them."""

    def __init__(self, number: int, name: str, **more: str) -> None:
        self.number = number
        self._attributes: SvgAttributes = {"id": name, "class_": "off", **more}
        self._variants: dict[str, int] = {}

    def variant(self, markup: str) -> int:
        """The number of the variant with some markup; -1 if there is no markup."""
        return self._variants.setdefault(markup, len(self._variants)) if markup else -1

    def markup(self, styles: DrawingStyles) -> str:
        """An SVG group with all variants and their shared elements; empty if there are none."""
        if not self._variants:
            return ""
        variants = [_children(each, styles) for each in self._variants]
        inside = ""
        for place in zip_longest(*variants):
            users: dict[str, list[str]] = {}
            for number, child in enumerate(place):
                if child is not None:
                    users.setdefault(child, []).append(str(number))
            for child, numbers in users.items():
                shared = len(numbers) == len(variants)
                own = rf'<\1 data-in="{" ".join(numbers)}"'
                inside += child if shared else _TAG.sub(own, child, count=1)
        return svg_element("g", inside, data_part=str(self.number), **self._attributes)


def _children(markup: str, styles: DrawingStyles) -> list[str]:
    """The elements of a fragment, where a group stands for those inside it."""
    found: list[str] = []
    for element in ElementTree.fromstring(f"<g>{markup}</g>"):
        for each in list(element) if element.tag == "g" else [element]:
            for inner in each.iter():
                styles.classify(inner)
                # All texts have it, so the script sets it: a tenth of the markup of large graphs.
                inner.attrib.pop("lengthAdjust", None)
            found.append(ElementTree.tostring(each, encoding="unicode"))
    return found


class GraphPainter:
    """Draws the parts of one laid-out graph in each of their states.

    Attributes:
        parts: The parts by their names, in drawing order.
    """

    def __init__(
        self,
        index: TraceIndex,
        values: TensorValues,
        graph: DrawnGraph,
        faces: GraphGeometry,
        layout: GraphLayout,
        styles: DrawingStyles,
    ) -> None:
        """Set what is drawn, and where to collect the styles."""
        self._graph, self._layout, self._values = graph, layout, values
        self._display = GraphDisplay(graph, faces, layout, font_measure())
        self._scales = color_scales(index, graph.nodes, graph.edges)
        self._width = max(layout.width, _LEAST_WIDTH)
        self._drawn: dict[tuple[str, ...], int] = {}
        self._styles = styles
        self.parts: dict[str, _Part] = {}
        for node in graph.nodes:
            self._add(f"halo-{node.id}")
        for edge in graph.edges:
            self._add(edge.id)
        for node in graph.nodes:
            self._add(node.id, **({"data_group": node.group} if node.kind == "folded" else {}))
        for edge in graph.edges:
            if edge.id in layout.labels:
                self._add(f"label-{edge.id}")
        for node in graph.nodes:
            if node.problem:
                self._add(f"mark-{node.id}")
        self._add(_LEGEND)

    def _add(self, name: str, **more: str) -> None:
        self.parts[name] = _Part(len(self.parts), name, **more)

    def show(self, state: GraphState, hidden: HiddenGraphParts) -> dict[int, int]:
        """The variant of each part in a state; hidden parts show no values."""
        found: dict[int, int] = {}
        for at in range(len(self._graph.nodes)):
            found |= self._show_node(at, state, hidden)
        for at in range(len(self._graph.edges)):
            found |= self._show_edge(at, state, hidden)
        without = ",".join(sorted(hidden.absent_ids))
        draw = partial(self._legend, hidden)
        return found | self._variant(_LEGEND, "legend", without, draw=lambda paint: draw(paint)[0])

    def _show_node(self, at: int, state: GraphState, hidden: HiddenGraphParts) -> dict[int, int]:
        node, box = self._graph.nodes[at], state.boxes[at]
        status, progress = STATUSES[box], state.group_progresses.get(at, "")
        now = str(state.failing) if box == NOW else ""
        halo = self._display.halo(node, failing=state.failing)
        found = self._variant(f"halo-{node.id}", now, draw=partial(svg_parts, parts=halo))
        if node.id in hidden.hidden_ids:
            draw = partial(self._box, node, box, "", hidden)
            found |= self._variant(node.id, "hidden", status, draw=draw)
        else:
            shown = "" if node.id in hidden.absent_ids else status
            look = hidden.drawing_key(node.thumbnail, *node.samples)
            draw = partial(self._box, node, box, progress, hidden)
            found |= self._variant(node.id, shown, progress, *look, draw=draw)
        if node.problem:
            mark = "" if node.id in hidden.unmarked_ids else node.problem
            draw = partial(self._mark, node)
            found |= self._variant(f"mark-{node.id}", mark, draw=draw)
        return found

    def _show_edge(self, at: int, state: GraphState, hidden: HiddenGraphParts) -> dict[int, int]:
        edge, line = self._graph.edges[at], state.edges[at]
        name, draw = edge.id, partial(self._edge, edge, line)
        found = self._variant(name, "" if hidden.hides_edge(edge) else STATUSES[line], draw=draw)
        if name in self._layout.labels:
            text, grid = state.labels.get(at, ""), state.gradients.get(at)
            tensor = "" if grid is None else str(grid.tensor)
            draw = partial(self._label, edge, text, grid, line == NOW, hidden)
            look = (tensor, str(line == NOW), *hidden.drawing_key(grid))
            found |= self._variant(f"label-{name}", text, *look, draw=draw)
        return found

    def _variant(self, name: str, *state: str, draw: Callable[[Paint], str]) -> dict[int, int]:
        """The variant of a part in a state, which is drawn once."""
        part, key = self.parts[name], (name, *state)
        if key not in self._drawn:
            self._drawn[key] = part.variant(self._styles.themed(draw) if state[0] else "")
        return {part.number: self._drawn[key]}

    def _edge(self, edge: DrawnEdge, state: int, paint: Paint) -> str:
        return svg_parts(paint, self._display.edge(edge, state))

    def _mark(self, node: DrawnNode, paint: Paint) -> str:
        return svg_parts(paint, self._display.problem(node))

    def _legend(self, hidden: HiddenGraphParts | None, paint: Paint) -> tuple[str, float]:
        return svg_legend(
            paint, self._graph, self._width, font_measure(), hidden.absent if hidden else ()
        )

    def _box(
        self,
        node: DrawnNode,
        state: int,
        progress: str,
        hidden: HiddenGraphParts,
        paint: Paint,
    ) -> str:
        is_hidden = node.id in hidden.hidden_ids
        card = self._display.card(node, state, progress, is_hidden=is_hidden)
        return self._with_values(card, hidden, paint)

    def _label(
        self,
        edge: DrawnEdge,
        text: str,
        grid: ElementGrid | None,
        is_now: bool,
        hidden: HiddenGraphParts,
        paint: Paint,
    ) -> str:
        label = self._display.label(edge.id, text, grid, is_now=is_now)
        return self._with_values(label, hidden, paint)

    def _with_values(self, parts: Iterable[Part], hidden: HiddenGraphParts, paint: Paint) -> str:
        scales = self._scales if hidden.shares_scale else {}
        return svg_parts(paint, parts, hidden.shown(self._values), scales)

    def document(self) -> str:
        """All parts with frames, marks and legend, in the order of the standalone figure."""
        layout = self._layout
        width = self._width
        _, height = self._legend(None, Paint("light", css_variable))
        legend = self.parts[_LEGEND].markup(self._styles)
        shift = (width - layout.width) / 2
        below = layout.height + 22
        inside = svg_element(
            "g", self._frames() + self._parts(), transform=f"translate({shift:g} 0)"
        ) + svg_element("g", legend, transform=f"translate(0 {below:g})")
        box = (-MARGIN, -MARGIN, width + 2 * MARGIN, below + height + 2 * MARGIN)
        view = " ".join(f"{each:.2f}" for each in box)
        # The parts of an image cannot be buttons.
        role = "group" if any(node.kind == "folded" for node in self._graph.nodes) else "img"
        return svg_element("svg", inside, id="graph", viewBox=view, role=role)

    def _frames(self) -> str:
        paint = Paint("light", css_variable)
        return "".join(
            svg_element("g", svg_parts(paint, (shape,)), id=name, class_="frame")
            for name, shape in self._display.frames()
        )

    def _parts(self) -> str:
        titles = svg_parts(Paint("light", css_variable), self._display.titles())
        drawn = [part.markup(self._styles) for name, part in self.parts.items() if name != _LEGEND]
        # Halos and edges are below the titles of frames, boxes above them.
        first = len(self._graph.nodes) + len(self._graph.edges)
        return "".join(drawn[:first]) + titles + "".join(drawn[first:])
