"""The graph of a run at all its steps: drawings, also of the contents of each folded group."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.quiz_answers import has_quiz_answer
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.analysis.training.iteration_index import index_of_iteration
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.content.drawn_graph import DrawnGraph
from gradviz.drawing.content.graph_progress import GraphState
from gradviz.drawing.content.graph_state import graph_states
from gradviz.drawing.content.hidden_graph_parts import (
    HiddenGraphParts,
    drawn_tensors,
    hidden_graph_parts,
)
from gradviz.drawing.content.node_problems import NodeProblems, find_node_problems
from gradviz.drawing.display.graph_display import GraphDisplay
from gradviz.drawing.geometry.box_geometry import GraphGeometry, graph_geometry
from gradviz.drawing.geometry.rect import Rect
from gradviz.drawing.graphviz.graph_layout import GraphLayout
from gradviz.drawing.graphviz.layout_dot import UPWARD
from gradviz.drawing.graphviz.layout_engine import LayoutError, LayoutRequest, lay_out, lay_out_all
from gradviz.drawing.grouping.groups import Hierarchy
from gradviz.drawing.grouping.hierarchy import hierarchy_of
from gradviz.export.errors import ExportError
from gradviz.export.graph.svg import exported_graph
from gradviz.export.graph.svg_elements import escaped, svg_element
from gradviz.export.page.folded_groups import FoldedGroup, folded_groups, group_steps
from gradviz.export.page.page_steps import PagePart
from gradviz.export.page.painter import DrawingStyles, PagePainter, Variants

MOST_GROUP_MARKUP = 1_350_000
"""Characters of markup that the contents of folded groups have at most, all together."""

_Moment = tuple[GraphDisplay, GraphState, HiddenGraphParts]

StepStates = dict[int, list[tuple[int, int]]]
"""For each step with changes, by its position, the pairs of a part and its variant that differ from
the step before; -1 hides the part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageGraph:
    """The drawings of a page.

    Iterations whose graphs have the same structure share their drawings.

    Attributes:
        drawings: Markup of each graph with its key, in which groups are folded, and then of the
            contents of each folded group with its key. See `PagePainter.document`. The first graph
            has an empty key.
        data: What the script reads of them: ``{drawings, step_graphs, step_groups}``. A drawing has
            the `StepStates` ``states``; ``quiz_states``, if they differ in quiz mode, which hides
            what later steps compute; and ``hidden``, what hides the answer of a step too. A group
            has ``{parent, title, about}``. ``step_graphs`` has the key of the graph of each step.
            If there are groups, each drawing has the list ``nodes``, and ``step_groups`` the key of
            the innermost group of each step; see `GroupSteps`.
        styles: The colors and classes that the markup uses.
        left: Number of folded groups whose contents are not drawn.
    """

    drawings: dict[str, str]
    data: dict[str, Any]
    styles: DrawingStyles
    left: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class _PartGraph:
    """The graph of a part of the run, and the contents of its folded groups.

    Attributes:
        index: The trace, of which it is the graph.
        hierarchy: Groups of the graph.
        numbers: The steps of the page at which it is drawn.
        at: Position of the first one in the page.
        graph: The graph.
        groups: The contents of its folded groups.
    """

    index: TraceIndex
    hierarchy: Hierarchy
    numbers: range
    at: int
    graph: DrawnGraph
    groups: tuple[FoldedGroup, ...]

    @cached_property
    def requests(self) -> list[LayoutRequest]:
        """What is to be laid out: the graph, and then its groups."""
        graphs = (self.graph, *(each.graph for each in self.groups))
        return [(each, graph_geometry(each, font_measure()), UPWARD) for each in graphs]

    def display(self, place: int, layout: GraphLayout) -> GraphDisplay:
        """One of these with the layout of a graph of equal structure."""
        graph, faces, _ = self.requests[place]
        # A label fills its space, which may be larger than it.
        labels = {each: _at_left(layout.labels[each], *size) for each, size in faces.labels.items()}
        return GraphDisplay(self.index, graph, faces, replace(layout, labels=labels))


def _at_left(space: Rect, width: float, height: float) -> Rect:
    top = space.y + (space.height - height) / 2
    return Rect(x=space.x, y=top, width=width, height=height)


