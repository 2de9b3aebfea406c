"""The graph of a run at all its steps: a drawing, and one for the contents of each folded group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.quiz_answers import has_quiz_answer
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.content.drawn_graph import DrawnGraph, TooLarge
from gradviz.drawing.content.graph_builder import drawn_graph
from gradviz.drawing.content.graph_progress import GraphState
from gradviz.drawing.content.graph_state import graph_states
from gradviz.drawing.content.hidden_graph_parts import (
    HiddenGraphParts,
    drawn_tensors,
    hidden_graph_parts,
)
from gradviz.drawing.content.node_problems import find_node_problems
from gradviz.drawing.geometry.box_geometry import graph_geometry
from gradviz.drawing.graphviz.layout_dot import UPWARD
from gradviz.drawing.graphviz.layout_engine import LayoutError, lay_out, lay_out_all
from gradviz.drawing.grouping.hierarchy import hierarchy_of
from gradviz.export.errors import ExportError
from gradviz.export.page.folded_groups import (
    FoldedGroup,
    GroupSteps,
    folded_groups,
    group_steps,
)
from gradviz.export.page.painter import DrawingStyles, GraphPainter
from gradviz.model.tensor import TensorValues

MOST_GROUP_MARKUP = 1_300_000
"""Characters of markup that the contents of folded groups have at most, all together."""

PartVariants = list[tuple[int, int]]
"""Pairs of a part and its variant; -1 hides the part."""

StepStates = dict[int, PartVariants]
"""For each step with changes, by its position, the pairs that differ from the step before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDrawing:
    """One drawing at all steps.

    Attributes:
        svg: Markup. Each part that changes is a group with the attribute `data-part`; what only
            some of its variants show has their numbers in `data-in`. A folded group has its key in
            `data-group`.
        states: Changes of the parts.
        quiz_states: Those in quiz mode, which hides what later steps compute.
        hidden: For each step with an answer, what hides the answer too: pairs that differ from the
            step's state in quiz mode.
    """

    svg: str
    states: StepStates
    quiz_states: StepStates
    hidden: StepStates


@dataclass(frozen=True, slots=True, kw_only=True)
class PageGraph:
    """The drawings of a page.

    Attributes:
        drawing: The whole graph, whose groups are folded.
        groups: Folded groups with the drawings of their contents.
        left: Number of folded groups whose contents are not drawn.
        steps: Where the nodes of each step are drawn.
        colors: Light and dark color of each CSS variable that only this markup uses.
        rules: CSS rules of the classes that it uses.
    """

    drawing: PageDrawing
    groups: Sequence[tuple[FoldedGroup, PageDrawing]]
    left: int
    steps: GroupSteps
    colors: Mapping[str, tuple[str, str]]
    rules: str


def empty_page_graph(reason: str) -> PageGraph:
    """A page without drawings.

    Args:
        reason: Markup in place of the graph.
    """
    drawing = PageDrawing(svg=reason, states={}, quiz_states={}, hidden={})
    steps = GroupSteps(groups=[], nodes={})
    return PageGraph(drawing=drawing, groups=(), left=0, steps=steps, colors={}, rules="")


def graph_data(graph: PageGraph) -> dict[str, Any]:
    """Build what the script reads of the drawings.

    Returns:
        ``{drawings, step_groups}``. The drawings are by key, with an empty key for the whole graph:
        ``{states, quiz_states, hidden}``, the second only where it differs, and for a group
        ``{parent, title, about}``. If there are groups, a drawing has the list ``nodes`` too, and
        ``step_groups`` has the key of the innermost group of each step. See `PageDrawing` and
        `GroupSteps`.
    """
    drawings = {"": _data_of(graph.drawing)}
    for group, drawing in graph.groups:
        about = {"parent": group.parent, "title": group.title, "about": group.about}
        drawings[group.key] = _data_of(drawing) | about
    if not graph.groups:
        return {"drawings": drawings, "step_groups": []}
    for key, drawn in drawings.items():
        drawn["nodes"] = graph.steps.nodes.get(key, [])
    return {"drawings": drawings, "step_groups": graph.steps.groups}


def _data_of(drawing: PageDrawing) -> dict[str, Any]:
    data = {"states": drawing.states, "hidden": drawing.hidden}
    # Most drawings of groups show nothing that quiz mode hides.
    is_same = drawing.quiz_states == drawing.states
    return data if is_same else data | {"quiz_states": drawing.quiz_states}


