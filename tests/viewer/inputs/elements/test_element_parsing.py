"""Typed elements: rounding is reported, invalid text gets an error message."""

from __future__ import annotations

import pytest

from gradviz.model.inputs import Number
from gradviz.viewer.forms.controls import FieldError
from gradviz.viewer.inputs.fields.parsing import parse_element

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.mark.parametrize(
    ("text", "dtype", "number", "note"),
    [
        ("0.5", "float16", 0.5, ""),
        ("0.1", "float64", 0.1, ""),
        ("0.1", "float16", 0.1, "0.1 is stored as 0.0999755859375 in float16."),
        ("0.1", "float32", 0.1, "0.1 is stored as 0.10000000149011612 in float32."),
        ("70000", "float16", 70000, "70000 is stored as inf in float16."),
        ("257", "bfloat16", 257, "257 is stored as 256 in bfloat16."),
        ("nan", "float32", float("nan"), ""),
        ("-inf", "bfloat16", float("-inf"), ""),
        ("1+2j", "complex64", 1 + 2j, ""),
        ("0.1j", "complex64", 0.1j, "0.1j is stored as 0+0.10000000149011612j in complex64."),
        ("3+0j", "float64", 3, ""),
        ("True", "bool", 1, ""),
        ("True", "float64", 1, ""),
        ("-128", "int8", -128, ""),
    ],
)
def test_elements_are_read(text: str, dtype: str, number: Number, note: str) -> None:
    read, message = parse_element(text, dtype)
    assert read == number or str(read) == str(number) == "nan"
    assert message == note


@pytest.mark.parametrize(
    ("text", "dtype", "sentence"),
    [
        ("300", "int8", "300 does not fit in int8, whose range is -128 to 127."),
        ("-1", "uint8", "-1 does not fit in uint8, whose range is 0 to 255."),
        ("1.5", "int64", "1.5 has a fraction, but int64 holds only integers."),
        ("nan", "int32", "int32 cannot hold nan."),
        ("1+2j", "float32", "1+2j is complex, but float32 holds only real numbers."),
        ("2", "bool", "2 is neither True nor False."),
        ("", "float64", "Enter a number."),
        ("abc", "float64", "abc is not a number."),
        ("1,5", "float64", "1,5: use a decimal point, and no commas."),
        ("1,000", "float64", "1,000: use a decimal point, and no commas."),
        ("1+2i", "complex64", "In Python, write 1+2j."),
        ("true", "bool", "In Python, write True."),
        ("1e999", "float64", "1e999 is larger than the largest float; write inf for infinity."),
    ],
)
def test_what_does_not_fit_gets_a_sentence(text: str, dtype: str, sentence: str) -> None:
    with pytest.raises(FieldError) as caught:
        parse_element(text, dtype)
    assert str(caught.value) == sentence
