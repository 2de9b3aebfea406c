"""The graph of all steps as one SVG, in which each part has a variant for each of its states."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import Any
from xml.etree import ElementTree

from gradviz.analysis.index.step_queries import NodeStatus, step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.quiz_answers import has_quiz_answer
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.appearance.palette import Paint, PaletteRole
from gradviz.drawing.content.color_scales import color_scales
from gradviz.drawing.content.drawn_graph import DrawnEdge, DrawnGraph, DrawnNode, TooLarge
from gradviz.drawing.content.element_grid import ElementGrid
from gradviz.drawing.content.graph_builder import drawn_graph
from gradviz.drawing.content.graph_state import GraphState, graph_states
from gradviz.drawing.geometry.box_geometry import GraphGeometry, graph_geometry, rect_beside_label
from gradviz.drawing.graphviz.graph_layout import GraphLayout
from gradviz.drawing.graphviz.layout_engine import lay_out
from gradviz.drawing.grouping.hierarchy import hierarchy_of
from gradviz.export.errors import ExportError
from gradviz.export.graph.svg_box import (
    svg_halo,
    svg_hidden_box,
    svg_node_box,
    svg_problem_mark,
    svg_thumbnail,
)
from gradviz.export.graph.svg_edge import svg_edge, svg_edge_label
from gradviz.export.graph.svg_elements import SvgAttributes, svg_element
from gradviz.export.graph.svg_figure import MARGIN
from gradviz.export.graph.svg_frame import svg_legend
from gradviz.export.graph.svg_group import (
    group_frame_depths,
    svg_group_frame,
    svg_group_progress,
    svg_group_title,
)
from gradviz.export.page.folded_groups import outline_folded_groups
from gradviz.export.page.hidden_graph_parts import HiddenGraphParts, hidden_graph_parts
from gradviz.model.tensor import TensorValues

_COLOR = re.compile("#[0-9a-f]{6}")
_LEAST_WIDTH = 300.0
_LEGEND = "graph-legend"

PartVariants = list[tuple[int, int]]
"""Pairs of a part and its variant; -1 hides the part."""

StepStates = list[PartVariants]
"""For each step the pairs that differ from the step before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDrawing:
    """The graph at all steps.

    Attributes:
        svg: Markup. Each part that changes is a group with the attribute `data-part`; what only
            some of its variants show has their numbers in `data-in`.
        states: Changes of the parts.
        quiz_states: Those in quiz mode, which hides what later steps compute.
        hidden: For each step with an answer, by its position, what hides the answer too: pairs that
            differ from the step's state in quiz mode.
        colors: Light and dark color of each CSS variable that only this markup uses.
        groups: Outline of the folded groups.
    """

    svg: str
    states: StepStates
    quiz_states: StepStates
    hidden: dict[int, PartVariants]
    colors: dict[str, tuple[str, str]]
    groups: list[dict[str, Any]]


def page_drawing(index: TraceIndex, values: TensorValues, numbers: Sequence[int]) -> PageDrawing:
    """Draw the graph of a trace at some steps.

    Args:
        index: The trace.
        values: Reads the elements of small tensors.
        numbers: The steps.

    Raises:
        ExportError: If there is no graph, or it is too large.
        LayoutError: If the layout failed.
    """
    hierarchy = hierarchy_of(index)
    graph = drawn_graph(index, hierarchy=hierarchy)
    if isinstance(graph, TooLarge):
        raise ExportError("export.too_large", why=graph.sentence)
    if not graph.nodes:
        raise ExportError("export.no_graph")
    faces = graph_geometry(graph, font_measure())
    painter = _Painter(index, values, graph, faces, lay_out(graph, faces))
    every = RevealedTrace.of_all(index)
    asking = [number for number in numbers if has_quiz_answer(step_at(index, number))]
    questions = graph_states(index, graph, asking, answer_hidden=True)
    states: StepStates = []
    quiz: StepStates = []
    hidden: dict[int, PartVariants] = {}
    shown = reached = dict.fromkeys((part.number for part in painter.parts.values()), -1)
    for number, state in zip(numbers, graph_states(index, graph, numbers), strict=True):
        before, shown = shown, painter.show(state, every)
        states.append(_changes(before, shown))
        if not asking:
            continue
        before, reached = reached, painter.show(state, RevealedTrace(index=index, until=number))
        quiz.append(_changes(before, reached))
        if has_quiz_answer(step_at(index, number)):
            answer_hidden = painter.show(
                next(questions), RevealedTrace.before_answer(index, number)
            )
            hidden[len(quiz) - 1] = _changes(reached, answer_hidden)
    return PageDrawing(
        svg=painter.document(),
        states=states,
        quiz_states=quiz,
        hidden=hidden,
        colors=painter.colors.variables(),
        groups=outline_folded_groups(index, hierarchy, graph, numbers),
    )