def page_graph(index: TraceIndex, values: TensorValues, numbers: Sequence[int]) -> PageGraph:
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
    problems = find_node_problems(index)
    graph = drawn_graph(index, hierarchy=hierarchy, node_problems=problems)
    if isinstance(graph, TooLarge):
        raise ExportError("export.too_large", why=graph.sentence)
    if not graph.nodes:
        raise ExportError("export.no_graph")
    styles = DrawingStyles()
    faces = graph_geometry(graph, font_measure())
    painter = GraphPainter(index, values, graph, faces, lay_out(graph, faces), styles)
    drawing = _drawing(index, graph, painter, numbers)
    groups: list[tuple[FoldedGroup, PageDrawing]] = []
    room = MOST_GROUP_MARKUP
    found = list(folded_groups(index, hierarchy, graph, problems))
    for group, painter in zip(found, _painters(index, values, found, styles), strict=False):
        contents = _drawing(index, group.graph, painter, numbers)
        room -= len(contents.svg)
        if room < 0:
            break
        groups.append((group, contents))
    drawn = {group.key for group, _ in groups}
    shown = (graph, *(group.graph for group, _ in groups))
    folded = {node.group for each in shown for node in each.nodes if node.group}
    return PageGraph(
        drawing=drawing,
        groups=groups,
        left=len(folded - drawn),
        steps=group_steps(index, hierarchy, drawn, numbers),
        colors=styles.colors(),
        rules=styles.rules(),
    )


def _painters(
    index: TraceIndex, values: TensorValues, groups: Sequence[FoldedGroup], styles: DrawingStyles
) -> Iterable[GraphPainter]:
    """A painter for each group; none if the layout failed, which the page does without."""
    faces = [graph_geometry(group.graph, font_measure()) for group in groups]
    wanted = [(group.graph, face, UPWARD) for group, face in zip(groups, faces, strict=True)]
    try:
        layouts = lay_out_all(wanted) if wanted else []
    except LayoutError:
        return
    for (graph, face, _), layout in zip(wanted, layouts, strict=True):
        yield GraphPainter(index, values, graph, face, layout, styles)


def _drawing(
    index: TraceIndex, graph: DrawnGraph, painter: GraphPainter, numbers: Sequence[int]
) -> PageDrawing:
    """Draw all states of a graph at some steps, with and without quiz mode."""
    plain, quiz, questions = (_Walk(painter) for _ in range(3))
    asking = [number for number in numbers if has_quiz_answer(step_at(index, number))]
    asked = graph_states(index, graph, asking, answer_hidden=True)
    states: StepStates = {}
    quiz_states: StepStates = {}
    hidden: StepStates = {}
    tensors = drawn_tensors(graph)
    nothing = hidden_graph_parts(RevealedTrace.of_all(index), graph.nodes, tensors)
    for at, (number, state) in enumerate(
        zip(numbers, graph_states(index, graph, numbers), strict=True)
    ):
        states[at] = plain.step_to(state, nothing)
        if not asking:
            continue
        reached = RevealedTrace(index=index, until=number)
        quiz_states[at] = quiz.step_to(state, hidden_graph_parts(reached, graph.nodes, tensors))
        if has_quiz_answer(step_at(index, number)):
            question = RevealedTrace.before_answer(index, number)
            questions.step_to(next(asked), hidden_graph_parts(question, graph.nodes, tensors))
            hidden[at] = _changes(quiz.shown, questions.shown)
    return PageDrawing(
        svg=painter.document(),
        states=_without_empty(states),
        quiz_states=_without_empty(quiz_states),
        hidden=_without_empty(hidden),
    )


class _Walk:
    """The variants that a drawing shows at one step after the other.

    Attributes:
        shown: The variant of each part at the current step.
    """

    def __init__(self, painter: GraphPainter) -> None:
        self._painter = painter
        self._seen: tuple[GraphState, HiddenGraphParts] | None = None
        self.shown = dict.fromkeys((part.number for part in painter.parts.values()), -1)

    def step_to(self, state: GraphState, hidden: HiddenGraphParts) -> PartVariants:
        """Go to a step and return the variants that change."""
        # Most steps change nothing in most drawings.
        if self._seen is not None and self._seen[0] is state and self._seen[1] == hidden:
            return []
        self._seen = state, hidden
        before, self.shown = self.shown, self._painter.show(state, hidden)
        return _changes(before, self.shown)


def _changes(before: Mapping[int, int], after: Mapping[int, int]) -> PartVariants:
    return [(part, variant) for part, variant in after.items() if before[part] != variant]


def _without_empty(states: StepStates) -> StepStates:
    return {at: changes for at, changes in states.items() if changes}
