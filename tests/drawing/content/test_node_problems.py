"""Problems of nodes are found and labeled."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec import structs

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.drawing.content.node_problems import (
    find_node_problems,
    node_problem_text,
    problem_colors,
)
from gradviz.model.finding import Finding, Severity
from gradviz.model.step import NodeStep
from tests.builders import LINEAR_TENSORS, error_step, linear_trace, tensor


def linear_with(number: int, values: object, **more: object) -> TraceIndex:
    """The linear scene with other elements in one tensor, and in `more` by ``t`` and its number."""
    pairs = {record.id: (record, value) for record, value in LINEAR_TENSORS}
    for each, elements in ((number, values), *((int(name[1:]), more[name]) for name in more)):
        pairs[each] = tensor(each, elements)  # type: ignore[arg-type]
    records = tuple(structs.replace(each[0], statistics=None) for each in pairs.values())
    trace = structs.replace(linear_trace(), tensors=records)
    return index_trace(trace, lambda asked: pairs[asked][1])


def test_nothing_is_wrong_with_the_linear_scene() -> None:
    found = find_node_problems(index_trace(linear_trace()))
    assert (found.of, found.complete) == ({}, True)


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ([[np.nan, 1], [2, 3]], "NaN"),
        ([[np.inf, 1], [2, -np.inf]], "Inf"),
        ([[np.nan, 1], [2, np.inf]], "NaN, Inf"),
    ],
)
def test_gradients_that_are_not_finite(values: object, word: str) -> None:
    found = find_node_problems(linear_with(7, values))
    assert found.complete
    # Node 1 returns it, and node 3 adds it into its leaf.
    assert {node: node_problem_text(found, (node,)) for node in found.of} == {1: word, 3: word}
    assert node_problem_text(found, (2, 3)) == word
    assert node_problem_text(found, (2, 4)) == ""


def test_results_of_forward_that_reach_the_root_are_problems_of_their_nodes() -> None:
    found = find_node_problems(linear_with(3, [[np.nan] * 3] * 2, t4=np.nan))
    assert {node: node_problem_text(found, (node,)) for node in found.of} == {1: "NaN", 2: "NaN"}


def test_results_of_forward_that_reach_nothing_are_not() -> None:
    assert find_node_problems(linear_with(3, [[np.nan] * 3] * 2)).of == {}


def test_only_so_much_is_looked_into_at_first() -> None:
    index = linear_with(7, [[np.nan, 1], [2, 3]])
    assert not find_node_problems(index, 0).complete
    assert find_node_problems(index).complete


def test_the_rest_is_cancelled() -> None:
    index = linear_with(7, [[np.nan, 1], [2, 3]])
    assert not find_node_problems(index, cancelled=lambda: True).complete


def test_the_node_that_raised() -> None:
    trace = linear_trace()
    step = trace.steps[4]
    assert isinstance(step, NodeStep)
    error = error_step(5, "RuntimeError", "no", call=1)
    found = find_node_problems(index_trace(structs.replace(trace, steps=(*trace.steps[:4], error))))
    assert node_problem_text(found, (1,)) == "error"


@pytest.mark.parametrize(
    ("severity", "word"), [("info", ""), ("warning", "warning"), ("error", "error")]
)
def test_findings(severity: Severity, word: str) -> None:
    finding = Finding(id=1, code="x", severity=severity, message="m", step=None, node=2)
    found = find_node_problems(index_trace(structs.replace(linear_trace(), findings=(finding,))))
    text = node_problem_text(found, (1, 2, 3))
    assert text == word
    # Red is only for what is wrong.
    assert not text or problem_colors(text) == (severity, f"{severity}_fill")
