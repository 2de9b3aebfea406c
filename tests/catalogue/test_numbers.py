"""Numbers as people read them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.catalogue.language import fill_template
from gradviz.catalogue.numbers import exact_number, number_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (3.0, "3"),
        (-2.5, "-2.5"),
        (0.3, "0.3"),
        (0.99999, "1.000"),
        (1234.5, "1234.5"),
        (123456.0, "123456"),
        (12345678.0, "1.235e+07"),
        (1000001, "1.000e+06"),
        (1e-12, "1e-12"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (float("-inf"), "-inf"),
        (True, "True"),
        (np.bool_(False), "False"),
        (np.int64(-7), "-7"),
        (np.float32(0.1), "0.1"),
        (3 - 0.5j, "3-0.5j"),
        (1j, "0+1j"),
        (np.complex64(1 + 2j), "1+2j"),
        (complex("nan-infj"), "nan-infj"),
    ],
)
def test_numbers_are_written_as_by_torch(value: object, text: str) -> None:
    assert number_text(value) == text


@given(st.floats(-1e300, 1e300), st.integers(1, 12))
def test_a_number_is_close_and_no_integer_that_it_is_not(value: float, room: int) -> None:
    text = number_text(value, room)
    assert math.isclose(float(text), value, rel_tol=10.0 ** (1 - room), abs_tol=0)
    assert float(text) == value or "." in text


def test_exact_numbers_give_the_same_bits_back() -> None:
    for value in (np.float32(0.1), np.float64(0.1), np.float16(0.1)):
        assert type(value)(exact_number(value)) == value
    assert exact_number(np.float32(0.1)) == "0.1"
    assert exact_number(1 + 2j) == "1+2j"


def test_templates_write_numbers_the_same_way() -> None:
    values = {
        "error": 0.99999,
        "step": 1.0000000001,
        "count": 3,
        "size": float("inf"),
        "part": 0.25,
    }
    text = fill_template("{error:.3g} {error:g} {step:g} {count} {size:.1g} {part:.0%}", values)
    assert text == "1.00 0.99999 1 3 inf 25%"