def _changes(before: Mapping[int, int], after: Mapping[int, int]) -> PartVariants:
    return [(part, variant) for part, variant in after.items() if before[part] != variant]


def css_variable(role: PaletteRole) -> str:
    """The CSS value of a palette color, which follows the theme of the page."""
    return f"var(--{role.replace('_', '-')})"


class _ThemedColors:
    """Collects the colors that differ between the themes, as CSS variables."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], str] = {}

    def variables(self) -> dict[str, tuple[str, str]]:
        return {name: pair for pair, name in self._names.items()}

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
        return f"var(--{self._names.setdefault((light, dark), f'heat-{len(self._names)}')})"


class _Part:
    """A part of the drawing with its variants, in the order in which steps first show them."""

    def __init__(self, number: int, name: str) -> None:
        self.number = number
        self._attributes: SvgAttributes = {"id": name, "class_": "off"}
        self._variants: dict[str, int] = {}

    def variant(self, markup: str) -> int:
        """The number of a variant; -1 if nothing is drawn."""
        return self._variants.setdefault(markup, len(self._variants)) if markup else -1

    def markup(self) -> str:
        """All variants in one group; what they share is written once."""
        variants = [_children(each) for each in self._variants]
        inside = ""
        for place in zip_longest(*variants):
            users: dict[str, list[str]] = {}
            for number, child in enumerate(place):
                if child is not None:
                    users.setdefault(child, []).append(str(number))
            for child, numbers in users.items():
                shared = len(numbers) == len(variants)
                inside += child if shared else svg_element("g", child, data_in=" ".join(numbers))
        return svg_element("g", inside, data_part=str(self.number), **self._attributes)


def _children(markup: str) -> list[str]:
    """The elements of a fragment, where a group stands for those inside it."""
    found: list[str] = []
    for element in ElementTree.fromstring(f"<g>{markup}</g>"):
        inner = list(element) if element.tag == "g" else [element]
        found += (ElementTree.tostring(each, encoding="unicode") for each in inner)
    return found


class _Painter:
    """Draws the parts of one laid-out graph in each of their states."""

    def __init__(
        self,
        index: TraceIndex,
        values: TensorValues,
        graph: DrawnGraph,
        faces: GraphGeometry,
        layout: GraphLayout,
    ) -> None:
        self._graph, self._faces, self._layout, self._values = graph, faces, layout, values
        self._scales = color_scales(index, graph.nodes, graph.edges)
        self._width = max(layout.width, _LEAST_WIDTH)
        self._drawn: dict[tuple[str, ...], int] = {}
        self.colors = _ThemedColors()
        self.parts: dict[str, _Part] = {}
        for node in graph.nodes:
            self._add(f"halo-{node.id}")
        for edge in graph.edges:
            self._add(edge.id)
        for node in graph.nodes:
            self._add(node.id)
        for edge in graph.edges:
            if edge.id in layout.labels:
                self._add(f"label-{edge.id}")
        for node in graph.nodes:
            if node.problem:
                self._add(f"mark-{node.id}")
        self._add(_LEGEND)

    def _add(self, name: str) -> None:
        self.parts[name] = _Part(len(self.parts), name)

    def show(self, state: GraphState, revealed: RevealedTrace) -> dict[int, int]:
        """The variant of each part in a state, without what may not be shown."""
        hidden = hidden_graph_parts(revealed, self._graph.nodes)
        found: dict[int, int] = {}
        for node in self._graph.nodes:
            found |= self._show_node(node, state, hidden)
        for edge in self._graph.edges:
            found |= self._show_edge(edge, state, hidden)
        without = ",".join(sorted(hidden.absent_ids))
        draw = partial(self._legend, hidden)
        return found | self._variant(_LEGEND, "legend", without, draw=lambda paint: draw(paint)[0])

    def _show_node(
        self, node: DrawnNode, state: GraphState, hidden: HiddenGraphParts
    ) -> dict[int, int]:
        status, progress = state.nodes[node.id], state.group_progresses.get(node.id, "")
        phase = state.phase if status == "now" else ""
        found = self._variant(f"halo-{node.id}", phase, draw=partial(self._halo, node, state))
        if node.id in hidden.hidden_ids:
            draw = partial(self._hidden_box, node, status)
            found |= self._variant(node.id, "hidden", status, draw=draw)
        else:
            shown = "" if node.id in hidden.absent_ids else status
            look = hidden.drawing_key(node.thumbnail, *node.samples)
            draw = partial(self._box, node, status, progress, hidden)
            found |= self._variant(node.id, shown, progress, *look, draw=draw)
        if node.problem:
            mark = "" if node.id in hidden.unmarked_ids else node.problem
            found |= self._variant(f"mark-{node.id}", mark, draw=partial(self._mark, node))
        return found

    def _show_edge(
        self, edge: DrawnEdge, state: GraphState, hidden: HiddenGraphParts
    ) -> dict[int, int]:
        name, status = edge.id, state.edges[edge.id]
        draw = partial(svg_edge, edge=edge, curve=self._layout.curves[name], status=status)
        found = self._variant(name, "" if hidden.hides_edge(edge) else status, draw=draw)
        if name in self._layout.labels:
            text, grid = state.labels.get(name, ""), state.gradients.get(name)
            tensor = "" if grid is None else str(grid.tensor)
            draw = partial(self._label, name, text, grid, hidden)
            found |= self._variant(
                f"label-{name}", text, tensor, *hidden.drawing_key(grid), draw=draw
            )
        return found

    def _variant(self, name: str, *state: str, draw: Callable[[Paint], str]) -> dict[int, int]:
        """The variant of a part in a state, which is drawn once."""
        part, key = self.parts[name], (name, *state)
        if key not in self._drawn:
            self._drawn[key] = part.variant(self.colors.themed(draw) if state[0] else "")
        return {part.number: self._drawn[key]}

    def _halo(self, node: DrawnNode, state: GraphState, paint: Paint) -> str:
        shape = self._faces.boxes[node.id].shape
        return svg_halo(paint, shape, self._layout.boxes[node.id], state.phase)

    def _hidden_box(self, node: DrawnNode, status: NodeStatus, paint: Paint) -> str:
        rect, face = self._layout.boxes[node.id], self._faces.boxes[node.id]
        return svg_hidden_box(paint, node, face, rect, status)

    def _mark(self, node: DrawnNode, paint: Paint) -> str:
        return svg_problem_mark(paint, node.problem, self._layout.boxes[node.id], font_measure())

    def _legend(self, hidden: HiddenGraphParts | None, paint: Paint) -> tuple[str, float]:
        return svg_legend(
            paint, self._graph, self._width, font_measure(), hidden.absent if hidden else ()
        )

    def _box(
        self,
        node: DrawnNode,
        status: NodeStatus,
        progress: str,
        hidden: HiddenGraphParts,
        paint: Paint,
    ) -> str:
        rect, face = self._layout.boxes[node.id], self._faces.boxes[node.id]
        values, scales = hidden.shown(self._values), self._scales if hidden.shares_scale else {}
        box = svg_node_box(paint, node, face, rect, status, values, scales)
        if face.group_progress is not None and progress:
            box += svg_group_progress(paint, face.group_progress, rect, progress)
        return box

    def _label(
        self, edge: str, text: str, grid: ElementGrid | None, hidden: HiddenGraphParts, paint: Paint
    ) -> str:
        slot = self._layout.labels[edge]
        label = svg_edge_label(paint, text, slot)
        if grid is None:
            return label
        value = hidden.shown(self._values)(grid.tensor)
        limit = self._scales.get(grid.tensor) if hidden.shares_scale else None
        return label + svg_thumbnail(paint, value, rect_beside_label(slot, grid), limit)

    def document(self) -> str:
        """All parts with frames, marks and legend, in the order of the standalone figure."""
        layout = self._layout
        width = self._width
        _, height = self._legend(None, Paint("light", css_variable))
        legend = self.parts[_LEGEND].markup()
        shift = (width - layout.width) / 2
        below = layout.height + 22
        inside = svg_element(
            "g", self._frames() + self._parts(), transform=f"translate({shift:g} 0)"
        ) + svg_element("g", legend, transform=f"translate(0 {below:g})")
        box = (-MARGIN, -MARGIN, width + 2 * MARGIN, below + height + 2 * MARGIN)
        view = " ".join(f"{each:.2f}" for each in box)
        return svg_element("svg", inside, id="graph", viewBox=view, role="img")

    def _frames(self) -> str:
        paint, rects = Paint("light", css_variable), self._layout.frames
        depth = group_frame_depths(self._graph)
        backgrounds = (
            svg_group_frame(paint, each, rects[each.id], depth[each.id])
            for each in self._graph.frames
        )
        return "".join(backgrounds)

    def _parts(self) -> str:
        paint, faces = Paint("light", css_variable), self._faces.frames
        depth = group_frame_depths(self._graph)
        titles = "".join(
            svg_group_title(paint, faces[each.id], self._layout.frames[each.id], depth[each.id])
            for each in self._graph.frames
        )
        lines = 2 * len(self._graph.nodes), len(self._graph.edges)
        drawn = [part.markup() for name, part in self.parts.items() if name != _LEGEND]
        # Halos and edges are below the titles of frames, boxes above them.
        first = lines[0] // 2 + lines[1]
        return "".join(drawn[:first]) + titles + "".join(drawn[first:])
