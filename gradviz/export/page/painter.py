"""A drawing of a page as an SVG, in which each part has a variant for each of its states."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from itertools import zip_longest
from xml.etree import ElementTree

from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.appearance.palette import Paint, PaletteRole
from gradviz.drawing.content.graph_progress import GraphState
from gradviz.drawing.content.hidden_graph_parts import HiddenGraphParts
from gradviz.drawing.display.graph_display import GraphDisplay
from gradviz.export.graph.svg_elements import SvgAttributes, svg_element, svg_moved
from gradviz.export.graph.svg_figure import MARGIN, svg_legend
from gradviz.export.graph.svg_parts import svg_parts

_COLOR = re.compile("#[0-9a-f]{6}")
_TAG = re.compile(r"^<(\w+)")
_LOOK = (
    *("fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap"),
    *("font-family", "font-size", "font-weight", "text-anchor"),
)
"""Attributes that CSS has too."""

_UNITS = {"font-size": "px"}
_LEAST_WIDTH, _ABOVE_LEGEND = 300.0, 22.0
_LEGEND = "graph-legend"

Variants = dict[int, int]
"""The variant of each part that is shown, by the part's number."""


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

    def elements(self, draw: Callable[[Paint], str]) -> tuple[str, ...]:
        """Elements whose colors follow the page's theme; a group stands for those inside it."""
        light = draw(Paint("light", css_variable))
        if _COLOR.search(light):
            dark = iter(_COLOR.findall(draw(Paint("dark", css_variable))))
            light = _COLOR.sub(lambda match: self._variable(match[0], next(dark)), light)
        found = (
            inner
            for element in ElementTree.fromstring(f"<g>{light}</g>")
            for inner in (element if element.tag == "g" else (element,))
        )
        return tuple(map(self._classified, found))

    def _classified(self, element: ElementTree.Element) -> str:
        """Markup with classes in place of looks: thousands of elements look the same."""
        for each in element.iter():
            look = [(name, each.attrib.pop(name)) for name in _LOOK if name in each.attrib]
            style = ";".join(f"{name}:{value}{_UNITS.get(name, '')}" for name, value in look)
            if style:
                each.set("class", self._classes.setdefault(style, f"s{len(self._classes)}"))
            # All texts have it, so the script sets it: a tenth of the markup of large graphs.
            each.attrib.pop("lengthAdjust", None)
        return ElementTree.tostring(element, encoding="unicode")

    def _variable(self, light: str, dark: str) -> str:
        if light == dark:
            return light
        return f"var(--{self._colors.setdefault((light, dark), f'heat-{len(self._colors)}')})"


class PagePainter:
    """Writes the groups of a laid-out graph, each in all looks that steps show of it.

    The graphs of several iterations with one structure are one drawing.
    """

    def __init__(
        self, drawings: Sequence[GraphDisplay], styles: DrawingStyles, graph_key: str
    ) -> None:
        """Set what is drawn; ``graph_key`` precedes the keys of its folded groups."""
        self._drawing, self._styles, self._graph_key = drawings[0], styles, graph_key
        self._width = max(self._drawing.layout.width, _LEAST_WIDTH)
        self._names = (*self._drawing.names(), _LEGEND)
        # Parts that correspond to each other have the same number in all drawings.
        self._numbers = {
            id(drawing): {name: number for number, name in enumerate((*drawing.names(), _LEGEND))}
            for drawing in drawings
        }
        # The elements of each variant of each part.
        self._variants: list[dict[tuple[str, ...], int]] = [{} for _ in self._names]
        self._drawn: dict[Hashable, int] = {}

    def show(self, drawing: GraphDisplay, state: GraphState, hidden: HiddenGraphParts) -> Variants:
        """What is shown of one of the drawings in a state."""
        found: Variants = {}
        numbers = self._numbers[id(drawing)]

        def see(key: Hashable, name: str, draw: Callable[[Paint], str]) -> None:
            number = numbers[name]
            if key not in self._drawn:
                variants, elements = self._variants[number], self._styles.elements(draw)
                self._drawn[key] = variants.setdefault(elements, len(variants))
            found[number] = self._drawn[key]

        for group in drawing.at(state, hidden):
            see(group, group.name, partial(svg_parts, parts=group.parts))
        see(hidden.absent, _LEGEND, lambda paint: self._legend(paint, hidden.absent)[0])
        return found

    def _legend(self, paint: Paint, absent: frozenset[int] = frozenset()) -> tuple[str, float]:
        return svg_legend(paint, self._drawing.graph, self._width, font_measure(), absent)

    def document(self) -> str:
        """All parts above the legend, in the order of the standalone figure."""
        graph, layout = self._drawing.graph, self._drawing.layout
        groups = [node for node in graph.nodes if node.kind == "folded"]
        folded = {node.id: f"{self._graph_key}{node.group}" for node in groups}
        *parts, legend = (
            self._part(number, {"data_group": folded[name]} if name in folded else {})
            for number, name in enumerate(self._names)
            if self._variants[number]
        )
        below = layout.height + _ABOVE_LEGEND
        inside = svg_moved("".join(parts), (self._width - layout.width) / 2, 0)
        inside += svg_moved(legend, 0, below)
        _, height = self._legend(Paint("light", css_variable))
        box = (-MARGIN, -MARGIN, self._width + 2 * MARGIN, below + height + 2 * MARGIN)
        view = " ".join(f"{each:.2f}" for each in box)
        # The parts of an image cannot be buttons.
        role = "group" if folded else "img"
        return svg_element("svg", inside, id="graph", viewBox=view, role=role)

    def _part(self, part: int, more: SvgAttributes) -> str:
        """An SVG group with all variants and their shared elements."""
        variants, inside = self._variants[part], ""
        for place in zip_longest(*variants):
            for element in dict.fromkeys(filter(None, place)):
                users = [str(number) for number, each in enumerate(place) if each == element]
                own = rf'<\1 data-in="{" ".join(users)}"'
                shared = len(users) == len(variants)
                inside += element if shared else _TAG.sub(own, element, count=1)
        more |= {"data_part": str(part), "id": self._names[part], "class_": "off"}
        return svg_element("g", inside, **more)