def page_graph(index: TraceIndex, parts: Sequence[PagePart]) -> PageGraph:
    """Draw the graph of a trace at some steps, or those of iterations.

    Args:
        index: The trace.
        parts: The steps.

    Raises:
        ExportError: If there is no graph, or it is too large.
        LayoutError: If the layout failed.
    """
    page = _PageDrawings(sum(len(each.numbers) for each in parts))
    by_structure: dict[Hashable, list[_PartGraph]] = defaultdict(list)
    failed: list[tuple[int, ExportError]] = []
    problems, at = find_node_problems(index), 0
    for part in parts:
        try:
            graph = _part_graph(index, part, problems, at)
        except ExportError as error:
            failed += [(each, error) for each in range(at, at + len(part.numbers))]
        else:
            by_structure[_structure(graph)].append(graph)
        at += len(part.numbers)
    if not by_structure:
        raise failed[0][1]
    for graphs in by_structure.values():
        page.add(graphs)
    for step, reason in failed:
        page.add_reason(step, reason)
    return page.finished()


def _part_graph(index: TraceIndex, part: PagePart, problems: NodeProblems, at: int) -> _PartGraph:
    shown = index if part.iteration is None else index_of_iteration(index, part.iteration)
    hierarchy = hierarchy_of(shown)
    graph = exported_graph(shown, node_problems=problems)
    return _PartGraph(
        index=shown,
        hierarchy=hierarchy,
        numbers=part.numbers,
        at=at,
        graph=graph,
        groups=tuple(folded_groups(shown, hierarchy, graph, problems)),
    )


def _structure(graph: _PartGraph) -> Hashable:
    """What only graphs have in common of which one can be shown in the drawings of the other."""
    keys = {"": -1} | {each.key: at for at, each in enumerate(graph.groups)}
    groups = tuple((keys[each.parent], each.title, each.about) for each in graph.groups)
    return groups, *(_topology(each) for each, _, _ in graph.requests)


def _topology(graph: DrawnGraph) -> Hashable:
    ids = [*(each.id for each in graph.nodes), *(each.id for each in graph.frames)]
    names = {"": -1} | {each: at for at, each in enumerate(ids)}
    return (
        tuple((each.kind, names[each.frame], bool(each.group)) for each in graph.nodes),
        tuple(
            (each.kind, names[each.source], names[each.target], names[each.head], bool(each.labels))
            for each in graph.edges
        ),
        tuple(names[each.parent] for each in graph.frames),
    )


def _common_request(requests: Sequence[LayoutRequest]) -> LayoutRequest:
    """The first of some drawings of one structure, with space for what is in each of them."""
    graph, first, style = requests[0]
    faces = [each for _, each, _ in requests]
    boxes = [
        replace(box, width=max(x.width for x in alike), height=max(x.height for x in alike))
        for box, *alike in zip(first.boxes, *(each.boxes for each in faces), strict=True)
    ]
    labels = {
        at: (max(each.labels[at][0] for each in faces), max(each.labels[at][1] for each in faces))
        for at in first.labels
    }
    frames = [
        replace(frame, width=max(each.width for each in alike))
        for frame, *alike in zip(first.frames, *(each.frames for each in faces), strict=True)
    ]
    return graph, GraphGeometry(boxes=tuple(boxes), labels=labels, frames=tuple(frames)), style


