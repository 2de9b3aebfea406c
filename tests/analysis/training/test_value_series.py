"""The value of one step in all iterations of a run."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gradviz.analysis.index.trace_index import TraceIndex, index_trace
from gradviz.analysis.training.iterations import iterations_of
from gradviz.analysis.training.value_series import ValueSeries, value_series
from gradviz.model.step import AccumulateStep
from tests.training_traces import training_trace

NAN = math.nan


def series_of(index: TraceIndex, number: int) -> ValueSeries | None:
    iterations = iterations_of(index)
    here = next(each for each in iterations if number in each)
    return value_series(index, iterations, here, number)


@pytest.fixture
def index() -> TraceIndex:
    trace, pairs = training_trace([4.0, NAN, 1.0], [[3.0, 4.0], [0.3, 0.4], [NAN, 0.0]])
    return index_trace(trace, {record.id: value for record, value in pairs}.get)


def test_a_number_is_shown_itself_from_whichever_iteration_it_is_asked(index: TraceIndex) -> None:
    found = series_of(index, 1)
    assert repr(found) == repr(series_of(index, 7))
    assert found is not None
    assert (found.name, found.is_scalar) == ("loss", True)
    assert [each.at for each in found.points] == [1.0, 2.0, 3.0]
    assert [each.step for each in found.points] == [1, 7, 13]
    assert np.array_equal([each.value for each in found.points], [4.0, NAN, 1.0], equal_nan=True)


def test_of_a_larger_tensor_it_is_the_norm_and_nan_where_it_has_nan(index: TraceIndex) -> None:
    steps = index.trace.steps[:6]
    (number,) = (step.number for step in steps if isinstance(step, AccumulateStep))
    found = series_of(index, number)
    assert found is not None
    assert (found.name, found.is_scalar) == ("w.grad", False)
    values = [each.value for each in found.points]
    assert np.allclose(values, [5.0, 0.5, NAN], equal_nan=True)


def test_an_iteration_that_does_something_else_there_has_no_point(index: TraceIndex) -> None:
    first, second, third = iterations_of(index)
    shifted = [first, second, type(third)(number=3, first=14, last=17, passes=(), updates=())]
    found = value_series(index, shifted, first, 1)
    assert found is not None
    assert [each.at for each in found.points] == [1.0, 2.0]


def test_a_value_that_is_not_finite_in_any_iteration_has_no_series() -> None:
    trace, pairs = training_trace([NAN, NAN], [[3.0], [0.3]])
    index = index_trace(trace, {record.id: value for record, value in pairs}.get)
    assert series_of(index, 1) is None
