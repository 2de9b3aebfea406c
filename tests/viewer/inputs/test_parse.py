import pytest
from PySide6.QtWidgets import QApplication

from gradviz.viewer.inputs.parse import (
    FieldError,
    parse_literal,
    parse_shape,
    parse_values,
    shape_text,
    values_text,
)

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("", ()),
        ("()", ()),
        ("3", (3,)),
        ("2, 3", (2, 3)),
        ("2x3", (2, 3)),
        ("(2, 3,)", (2, 3)),
        ("[4 5 6]", (4, 5, 6)),
        ("2×0", (2, 0)),
    ],
)
def test_shapes(text: str, shape: tuple[int, ...]) -> None:
    assert parse_shape(text) == shape
    assert parse_shape(shape_text(shape)) == shape


@pytest.mark.parametrize("text", ["-1", "two", "2.5", "2;3", "1e3", "9" * 40, "10000x10000x10"])
def test_what_is_no_shape_gets_a_sentence(text: str) -> None:
    with pytest.raises(FieldError, match=r"\.$"):
        parse_shape(text)


def test_values_must_be_as_many_as_the_shape_has() -> None:
    assert parse_values("[[1, 2], [3, 4.5]]", (2, 2)) == (1.0, 2.0, 3.0, 4.5)
    assert parse_values("2", ()) == (2.0,)
    with pytest.raises(FieldError, match="4 elements, and 1 values"):
        parse_values("1", (2, 2))
    with pytest.raises(FieldError, match="a is not a number"):
        parse_values("1 a", (2,))


def test_values_come_back_as_they_were() -> None:
    values = (1.0, -0.1, 1e-30, 3.141592653589793)
    assert parse_values(values_text(values), (4,)) == values


def test_only_literals_are_taken(qapp: QApplication) -> None:
    assert parse_literal(" (1, 'a') ") == "(1, 'a')"
    for text in ("", "print(1)", "x", "1 +"):
        with pytest.raises(FieldError):
            parse_literal(text)
