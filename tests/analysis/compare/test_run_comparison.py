"""Comparing two runs: paired steps, differences and their sentences."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from gradviz.analysis.compare.graph_marks import graph_marks
from gradviz.analysis.compare.run_comparison import RunComparison, compare_runs
from gradviz.analysis.compare.step_pairing import pair_steps
from gradviz.analysis.index.step_queries import node_at_step
from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.model.step import AccumulateStep, ErrorStep, ForwardStep, NodeStep, Step
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.model.trace import Trace
from gradviz.text.compare import comparison_summary, mismatch_lines, value_name
from tests.builders import LINEAR_TENSORS, error_step, linear_trace, tensor

COUNT = len(linear_trace().steps)


def index_with(*kept: tuple[TensorRecord, TensorValue], trace: Trace | None = None) -> TraceIndex:
    """The index of the linear trace in which some tensors have other elements."""
    values = {record.id: (record, value) for record, value in (*LINEAR_TENSORS, *kept)}
    records = tuple(record for record, _ in values.values())
    whole = replace(linear_trace() if trace is None else trace, tensors=records)
    return index_trace(whole, lambda number: values[number][1])


def only(steps: list[Step]) -> TraceIndex:
    """The index of a run of these steps, renumbered."""
    numbered = tuple(replace(step, number=number) for number, step in enumerate(steps, 1))
    return index_with(trace=replace(linear_trace(), steps=numbered))


def error(number: int, exception: str, message: str) -> ErrorStep:
    return error_step(number, exception, message, pass_id=None, node=None, stage="outside")


def compared(*kept: tuple[TensorRecord, TensorValue]) -> RunComparison:
    return compare_runs(index_with(), index_with(*kept))


def test_a_run_equals_itself() -> None:
    found = compared()
    assert (found.outcome, found.mismatches, found.roundings) == ("equal", (), ())
    assert found.pairs.right_of.tolist() == list(range(1, COUNT + 1))
    assert comparison_summary(found) == f"The two runs are bitwise equal in all {COUNT} steps."


def test_the_first_difference_is_reported_with_its_element() -> None:
    found = compared(tensor(7, [[3.0, 12.0], [4.5, 12.0]]))
    first = found.first
    assert first is not None
    assert first.value is not None
    assert (first.value.difference.largest, first.value.difference.where) == (1.5, (1, 0))
    name = "the gradient returned for input"
    assert comparison_summary(found) == (
        f"The two runs agree up to step {(first.left or 0) - 1}. In step {first.left}, {name} "
        "is the first value to differ: by up to 1.5 at [1, 0]."
    )


def test_rounding_is_reported_as_such() -> None:
    found = compared(tensor(7, [[3.0, 12.0], [3.0, np.nextafter(12.0, 13.0)]]))
    assert found.outcome == "rounding"
    assert "agree except for rounding" in comparison_summary(found)
    assert "by up to 1.776e-15 at [1, 1]" in comparison_summary(found)


@settings(max_examples=40)
@given(st.sets(st.integers(0, COUNT - 1)), st.sets(st.integers(0, COUNT - 1)))
def test_pairs_keep_the_order_and_do_not_depend_on_the_side(
    left_gone: set[int], right_gone: set[int]
) -> None:
    steps = linear_trace().steps
    one = only([step for at, step in enumerate(steps) if at not in left_gone])
    other = only([step for at, step in enumerate(steps) if at not in right_gone])
    pairs, swapped = pair_steps(one, other), pair_steps(other, one)
    assert pairs.right_of.tolist() == swapped.left_of.tolist()
    assert pairs.left_of.tolist() == swapped.right_of.tolist()
    ordered = [
        right
        for at, right in enumerate(pairs.right_of.tolist())
        if right and not isinstance(one.trace.steps[at], AccumulateStep)
    ]
    assert ordered == sorted(ordered)
    for at, right in enumerate(pairs.right_of.tolist()):
        if right:
            assert type(one.trace.steps[at]) is type(other.trace.steps[right - 1])
            assert pairs.left(right) == at + 1


def test_a_step_that_one_run_has_alone_parts_them() -> None:
    steps = list(linear_trace().steps)
    gone = next(at for at, step in enumerate(steps) if isinstance(step, AccumulateStep))
    found = compare_runs(index_with(), only(steps[:gone] + steps[gone + 1 :]))
    assert found.pairs.only_left == (gone + 1,)
    assert found.outcome == "differ"
    text = comparison_summary(found)
    assert text.startswith(
        f"The two runs diverge at step {gone + 1}, which occurs only on the left: "
    )
    assert text.endswith("1 step occurs only on the left.")


def test_a_run_beside_nothing() -> None:
    found = compare_runs(index_with(), only([]))
    assert found.outcome == "differ"
    assert len(found.mismatches) == COUNT


def test_runs_with_nothing_in_common_differ() -> None:
    steps = linear_trace().steps
    forward = next(step for step in steps if isinstance(step, ForwardStep))
    node = next(step for step in steps if isinstance(step, NodeStep))
    found = compare_runs(only([forward]), only([node]))
    assert (found.pairs.count, found.first, found.outcome) == (0, None, "differ")
    assert comparison_summary(found).startswith("There is nothing to compare")


@pytest.mark.parametrize("other", [np.nan, np.inf])
def test_what_differs_by_no_number_is_not_reported_as_one(other: float) -> None:
    one = compared(tensor(7, [[3.0, 12.0], [-np.inf, 12.0]]))
    assert comparison_summary(one).endswith("by a non-finite amount at [1, 0].")
    infinite = index_with(tensor(7, [[3.0, 12.0], [-np.inf, 12.0]]))
    both = compare_runs(infinite, index_with(tensor(7, [[3.0, 12.0], [other, 12.0]])))
    assert comparison_summary(both).endswith("by a non-finite amount at [1, 0].")


def test_what_was_saved_is_reported_as_such() -> None:
    steps = list(linear_trace().steps)
    forward = next(at for at, step in enumerate(steps) if isinstance(step, ForwardStep))
    found = compare_runs(only(steps[: forward + 1]), only(steps[: forward + 1]))
    saved = next(each for each in found.values(1, 1) if each.pair.role == "saved")
    name = value_name(found.left, found.left.trace.steps[0], saved)
    assert name == f"the saved {saved.pair.name}"


def test_another_exception_is_a_difference() -> None:
    steps = linear_trace().steps
    number = len(steps) + 1
    ends = [error(number, exception, "at 0x12") for exception in ("ValueError", "KeyError")]
    one, other = [only([*steps, end]) for end in ends]
    assert compare_runs(one, one).outcome == "equal"
    found = compare_runs(one, other)
    assert found.outcome == "differ"
    assert comparison_summary(found).endswith(
        f"In step {number}, the exception is the first value to differ: it is ValueError: at 0x12"
        " on the left and KeyError: at 0x12 on the right."
    )


def test_the_type_of_a_tensor_in_an_exception_is_no_difference() -> None:
    """The dtype and device, which may differ between two runs."""
    text = "has been modified by an inplace operation: [{} [2]], which is output 0 of Add"
    steps = linear_trace().steps
    one, other = [
        only([*steps, error(len(steps) + 1, "RuntimeError", text.format(kind))])
        for kind in ("torch.DoubleTensor", "torch.cuda.FloatTensor")
    ]
    assert compare_runs(one, other).outcome == "equal"


def test_an_exception_that_one_run_has_alone_is_reported_on_one_line() -> None:
    steps = linear_trace().steps
    end = error(len(steps) + 1, "ValueError", "first\nsecond")
    text = comparison_summary(compare_runs(only([*steps, end]), only([*steps])))
    assert text.splitlines() == [text]
    assert "left: ValueError: first. 1 step occurs only on" in text


def test_marks_are_the_nodes_and_edges_of_what_differs() -> None:
    found = compared(tensor(7, [[3.0, 12.0], [4.5, 12.0]]))
    marks = graph_marks(found, left=True)
    trace = found.left.trace
    assert marks == graph_marks(found, left=False)
    names = {node.variable_name or node.name for node in trace.nodes if node.id in marks.differing}
    assert names == {"LinearFunctionBackward", "input"}
    for node, number in marks.differing.items():
        # Not the step that created the node, whose values are equal.
        assert isinstance(trace.steps[number - 1], NodeStep | AccumulateStep)
        assert number == min(
            each.left
            for each in found.mismatches
            if each.left is not None and node_at_step(found.left, each.left) == node
        )
    assert marks.alone == frozenset()
    (edge,) = marks.edges
    assert found.left.node[found.left.edge[edge].target].variable_name == "input"


def test_a_node_that_both_runs_execute_is_not_marked_as_alone() -> None:
    steps = list(linear_trace().steps)
    forward = next(at for at, step in enumerate(steps) if isinstance(step, ForwardStep))
    found = compare_runs(index_with(), only(steps[:forward] + steps[forward + 1 :]))
    assert found.pairs.only_left == (forward + 1,)
    assert graph_marks(found, left=True).alone == frozenset()


def test_the_list_of_places_is_cut() -> None:
    found = compare_runs(index_with(), only([]))
    assert len(mismatch_lines(found, 3)) == 3
    assert mismatch_lines(found, 1) == ["1: LinearFunction (left only)"]
