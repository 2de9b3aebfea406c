"""Tensors from pasted text: the right elements and shape, or one error message."""

from __future__ import annotations

import math

import pytest

from gradviz.model.element_encoding import read_number
from gradviz.viewer.forms.controls import FieldError
from gradviz.viewer.inputs.elements.pasted_tensor import parse_pasted, placed
from gradviz.viewer.inputs.elements.typed_cells import TypedCells

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.mark.parametrize(
    ("text", "shape", "numbers"),
    [
        ("tensor([[1., 2.],[3., 4.]])", (2, 2), [1, 2, 3, 4]),
        ("tensor([[1., 2.],\n        [3., 4.]], dtype=torch.float64)", (2, 2), [1, 2, 3, 4]),
        ("tensor([1., -2.], grad_fn=<AddBackward0>)", (2,), [1, -2]),
        ("tensor([0.5], device='cuda:0', requires_grad=True)", (1,), [0.5]),
        ("tensor(3)", (), [3]),
        ("torch.tensor([True, False])", (2,), [1, 0]),
        ("tensor([], size=(0, 3))", (0, 3), []),
        ("tensor([1.5000+2.0000e+00j, -0.0000-1.0000e-05j])", (2,), [1.5 + 2j, -1e-5j]),
        ("[[1, 2], [3, 4]]", (2, 2), [1, 2, 3, 4]),
        ("((1, 2), (3, 4),)", (2, 2), [1, 2, 3, 4]),
        ("[(1+2j), 3]", (2,), [1 + 2j, 3]),
        ("[[[1], [2]]]", (1, 2, 1), [1, 2]),
        ("[]", (0,), []),
        ("torch.tensor([-torch.inf, 1.5])", (2,), [float("-inf"), 1.5]),
        ("[complex(1, -torch.inf), complex(0.0, 2)]", (2,), [complex(1, -math.inf), 2j]),
        ("[[1. 2.]\n [3. 4.]]", (2, 2), [1, 2, 3, 4]),
        ("array([[1., inf],\n       [3., 4.]], dtype=float32)", (2, 2), [1, float("inf"), 3, 4]),
        ("np.array([1e-3, -inf])", (2,), [0.001, float("-inf")]),
        ("[1.+2.j 0. -1.j]", (2,), [1 + 2j, -1j]),
        ("array([1.5+2.j , 0. -1.j ])", (2,), [1.5 + 2j, -1j]),
        ("[1, -2j]", (2,), [1, -2j]),
        ("1\t2\n3\t4\n", (2, 2), [1, 2, 3, 4]),
        ("1,2\r\n3,4\r\n", (2, 2), [1, 2, 3, 4]),
        ("1;2\n3;4", (2, 2), [1, 2, 3, 4]),
        ("1 2 3", (1, 3), [1, 2, 3]),
        ('"1"\t"2"', (1, 2), [1, 2]),
        ("5", (1, 1), [5]),
        ("(1+2j)", (1, 1), [1 + 2j]),
    ],
)
def test_what_people_copy_is_read(
    text: str, shape: tuple[int, ...], numbers: list[complex]
) -> None:
    pasted = parse_pasted(text)
    assert pasted.cells.shape == shape
    assert [read_number(each) for each in pasted.cells.texts] == numbers
    assert pasted.whole == (text[0] in "[tan" or text.startswith("(("))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "contains no text"),
        ("hello", "hello in the pasted text is not a number"),
        ("tensor([1, ..., 3])", "omits elements"),
        ("[1, 2", "missing a closing bracket"),
        ("[1, 2]]", "] in the pasted text"),
        ("[[1], [2, 3]]", "lists in the pasted text have different lengths"),
        ("[1, [2]]", "lists in the pasted text have different lengths"),
        ("[1,,2]", ", in the pasted text is not a number"),
        ("1\t2\n3", "lines of the pasted text have different lengths"),
        ("1\t\n", "An element in the pasted text is empty"),
        ("1,5\t2", "1,5: use a decimal point"),
        ("tensor([1]) tensor([2])", "is not a number"),
        ("tensor([1, 2], size=(3,))", "is not a number"),
        ("[" * 10_000, "at most 32 dimensions"),
        (
            str(list(range(4097))),
            "The pasted text has 4,097 elements; the grid can hold up to 4,096",
        ),
        ("1" * 1_000_001, "too long"),
    ],
)
def test_what_cannot_be_read_gets_a_sentence(text: str, words: str) -> None:
    with pytest.raises(FieldError) as caught:
        parse_pasted(text)
    assert words in str(caught.value)


def cells(shape: tuple[int, ...]) -> TypedCells:
    count = 1
    for size in shape:
        count *= size
    return TypedCells(shape=shape, texts=("0",) * count)


def put(
    text: str, into: tuple[int, ...], at: tuple[int, int] = (0, 0), plane: tuple[int, ...] = ()
) -> TypedCells:
    return placed(parse_pasted(text), cells(into), plane, at)


def test_a_block_goes_where_the_cursor_is() -> None:
    assert put("1\t2", (2, 3), (1, 1)).texts == ("0", "0", "0", "0", "1", "2")
    assert put("1\n2", (2, 2, 2), (0, 1), (1,)).texts == ("0",) * 5 + ("1", "0", "2")
    assert put("7", (), (0, 0)) == TypedCells(shape=(), texts=("7",))


def test_a_larger_block_at_the_first_place_gives_the_shape() -> None:
    assert put("1\t2\n3\t4", (2, 1)) == TypedCells(shape=(2, 2), texts=("1", "2", "3", "4"))
    assert put("1\t2\t3", (2,)) == TypedCells(shape=(3,), texts=("1", "2", "3"))
    assert put("1\n2\n3", (2,)) == TypedCells(shape=(3,), texts=("1", "2", "3"))
    assert put("1\t2", ()) == TypedCells(shape=(1, 2), texts=("1", "2"))


def test_a_column_fills_a_vector() -> None:
    assert put("1\n2", (3,), (0, 1)).texts == ("0", "1", "2")


def test_a_whole_tensor_replaces_all() -> None:
    assert put("[[1, 2]]", (2, 2, 2), (1, 1), (0,)) == TypedCells(shape=(1, 2), texts=("1", "2"))


@pytest.mark.parametrize("into", [(2, 2), (2, 2, 2)])
def test_a_block_that_does_not_fit_is_refused(into: tuple[int, ...]) -> None:
    with pytest.raises(FieldError, match=r"2 × 1 elements does not fit at \[1, 0\]"):
        put("1\n2", into, (1, 0), (0,) * (len(into) - 2))
