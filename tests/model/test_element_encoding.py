"""Numbers as typed and as a dtype stores them; compared with torch in `worker`."""

from __future__ import annotations

import math

import pytest

from gradviz.model.element_encoding import (
    MisfitReason,
    UnrepresentableNumberError,
    element_as_stored,
    is_exact,
    read_number,
    shortest_text,
)
from gradviz.model.inputs import Number


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
