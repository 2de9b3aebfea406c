"""Shapes and literals are parsed correctly or refused with one sentence."""

from __future__ import annotations

import pytest

from gradviz.viewer.forms.controls import FieldError
from gradviz.viewer.inputs.fields.parsing import parse_literal, parse_shape, shape_text

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("", ()),
        ("()", ()),
        ("[]", ()),
        ("scalar", ()),
        ("torch.Size([])", ()),
        ("3", (3,)),
        ("3,", (3,)),
        ("(3,)", (3,)),
        ("2, 3", (2, 3)),
        ("2,3", (2, 3)),
        ("2x3", (2, 3)),
        ("2 X 3", (2, 3)),
        ("2×3", (2, 3)),
        ("2*3", (2, 3)),
        ("2 3", (2, 3)),
        ("(2, 3,)", (2, 3)),
        ("[2, 3]", (2, 3)),
        ("torch.Size([2, 3])", (2, 3)),
        ("Size((2, 3))", (2, 3)),
        ("[4 5 6]", (4, 5, 6)),
        ("2×0", (2, 0)),
        ("1000x1000", (1000, 1000)),
    ],
)
def test_shapes(text: str, shape: tuple[int, ...]) -> None:
    assert parse_shape(text) == shape
    assert parse_shape(shape_text(shape)) == shape


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("-1", "-1 is not a valid size"),
        ("2×\N{MINUS SIGN}3", "is not a valid size"),
        ("2x", "A size is missing"),
        ("x2", "A size is missing"),
        ("2,,3", "A size is missing"),
        ("2,,x", "A size is missing"),
        ("two", "Write a shape as 2×3"),
        ("2.5", "Write a shape as 2×3"),
        ("2;3", "Write a shape as 2×3"),
        ("1e3", "Write a shape as 2×3"),
        ("(2, 3", "Write a shape as 2×3"),
        (",", "Write a shape as 2×3"),
        ("9" * 40, "Write a shape as 2×3"),
        ("10000x10000x10", "1,000,000,000 elements"),
        ("x".join("1" * 33), "at most 32 dimensions"),
    ],
)
def test_what_is_no_shape_gets_a_sentence(text: str, words: str) -> None:
    with pytest.raises(FieldError, match=words) as caught:
        parse_shape(text)
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    "text", ["3", "-1.5", "1+2j", "'mean'", "None", "True", "(1, 'a')", "[1, [2]]", "{'a': {1}}"]
)
def test_literals_are_taken(text: str) -> None:
    assert parse_literal(f" {text} ") == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "Enter a Python literal"),
        ("mean", "a string needs quotes: 'mean'"),
        ("none", "In Python, write None"),
        ("TRUE", "In Python, write True"),
        ("print(1)", "not a Python literal"),
        ("1 +", "not a Python literal"),
        ("[1, 2", "not a Python literal"),
        ("'" + "a" * 10_000 + "'", "the limit is 10,000 characters"),
        ("(" * 5_000, "not a Python literal"),
        ("{[]: 1}", "not a Python literal"),
    ],
)
def test_what_is_no_literal_gets_a_sentence(text: str, words: str) -> None:
    with pytest.raises(FieldError, match=words):
        parse_literal(text)


def test_an_escape_that_python_warns_of_is_taken() -> None:
    assert parse_literal(r"'\d'") == r"'\d'"