class _PageDrawings:
    """Draws the graphs of a page, those of equal structure together."""

    def __init__(self, count: int) -> None:
        self._styles = DrawingStyles()
        self._drawings: dict[str, str] = {}
        self._data: dict[str, dict[str, Any]] = {}
        self._nodes: defaultdict[str, list[list[str | int]]] = defaultdict(list)
        self._step_graphs = [""] * count
        self._step_groups: list[str | None] = [None] * count
        self._room, self._left = MOST_GROUP_MARKUP, 0

    def add(self, graphs: Sequence[_PartGraph]) -> None:
        """Draw graphs of equal structure.

        Raises:
            LayoutError: If the layout failed.
        """
        first = graphs[0]
        graph_key = f"{len(self._drawings)}/" if self._drawings else ""
        alike = zip(*(each.requests for each in graphs), strict=True)
        whole, *groups = map(_common_request, alike)
        layouts = [lay_out(*whole[:2]), *_group_layouts(groups)]
        folded = {node.group for node in first.graph.nodes if node.group}
        own = {"": graph_key}
        for place, layout in enumerate(layouts):
            displays = [each.display(place, layout) for each in graphs]
            svg, data = _drawing(displays, graphs, self._styles, graph_key)
            if place:
                group = first.groups[place - 1]
                self._room -= len(svg)
                if self._room < 0:
                    break
                own[group.key] = f"{graph_key}{group.key}"
                data |= {"parent": own[group.parent], "title": group.title, "about": group.about}
                folded |= {node.group for node in group.graph.nodes if node.group}
            key = list(own.values())[-1]
            self._drawings[key], self._data[key] = svg, data
        self._left += len(folded - own.keys())
        for each in graphs:
            self._add_steps(each, first, own)

    def _add_steps(self, graph: _PartGraph, first: _PartGraph, own: dict[str, str]) -> None:
        """Note in which drawing each step is; ``own`` has the keys of those of the first graph."""
        pairs = zip(graph.groups, first.groups, strict=True)
        keys = {"": own[""]} | {each.key: own[one.key] for each, one in pairs if one.key in own}
        found = group_steps(graph.index, graph.hierarchy, keys.keys() - {""}, graph.numbers)
        for at, key in enumerate(found.groups, graph.at):
            self._step_graphs[at] = own[""]
            self._step_groups[at] = None if key is None else keys[key]
        for key, nodes in found.nodes.items():
            self._nodes[keys[key]] += nodes

    def add_reason(self, at: int, error: ExportError) -> None:
        """Show at a step why there is no graph."""
        key = f"/{error}"
        self._drawings[key] = svg_element("p", escaped(str(error)), class_="hint")
        self._data[key] = {"states": {}, "hidden": {}}
        self._step_graphs[at] = self._step_groups[at] = key

    def finished(self) -> PageGraph:
        """All that was drawn."""
        has_groups = any("parent" in each for each in self._data.values())
        if has_groups:
            for key, each in self._data.items():
                each["nodes"] = self._nodes[key]
        members = {
            "drawings": self._data,
            "step_graphs": self._step_graphs,
            "step_groups": self._step_groups if has_groups else [],
        }
        return PageGraph(
            drawings=self._drawings, data=members, styles=self._styles, left=self._left
        )


def _group_layouts(requests: Sequence[LayoutRequest]) -> list[GraphLayout]:
    """The contents of the groups; none if the layout failed, which the page does without."""
    try:
        return lay_out_all(requests) if requests else []
    except LayoutError:
        return []


def _drawing(
    displays: Sequence[GraphDisplay],
    graphs: Sequence[_PartGraph],
    styles: DrawingStyles,
    graph_key: str,
) -> tuple[str, dict[str, Any]]:
    """Draw graphs at some steps, with and without quiz mode; also return the changes."""
    painter = PagePainter(displays, styles, graph_key)
    moments: dict[int, _Moment] = {}
    quiz_moments: dict[int, _Moment] = {}
    asked: dict[int, _Moment] = {}
    for display, part in zip(displays, graphs, strict=True):
        index, graph, numbers = part.index, display.graph, part.numbers
        hidden_by = partial(hidden_graph_parts, nodes=graph.nodes, drawn=drawn_tensors(graph))
        nothing = hidden_by(RevealedTrace.of_all(index))
        states = [*graph_states(index, graph, numbers)]
        for at, (number, state) in enumerate(zip(numbers, states, strict=True), part.at):
            moments[at] = display, state, nothing
            until = RevealedTrace(index=index, until=number)
            quiz_moments[at] = display, state, hidden_by(until)
        asking = [number for number in numbers if has_quiz_answer(step_at(index, number))]
        states = [*graph_states(index, graph, asking, answer_hidden=True)]
        for number, state in zip(asking, states, strict=True):
            question = hidden_by(RevealedTrace.before_answer(index, number))
            asked[part.at + numbers.index(number)] = display, state, question
    changes = _changes(painter, moments)
    data: dict[str, Any] = {"states": changes, "hidden": {}}
    # Most drawings of groups show nothing that quiz mode hides.
    if asked and (quiz_changes := _changes(painter, quiz_moments)) != changes:
        data["quiz_states"] = quiz_changes
    for at, moment in asked.items():
        hides = _changes(painter, {-1: quiz_moments[at], at: moment})
        if at in hides:
            data["hidden"][at] = hides[at]
    return painter.document(), data


def _changes(painter: PagePainter, moments: Mapping[int, _Moment]) -> StepStates:
    """What changes from one moment to the next; nothing is shown before the first."""
    found: StepStates = {}
    before: Variants = {}
    last: _Moment | None = None
    for at, moment in moments.items():
        # Most steps change nothing in most drawings.
        if moment == last:
            continue
        last, shown = moment, painter.show(*moment)
        gone = {part: -1 for part in before if part not in shown}
        changes = (shown | gone).items() - before.items()
        if changes:
            found[at] = sorted(changes)
        before = shown
    return found
