"""The graph of a run at all its steps: a drawing, and one for the contents of each folded group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.quiz_answers import has_quiz_answer
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.content.graph_progress import GraphState
from gradviz.drawing.content.graph_state import graph_states
from gradviz.drawing.content.hidden_graph_parts import (
    HiddenGraphParts,
    drawn_tensors,
    hidden_graph_parts,
)
from gradviz.drawing.content.node_problems import find_node_problems
from gradviz.drawing.display.graph_display import GraphDisplay
from gradviz.drawing.geometry.box_geometry import graph_geometry
from gradviz.drawing.graphviz.layout_dot import UPWARD
from gradviz.drawing.graphviz.layout_engine import LayoutError, lay_out_all
from gradviz.drawing.grouping.hierarchy import hierarchy_of
from gradviz.export.graph.svg import laid_out_graph
from gradviz.export.page.folded_groups import FoldedGroup, folded_groups, group_steps
from gradviz.export.page.painter import DrawingStyles, PagePainter, Variants
from gradviz.model.tensor import TensorValues

MOST_GROUP_MARKUP = 1_350_000
"""Characters of markup that the contents of folded groups have at most, all together."""

_Moment = tuple[GraphState, HiddenGraphParts]

StepStates = dict[int, list[tuple[int, int]]]
"""For each step with changes, by its position, the pairs of a part and its variant that differ from
the step before; -1 hides the part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageGraph:
    """The drawings of a page.

    Attributes:
        drawings: Markup of the whole graph, whose groups are folded, with an empty key, and then of
            the contents of each folded group with its key. See `PagePainter.document`.
        data: What the script reads of them: ``{drawings, step_groups}``. A drawing has the
            `StepStates` ``states``; ``quiz_states``, if they differ in quiz mode, which hides what
            later steps compute; and ``hidden``, what hides the answer of a step too. A group has
            ``{parent, title, about}``. If there are groups, each drawing has the list ``nodes``,
            and ``step_groups`` the key of the innermost group of each step; see `GroupSteps`.
        styles: The colors and classes that the markup uses.
        left: Number of folded groups whose contents are not drawn.
    """

    drawings: dict[str, str]
    data: dict[str, Any]
    styles: DrawingStyles
    left: int = 0


def page_graph(index: TraceIndex, values: TensorValues, numbers: range) -> PageGraph:
    """Draw the graph of a trace at some steps.

    Args:
        index: The trace.
        values: Reads the elements of small tensors.
        numbers: The steps.

    Raises:
        ExportError: If there is no graph, or it is too large.
        LayoutError: If the layout failed.
    """
    styles, hierarchy = DrawingStyles(), hierarchy_of(index)
    whole = laid_out_graph(index, values)
    svg, states = _drawing(whole, styles, numbers)
    drawings, data = {"": svg}, {"": states}
    folded = {node.group for node in whole.graph.nodes if node.group}
    groups = [*folded_groups(index, hierarchy, whole.graph, find_node_problems(index))]
    room = MOST_GROUP_MARKUP
    for group, laid_out in zip(groups, _laid_out(index, values, groups), strict=False):
        svg, states = _drawing(laid_out, styles, numbers)
        room -= len(svg)
        if room < 0:
            break
        drawings[group.key] = svg
        about = {"parent": group.parent, "title": group.title, "about": group.about}
        data[group.key] = states | about
        folded |= {node.group for node in group.graph.nodes if node.group}
    inside = drawings.keys() - {""}
    steps = group_steps(index, hierarchy, inside, numbers)
    if inside:
        data = {key: each | {"nodes": steps.nodes.get(key, [])} for key, each in data.items()}
    members = {"drawings": data, "step_groups": steps.groups if inside else []}
    return PageGraph(drawings=drawings, data=members, styles=styles, left=len(folded - inside))


def _laid_out(
    index: TraceIndex, values: TensorValues, groups: Sequence[FoldedGroup]
) -> Iterator[GraphDisplay]:
    """The contents of the groups; none if the layout failed, which the page does without."""
    faces = [graph_geometry(group.graph, font_measure()) for group in groups]
    wanted = [(group.graph, face, UPWARD) for group, face in zip(groups, faces, strict=True)]
    try:
        layouts = lay_out_all(wanted) if wanted else []
    except LayoutError:
        return
    for (graph, face, _), layout in zip(wanted, layouts, strict=True):
        yield GraphDisplay(index, values, graph, face, layout)


def _drawing(
    laid_out: GraphDisplay, styles: DrawingStyles, numbers: range
) -> tuple[str, dict[str, Any]]:
    """Draw a graph at some steps, with and without quiz mode; also return the changes."""
    index, graph, painter = laid_out.index, laid_out.graph, PagePainter(laid_out, styles)
    hidden_by = partial(hidden_graph_parts, nodes=graph.nodes, drawn=drawn_tensors(graph))
    nothing = hidden_by(RevealedTrace.of_all(index))
    reached = [(each, nothing) for each in graph_states(index, graph, numbers)]
    states = quiz_states = _changes(painter, reached)
    hidden: StepStates = {}
    asking = [number for number in numbers if has_quiz_answer(step_at(index, number))]
    if asking:
        reached = [
            (state, hidden_by(RevealedTrace(index=index, until=number)))
            for number, (state, _) in zip(numbers, reached, strict=True)
        ]
        quiz_states = _changes(painter, reached)
    asked = graph_states(index, graph, asking, answer_hidden=True)
    for number, state in zip(asking, asked, strict=True):
        at, question = numbers.index(number), hidden_by(RevealedTrace.before_answer(index, number))
        changes = _changes(painter, (reached[at], (state, question)))
        if 1 in changes:
            hidden[at] = changes[1]
    data = {"states": states, "hidden": hidden}
    # Most drawings of groups show nothing that quiz mode hides.
    if quiz_states != states:
        data["quiz_states"] = quiz_states
    return painter.document(), data


def _changes(painter: PagePainter, moments: Sequence[_Moment]) -> StepStates:
    """What changes from one moment to the next; nothing is shown before the first."""
    found: StepStates = {}
    before: Variants = {}
    for at, moment in enumerate(moments):
        # Most steps change nothing in most drawings.
        if at and moment == moments[at - 1]:
            continue
        shown = painter.show(*moment)
        gone = {part: -1 for part in before if part not in shown}
        changes = (shown | gone).items() - before.items()
        if changes:
            found[at] = sorted(changes)
        before = shown
    return found
