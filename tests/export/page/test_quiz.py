"""In quiz mode the page asks what the window asks, and its graph is that of the other figures."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree

import pytest

from gradviz.analysis.index.step_queries import step_at
from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.quiz_answers import has_quiz_answer
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.drawing.appearance.palette import color, theme_paint
from gradviz.export.graph.svg import graph_pictures, laid_out_graph
from gradviz.export.page.drawing import PageDrawing, page_drawing
from gradviz.export.page.quiz_data import quiz_questions
from gradviz.model.step import NodeStep
from gradviz.model.tensor import TensorValues
from gradviz.text.narration import describe_revealed
from tests.builders import LINEAR_TENSORS, linear_trace
from tests.second_order_builder import CUBE_TENSORS, cube_trace

LINEAR = {record.id: value for record, value in LINEAR_TENSORS}
CUBE = {record.id: value for record, value in CUBE_TENSORS}

RUNS = {
    "linear": (index_trace(linear_trace(), LINEAR.get), LINEAR.get),
    "cut": (index_trace(cube_trace(), CUBE.get), CUBE.get),
    "second order": (index_trace(cube_trace(whole=True), CUBE.get), CUBE.get),
}


def test_questions_are_those_of_the_window() -> None:
    index, _ = RUNS["second order"]
    numbers = range(1, len(index.trace.steps) + 1)
    questions = quiz_questions(index, numbers)
    assert [at + 1 for at in questions] == [
        number for number in numbers if has_quiz_answer(step_at(index, number))
    ]
    for at, found in questions.items():
        revealed = RevealedTrace(index=index, until=at, hidden_step=at + 1)
        assert found["question"] == describe_revealed(revealed, TracePosition(step=at + 1))
        step = index.trace.steps[at]
        assert isinstance(step, NodeStep)
        assert found["names"]["returned"] == [item.name for item in step.returned]
        assert bool(found["names"]["passed"]) == (not step.returned)


@pytest.mark.parametrize("run", RUNS)
def test_graph_hides_what_figures_hide(run: str) -> None:
    index, values = RUNS[run]
    numbers = range(1, len(index.trace.steps) + 1)
    page = page_drawing(index, values, numbers)
    assert page.hidden
    state = dict.fromkeys(range(page.svg.count("data-part")), -1)
    for at, number in enumerate(numbers):
        state |= dict(page.quiz_states[at])
        reached = RevealedTrace(index=index, until=number)
        assert shapes_of_page(page, state) == shapes_of_figure(index, values, number, reached)
        if at in page.hidden:
            asked = RevealedTrace.before_answer(index, number)
            found = shapes_of_page(page, state | dict(page.hidden[at]))
            assert found == shapes_of_figure(index, values, number, asked)


def shapes_of_page(page: PageDrawing, state: dict[int, int]) -> Counter[tuple[str, ...]]:
    """All shapes and texts of the graph in a state, in their light colors."""
    svg = ElementTree.fromstring(page.svg)
    parts = [each for each in svg.iter("g") if "data-part" in each.attrib]
    inside = {each for part in parts for each in part.iter()}
    shown = [each for each in leaves(svg) if each not in inside]
    for part in parts:
        variant = state[int(part.attrib["data-part"])]
        if variant < 0 or part.attrib["id"] == "graph-legend":
            continue
        for child in part:
            only = child.attrib.get("data-in")
            if only is None or str(variant) in only.split():
                shown += leaves(child)
    return Counter(facts(each, page.colors) for each in shown)


def shapes_of_figure(
    index: TraceIndex, values: TensorValues, number: int, revealed: RevealedTrace
) -> Counter[tuple[str, ...]]:
    drawing = laid_out_graph(index, values)
    (picture,) = graph_pictures(drawing, (number,), theme_paint("light"), revealed)
    svg = ElementTree.fromstring(f"<svg>{picture.inside}</svg>")
    (legend,) = (each for each in svg.iter("g") if each.get("id") == "legend")
    inside = leaves(legend)
    return Counter(facts(each, {}) for each in leaves(svg) if each not in inside)


def leaves(element: ElementTree.Element) -> list[ElementTree.Element]:
    return [each for each in element.iter() if each.tag not in ("g", "svg")]


def facts(element: ElementTree.Element, colors: dict[str, tuple[str, str]]) -> tuple[str, ...]:
    def light(match: re.Match[str]) -> str:
        known = colors.get(match[1])
        return known[0] if known else color(match[1].replace("-", "_"), "light")  # type: ignore[arg-type]

    names = ("x", "y", "width", "height", "d", "points", "stroke", "stroke-width", "fill")
    found = (re.sub(r"var\(--([a-z0-9-]+)\)", light, element.get(name, "")) for name in names)
    return (element.tag, *found, element.text or "")
