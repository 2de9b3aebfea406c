"""The first value of an iteration that differs much from those before it."""

from __future__ import annotations

import math

import pytest
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.training.iterations import iterations_of
from gradviz.analysis.training.unusual_values import UnusualValue, find_unusual_value
from gradviz.model.item import object_item
from gradviz.model.step import OptimizerStep, Step
from tests.training_traces import training_trace

LOSSES = [4.0, 3.0, 3.5, 3.0, 3.2, 3.1]
GRADIENTS = [[0.3, 0.4], [0.4, 0.3], [0.2, 0.3], [0.3, 0.2], [0.4, 0.4], [0.3, 0.3]]


def found_in(index: TraceIndex, number: int) -> UnusualValue | None:
    iterations = iterations_of(index)
    return find_unusual_value(index, iterations, iterations[number - 1]).found


def index_of(
    losses: list[float], gradients: list[list[float]], rates: dict[int, str] | None = None
) -> TraceIndex:
    """Index a training, with other learning rates in some iterations."""
    trace, pairs = training_trace(losses, gradients)
    steps: list[Step] = list(trace.steps)
    for number, rate in (rates or {}).items():
        update = steps[6 * number - 1]
        assert isinstance(update, OptimizerStep)
        steps[6 * number - 1] = replace(update, settings=(object_item("lr", rate),))
    trace = replace(trace, steps=tuple(steps))
    return index_trace(trace, {record.id: value for record, value in pairs}.get)


def test_iterations_like_those_before_have_none() -> None:
    index = index_of(LOSSES, GRADIENTS)
    assert [found_in(index, number) for number in range(1, 7)] == [None] * 6
    iterations = iterations_of(index)
    compared = [find_unusual_value(index, iterations, each).compared for each in iterations]
    assert compared == [0, 0, 0, 3, 4, 5]


def test_the_first_value_that_is_larger_is_found() -> None:
    index = index_of([*LOSSES[:5], 62.0], [*GRADIENTS[:5], [30.0, 40.0]])
    found = found_in(index, 6)
    assert found is not None
    # The loss is made before the gradient.
    assert (found.kind, found.name, found.where, found.step) == ("larger", "loss", "dot", 31)
    assert (found.value, found.usual) == (62.0, 4.0)


def test_a_gradient_is_found_where_it_is_made() -> None:
    found = found_in(index_of(LOSSES, [*GRADIENTS[:5], [30.0, 40.0]]), 6)
    assert found is not None
    assert (found.where, found.step) == ("DotBackward0", 33)
    assert found.value == pytest.approx(50 / math.sqrt(2))


def test_nan_is_found_where_it_appears() -> None:
    index = index_of([*LOSSES[:4], math.nan, 1.0], GRADIENTS)
    found = found_in(index, 5)
    assert found is not None
    assert (found.kind, found.name) == ("not_finite", "loss")
    # One iteration later, it is nothing new.
    assert found_in(index, 6) is None


def test_many_elements_that_are_all_equal_are_found() -> None:
    for count, kind in ((8, "equal"), (7, None)):
        # The weight begins with ones, and returns to them after 9 updates.
        there = [0.1 * (each + 1) for each in range(count)]
        back = [-each for each in there]
        nothing = [0.0] * count
        found = found_in(index_of([3.0] * 10, [there, *[nothing] * 7, back, nothing]), 10)
        assert (found and found.kind) == kind
        if found is not None:
            assert (found.name, found.where, found.value) == ("w", "dot", 1.0)


def test_a_setting_explains_its_own_iteration_and_the_next_one() -> None:
    gradients = [*GRADIENTS[:5], [0.3, 0.2]]
    index = index_of([*LOSSES[:5], 62.0], gradients, {5: "50.0"})
    for number in (5, 6):
        found = found_in(index, number)
        assert found is not None
        assert (found.name, found.where, found.step) == ("lr", "SGD", 30)
        assert (found.value, found.usual) == (50.0, 0.5)


def test_gradients_of_a_smaller_batch_are_not_compared() -> None:
    there = [0.3] * 8
    for count, is_found in ((8, True), (2, False)):
        gradients = [*[there] * 4, [30.0] * count]
        trace, pairs = training_trace([3.0] * 5, gradients, optimizer=False)
        index = index_trace(trace, {record.id: value for record, value in pairs}.get)
        assert (found_in(index, 5) is not None) == is_found
