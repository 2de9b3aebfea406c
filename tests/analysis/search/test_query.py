"""Parsing search queries."""

from __future__ import annotations

import pytest

from gradviz.analysis.search.query import QueryError, read_query, shape_key


def fields(text: str) -> list[tuple[str, str]]:
    return [(term.field, term.text) for term in read_query(text).terms]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("", []),
        ("   ", []),
        ('""', []),
        ("Mul weight", [("any", "mul"), ("any", "weight")]),
        ('"a b" c', [("any", "a b"), ("any", "c")]),
        ("shape: 2x3", [("shape", "2x3")]),
        ("SHAPE:(2, 3) x", [("shape", "(2, 3)"), ("any", "x")]),
        ("size:[6]", [("shape", "[6]")]),
        ("dtype:torch.Float32", [("dtype", "float32")]),
        ("device:cuda:0", [("device", "cuda:0")]),
        ("op:Mul", [("name", "mul")]),
        ("kind:cu", [("kind", "custom")]),
        ("kind:accumulate", [("kind", "leaf")]),
        ("has:N", [("has", "nan")]),
        ("has:error", [("has", "problem")]),
        ("has NaN", [("has", "nan")]),
        ("step 12", [("step", "12")]),
        ("has", [("any", "has")]),
        ("step size", [("any", "step"), ("any", "size")]),
        ("torch::autograd", [("any", "torch::autograd")]),
        ('"cuda:0"', [("any", "cuda:0")]),
        ("/Mul|Add/ leaf", [("any", "Mul|Add"), ("any", "leaf")]),
        (r"/a\/b/", [("any", r"a\/b")]),
    ],
)
def test_terms(text: str, wanted: list[tuple[str, str]]) -> None:
    assert fields(text) == wanted


@pytest.mark.parametrize(
    ("text", "fits", "not_fits"),
    [
        ("2x3", [(2, 3)], [(3, 2), (2, 3, 4), (12, 3), (2, 33)]),
        ("2×3", [(2, 3)], [(2,)]),
        ("2,3", [(2, 3)], []),
        ("*x3", [(2, 3), (17, 3)], [(3,), (1, 2, 3)]),
        ("2x", [(2, 3), (2,), (2, 9, 9)], [(3, 2), (22, 1)]),
        ("...x3", [(3,), (1, 2, 3)], [(3, 1), (13,)]),
        ("2x...x4", [(2, 4), (2, 3, 4)], [(2,), (2, 44)]),
        ("6", [(6,)], [(6, 6), ()]),
        ("[6]", [(6,)], [(6, 6)]),
        ("(6,)", [(6,)], [(6, 6)]),
        ("scalar", [()], [(1,)]),
        ("()", [()], [(1,)]),
        ("*", [(9,)], [(), (9, 9)]),
        ("02x3", [(2, 3)], []),
    ],
)
def test_shapes(text: str, fits: list[tuple[int, ...]], not_fits: list[tuple[int, ...]]) -> None:
    (term,) = read_query(f"shape:{text}").terms
    assert term.pattern is not None
    assert all(term.pattern.fullmatch(shape_key(shape)) for shape in fits)
    assert not any(term.pattern.fullmatch(shape_key(shape)) for shape in not_fits)


@pytest.mark.parametrize(
    ("text", "is_shape"),
    [("2x3", True), ("(4, 5)", True), ("[6]", True), ("6", False), ("x", False)],
)
def test_a_plain_word_may_be_a_shape(text: str, is_shape: bool) -> None:
    (term,) = read_query(text).terms
    assert (term.sizes is not None) == is_shape


@pytest.mark.parametrize(("text", "range_"), [("12", (12, 12)), ("3-9", (3, 9)), ("9..3", (3, 9))])
def test_steps(text: str, range_: tuple[int, int]) -> None:
    (term,) = read_query(f"step:{text}").terms
    assert (term.first, term.last) == range_


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("color:red", "There is no field named color"),
        ("shape:", "as in shape:2x3"),
        ("has:", "as in has:nan"),
        ('name:""', "as in name:Mul"),
        ("shape:abc", "abc is not a shape"),
        ("shape:-1x2", "is not a shape"),
        ("kind:x", "x is not a kind"),
        ("has:weight", "not weight"),
        ("step:last", "last is not a step"),
        ("/Mul", "two slashes"),
        ("//", "two slashes"),
        ("/(/", "/(/ is invalid"),
        ("/(a+)+/", "too long"),
        ("/(a|aa)*b/", "too long"),
        ("/.*.*.*.*.*x/", "too long"),
        ("shape:/2/", "does not accept a regular expression"),
    ],
)
def test_a_wrong_search_gets_one_sentence(text: str, message: str) -> None:
    with pytest.raises(QueryError) as caught:
        read_query(text)
    assert message in str(caught.value)
    assert str(caught.value).endswith(".")
