"""Tensors of a trace: bits, statistics, tolerances, sources."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import index_trace
from gradviz.model.element_encoding import (
    MisfitReason,
    UnrepresentableNumberError,
    element_as_stored,
    is_exact,
    read_number,
    shortest_text,
)
from gradviz.model.inputs import Number
from gradviz.model.statistics import statistics_of
from gradviz.model.tensor import TensorValue, preview_steps
from gradviz.model.tolerance import tolerance_excess
from gradviz.text.narration import describe_step
from tests.builders import LINEAR_TENSORS, linear_trace

# Numbers as typed and as a dtype stores them; compared with torch in `worker`.


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1", 1),
        (" -2.5 ", -2.5),
        ("\N{MINUS SIGN}3", -3),
        ("1e-3", 0.001),
        ("9007199254740993", 9007199254740993),
        ("True", 1),
        ("False", 0),
        ("-inf", -math.inf),
        ("Infinity", math.inf),
        ("1+2j", 1 + 2j),
        ("(1.-0.5j)", 1 - 0.5j),
        ("2J", 2j),
    ],
)
def test_numbers_are_read_as_python_writes_them(text: str, number: Number) -> None:
    assert repr(read_number(text)) == repr(number)


def test_zero_keeps_its_sign_and_nan_is_the_one() -> None:
    assert math.copysign(1, read_number("-0").real) == -1
    assert read_number("NaN") is math.nan


@pytest.mark.parametrize(
    "text", ["", "a", "1,5", "1 2", "1e999", "-1e400", "1e999j", "1+2i", "0x1"]
)
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        read_number(text)


@pytest.mark.parametrize(
    ("number", "dtype", "element"),
    [
        (0.1, "float64", 0.1),
        (0.1, "float16", 0.0999755859375),
        (0.1, "bfloat16", 0.10009765625),
        (70000, "float16", math.inf),
        (2**53 + 1, "int64", 2**53 + 1),
        (2**53 + 1, "float64", 2.0**53),
        (3 + 0j, "int8", 3),
        (2, "complex64", 2 + 0j),
        (1.0, "bool", 1),
    ],
)
def test_elements(number: Number, dtype: str, element: Number) -> None:
    assert repr(element_as_stored(number, dtype)) == repr(element)
    assert is_exact(number, dtype) == (number == element)


@pytest.mark.parametrize(
    ("number", "dtype", "reason"),
    [
        (300, "int8", "range"),
        (-1, "uint8", "range"),
        (2.0**63, "int64", "range"),
        (10**400, "float64", "range"),
        (10**400, "int64", "range"),
        (1.5, "int32", "fraction"),
        (math.nan, "int64", "not finite"),
        (math.inf, "bool", "not finite"),
        (1 + 2j, "float64", "complex"),
        (1j, "int8", "complex"),
        (2, "bool", "bool"),
        (0.5, "bool", "bool"),
    ],
)
def test_what_a_dtype_cannot_hold_has_a_reason(
    number: Number, dtype: str, reason: MisfitReason
) -> None:
    with pytest.raises(UnrepresentableNumberError) as caught:
        element_as_stored(number, dtype)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("element", "dtype", "text"),
    [
        (0.10000000149011612, "float32", "0.1"),
        (0.10000000149011612, "float64", "0.10000000149011612"),
        (0.0999755859375, "float16", "0.1"),
        (-0.0, "float64", "-0"),
        (1.0, "float64", "1"),
        (math.nan, "float16", "nan"),
        (-math.inf, "bfloat16", "-inf"),
        (1, "bool", "True"),
        (1 - 0.5j, "complex64", "1-0.5j"),
        (complex(math.nan, math.inf), "complex128", "nan+infj"),
    ],
)
def test_the_shortest_text_is_read_as_the_element(element: Number, dtype: str, text: str) -> None:
    assert shortest_text(element, dtype) == text
    assert repr(element_as_stored(read_number(text), dtype)) == repr(element)


# Statistics compared with NumPy's, and cases where NumPy would be misleading.


def test_finite_array_against_numpy() -> None:
    array = np.random.default_rng(0).normal(size=(7, 11))
    found = statistics_of(array)
    assert (found.minimum, found.maximum) == (array.min(), array.max())
    assert found.total == pytest.approx(array.sum(), rel=1e-13)
    assert found.std == pytest.approx(array.std(), rel=1e-12)
    assert found.norm == pytest.approx(np.linalg.norm(array), rel=1e-13)
    assert found.all_finite


def test_nan_and_infinities_are_counted_and_left_out() -> None:
    array = np.array([math.nan, math.inf, -math.inf, -math.inf, 0.0, -0.0, 3.0], dtype=np.float32)
    found = statistics_of(array)
    assert (found.nans, found.positive_infinities, found.negative_infinities) == (1, 1, 2)
    assert (found.count, found.zeros, found.total, found.maximum) == (7, 2, 3.0, 3.0)
    assert not found.all_finite


@pytest.mark.parametrize("array", [np.zeros((0, 3)), np.array([math.nan]), np.array(math.inf)])
def test_nothing_finite_gives_no_numbers(array: npt.NDArray[np.float64]) -> None:
    found = statistics_of(array)
    assert (found.minimum, found.mean, found.std, found.norm) == (None, None, None, None)


@pytest.mark.parametrize(
    ("values", "std"),
    [
        ([1e9, 1e9 + 1], 0.5),
        ([1e200, -1e200], 1e200),
        ([1e-200, 3e-200], 1e-200),
        ([0.1] * 10, 0.0),
        ([0.0, 0.0], 0.0),
    ],
)
def test_deviation_is_right_far_from_zero(values: list[float], std: float) -> None:
    assert statistics_of(np.array(values)).std == pytest.approx(std, rel=1e-12, abs=0)


def test_other_kinds_of_numbers() -> None:
    flags = statistics_of(np.array([True, False, True]))
    assert (flags.minimum, flags.total, flags.zeros) == (0.0, 2.0, 1)
    imaginary = statistics_of(np.array([3 + 4j, complex(0, math.inf), complex(math.nan, 0)]))
    assert (imaginary.maximum, imaginary.nans, imaginary.positive_infinities) == (5.0, 1, 1)
    small = statistics_of(np.array([255, 255], dtype=np.uint8))
    assert small.total == 510.0
    wide = statistics_of(np.array([65504.0, 65504.0], dtype=np.float16))
    assert wide.norm == pytest.approx(65504.0 * math.sqrt(2))


# A tensor's stored bits become the numbers they represent.


def value(dtype: str, *elements: int, size: int) -> TensorValue:
    data = b"".join(element.to_bytes(size, "little") for element in elements)
    return TensorValue(dtype=dtype, shape=(len(elements),), data=data)


def test_bfloat16_bits() -> None:
    array = value("bfloat16", 0x3F80, 0xC040, 0x7F80, 0x0000, size=2).array()
    assert array.tolist() == [1.0, -3.0, math.inf, 0.0]


@pytest.mark.parametrize(
    ("dtype", "bits", "expected"),
    [
        ("float8_e4m3fn", 0x7E, 448.0),
        ("float8_e4m3fn", 0x01, 2.0**-9),
        ("float8_e4m3fnuz", 0x7F, 240.0),
        ("float8_e5m2", 0x7B, 57344.0),
        ("float8_e5m2", 0xFC, -math.inf),
        ("float8_e5m2fnuz", 0x7F, 57344.0),
    ],
)
def test_float8_bits(dtype: str, bits: int, expected: float) -> None:
    assert value(dtype, bits, size=1).array().tolist() == [expected]


def test_array_is_a_view_with_the_shape() -> None:
    array = np.arange(6, dtype="<f4").reshape(2, 3)
    kept = TensorValue(dtype="float32", shape=(2, 3), data=array.tobytes())
    assert np.array_equal(kept.array(), array)
    assert kept == TensorValue(dtype="float32", shape=(2, 3), data=array.tobytes())


def test_unknown_dtype_and_short_data_are_refused() -> None:
    with pytest.raises(ValueError, match="qint8"):
        TensorValue(dtype="qint8", shape=(1,), data=b"x").array()
    with pytest.raises(ValueError, match="reshape"):
        TensorValue(dtype="uint8", shape=(2,), data=b"x").array()


@pytest.mark.parametrize(
    "shape", [(), (0,), (5,), (64, 64), (1000, 1000), (3, 0, 4), (7, 300, 500), (100_000,)]
)
def test_preview_is_small_and_covers_the_tensor(shape: tuple[int, ...]) -> None:
    steps = preview_steps(shape)
    kept = [math.ceil(size / step) for size, step in zip(shape, steps, strict=True)]
    assert math.prod(kept) <= 64 * 64
    assert all(
        count == 0 or (count - 1) * step < size
        for count, step, size in zip(kept, steps, shape, strict=True)
    )


# Statistics that a recorder left out are computed on request.


VALUES = {record.id: value for record, value in LINEAR_TENSORS}


def test_statistics_are_computed_when_asked_for() -> None:
    trace = linear_trace()
    bare = replace(trace, tensors=tuple(replace(each, statistics=None) for each in trace.tensors))
    asked: list[int] = []

    def read(number: int) -> TensorValue:
        asked.append(number)
        return VALUES[number]

    index = index_trace(bare, read)
    assert asked == []
    assert index.tensor[4].statistics == trace.tensors[3].statistics
    assert index.tensor[4].statistics is index.tensor[4].statistics
    assert asked == [4]
    assert "(all ones)" in describe_step(index, trace.steps[4])
    assert set(index.tensor) == set(range(1, 9))
    assert index_trace(bare).tensor[4].statistics is None


# The distance from the tolerance, compared with the rule of ``torch.allclose``.


INF, NAN = math.inf, math.nan
CASES = [
    (2.0, 1.0, 1 / 1.5),
    (1.0, 2.0, 1 / 2.0),
    (0.0, 0.0, 0.0),
    (-0.0, 0.0, 0.0),
    (INF, INF, 0.0),
    (-INF, -INF, 0.0),
    (INF, -INF, INF),
    (INF, 1.0, INF),
    (1.0, INF, INF),
    (NAN, 1.0, INF),
    (1.0, NAN, INF),
    (NAN, NAN, INF),
    (NAN, INF, INF),
    (complex(INF, 1), complex(INF, 1), 0.0),
    (complex(INF, 1), complex(INF, 2), INF),
    (complex(3, 4), 0j, 5 / 1.0),
]


@pytest.mark.parametrize(("value", "reference", "excess"), CASES)
def test_excess_of_one_element(value: complex, reference: complex, excess: float) -> None:
    assert float(tolerance_excess(value, reference, atol=1.0, rtol=0.5)) == excess


def test_without_a_tolerance_only_equal_values_are_within() -> None:
    value = np.array([[0.0, 1e-30, 7.0, INF, INF, 1.0]])
    reference = np.array([[0.0, 0.0, 7.0, INF, 1.0, INF]])
    found = tolerance_excess(value, reference, atol=0.0, rtol=0.0)
    assert found.tolist() == [[0.0, INF, 0.0, 0.0, INF, INF]]


NUMBERS = st.floats(width=32) | st.sampled_from([0.0, 1.0, INF, -INF, NAN])


@given(st.lists(st.tuples(NUMBERS, NUMBERS), max_size=8), st.sampled_from([0.0, 1e-3]))
def test_more_than_one_is_what_allclose_rejects(
    pairs: Sequence[tuple[float, float]], rtol: float
) -> None:
    values = np.array(pairs, dtype=np.float64).reshape(-1, 2)
    found = tolerance_excess(values[:, 0], values[:, 1], atol=1e-5, rtol=rtol)
    close = np.isclose(values[:, 0], values[:, 1], atol=1e-5, rtol=rtol)
    assert ((found > 1) == ~close).all()


def test_narrow_matrices_are_compared_in_double_precision() -> None:
    value, reference = np.float32([[3e38]]), np.float32([[-3e38]])
    found = tolerance_excess(value, reference, atol=0.0, rtol=1.0)
    assert found.tolist() == [[2.0]]
    assert tolerance_excess(np.zeros((0, 3)), np.zeros((0, 3)), atol=0, rtol=0).shape == (0, 3)
