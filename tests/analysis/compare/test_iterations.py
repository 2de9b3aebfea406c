"""Two iterations of one run are compared as two runs would be."""

from __future__ import annotations

import pytest

from gradviz.analysis.compare.run_comparison import RunComparison, compare_runs
from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.training.iteration_index import index_of_iteration
from gradviz.analysis.training.iterations import iterations_of
from gradviz.export.compare.text import compare_text
from gradviz.text.compare import comparison_summary
from tests.training_traces import training_trace

GRADIENTS = [[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]]


@pytest.fixture
def index() -> TraceIndex:
    trace, pairs = training_trace([4.0, 2.0, 2.0], GRADIENTS)
    values = {record.id: value for record, value in pairs}
    return index_trace(trace, values.get)


def compared(index: TraceIndex, left: int, right: int) -> RunComparison:
    iterations = iterations_of(index)
    sides = [index_of_iteration(index, iterations[number - 1]) for number in (left, right)]
    return compare_runs(sides[0], sides[1])


def test_each_step_is_paired_with_that_of_the_other_iteration(index: TraceIndex) -> None:
    pairs = compared(index, 1, 3).pairs
    assert pairs.in_order() == [(number, number + 12) for number in range(1, 7)]
    assert (pairs.only_left, pairs.only_right) == ((), ())
    assert (pairs.right(7), pairs.left(12)) == (None, None)


def test_the_summary_begins_with_the_parameter_that_differs_most(index: TraceIndex) -> None:
    summary = comparison_summary(compared(index, 1, 2))
    # w is moved by half of the second gradient.
    assert summary.startswith(
        "After the updates of iterations 1 and 2, w differs most, by up to 0.2 at [1]. "
        "Iterations 1 and 2 differ from step 1 (7 on the right) on, starting with w: by up to 2 "
    )


def test_an_iteration_equals_itself(index: TraceIndex) -> None:
    found = compared(index, 2, 2)
    assert found.outcome == "equal"
    assert comparison_summary(found) == "Iterations 2 and 2 are bitwise equal in all 6 steps."


def test_the_text_names_the_iterations_and_tells_values_of_the_update_apart(
    index: TraceIndex,
) -> None:
    left, right, _, *lines = compare_text(compared(index, 1, 2))
    assert [left.split(" (")[0], right.split(" (")[0]] == [
        "left   LinearFunction, merged, iteration 1",
        "right  LinearFunction, merged, iteration 2",
    ]
    names = [line.split(":")[0].strip() for line in lines[-3:]]
    assert names == ["w before the update", "w.grad", "w"]


def test_an_iteration_has_no_iterations_of_its_own(index: TraceIndex) -> None:
    assert iterations_of(index_of_iteration(index, iterations_of(index)[0])) == ()
