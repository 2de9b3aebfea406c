"""In quiz mode the page asks what the window asks, and its graph is that of the other figures."""

from __future__ import annotations

import pytest

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.quiz_answers import has_quiz_answer
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.drawing.content.drawn_graph import TooLarge
from gradviz.drawing.content.graph_builder import drawn_graph
from gradviz.drawing.content.node_problems import find_node_problems
from gradviz.drawing.display.graph_display import GraphDisplay
from gradviz.drawing.grouping.hierarchy import hierarchy_of
from gradviz.export.graph.svg import laid_out_graph
from gradviz.export.page.drawing import PageGraph, page_graph
from gradviz.export.page.folded_groups import folded_groups
from gradviz.export.page.page_steps import PagePart, page_parts
from gradviz.export.page.run_data import run_data
from gradviz.model.item import gradient_name
from gradviz.model.step import NodeStep, PassBeginStep
from gradviz.text.narration import describe_revealed
from tests.builders import LINEAR_TENSORS, linear_trace
from tests.export.page.folded_run import folded_run
from tests.export.page.page_shapes import PageShapes, laid_out, shapes_of_figure
from tests.second_order_builder import CUBE_TENSORS, cube_trace

LINEAR = {record.id: value for record, value in LINEAR_TENSORS}
CUBE = {record.id: value for record, value in CUBE_TENSORS}

RUNS = {
    "linear": index_trace(linear_trace(), LINEAR.get),
    "cut": index_trace(cube_trace(), CUBE.get),
    "second order": index_trace(cube_trace(whole=True), CUBE.get),
}


def test_questions_are_those_of_the_window() -> None:
    index = RUNS["second order"]
    numbers = range(1, len(index.trace.steps) + 1)
    data = run_data(index, page_parts(index))
    questions = data["quiz"]
    assert [at + 1 for at in questions] == [
        number for number in numbers if has_quiz_answer(step_at(index, number))
    ]
    for at, found in questions.items():
        revealed = RevealedTrace(index=index, until=at, hidden_step=at + 1)
        assert found["sentence"] == describe_revealed(revealed, TracePosition(step=at + 1))
        step = index.trace.steps[at]
        assert isinstance(step, NodeStep)
        rows = [row for each in found["sections"] for row in data["sections"][each]["rows"]]
        hidden = [row["hidden"] for row in rows if "hidden" in row]
        assert hidden == [gradient_name(item.name) for item in revealed.answer_items(at + 1)]


@pytest.mark.parametrize("run", RUNS)
def test_graph_hides_what_figures_hide(run: str) -> None:
    index = RUNS[run]
    numbers = range(1, len(index.trace.steps) + 1)
    page = page_graph(index, [PagePart(numbers=numbers)])
    assert page.data["drawings"][""]["hidden"]
    check_quiz(page, "", laid_out_graph(index), numbers)


@pytest.mark.sweep
def test_contents_of_folded_groups_hide_what_figures_hide() -> None:
    index = folded_run()
    # The backward pass begins in the last layers. A page of all steps takes five times as long.
    (begin,) = (each.number for each in index.trace.steps if isinstance(each, PassBeginStep))
    numbers = range(begin - 5, begin + 35)
    page = page_graph(index, [PagePart(numbers=numbers)])
    hierarchy, problems = hierarchy_of(index), find_node_problems(index)
    graph = drawn_graph(index)
    assert not isinstance(graph, TooLarge)
    groups = [*folded_groups(index, hierarchy, graph, problems)]
    for title in ("25", "24.mix.0"):
        (group,) = (each for each in groups if each.title == title)
        drawing = page.data["drawings"][group.key]
        assert drawing["hidden"]
        assert drawing["quiz_states"] != drawing["states"]
        check_quiz(page, group.key, laid_out(index, group.graph), numbers)


def check_quiz(page: PageGraph, key: str, figure: GraphDisplay, numbers: range) -> None:
    """Compare a drawing in quiz mode with the figure, before and after the answer is revealed."""
    drawing = page.data["drawings"][key]
    quiz_states = drawing.get("quiz_states", drawing["states"])
    shapes, state = PageShapes(page, key), dict[int, int]()
    for at, number in enumerate(numbers):
        state |= dict(quiz_states.get(at, ()))
        reached = RevealedTrace(index=figure.index, until=number)
        assert shapes.at(state) == shapes_of_figure(figure, number, reached)
        if has_quiz_answer(step_at(figure.index, number)):
            asked = RevealedTrace.before_answer(figure.index, number)
            found = shapes.at(state | dict(drawing["hidden"].get(at, ())))
            assert found == shapes_of_figure(figure, number, asked)
