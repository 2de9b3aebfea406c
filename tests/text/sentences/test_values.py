"""Values in sentences: short, on one line, with the right article."""

from typing import Any

import numpy as np
import pytest

from gradviz.model.inside import StageRecord
from gradviz.model.item import Item, array_item, none_item, object_item
from gradviz.text.phrases import begins_with_vowel
from gradviz.text.sentences.values import (
    counted_list,
    named_value,
    short_text,
    some_of_items,
    some_of_list,
    unnamed_value,
)
from tests.inside_builder import part
from tests.text.sentences.stage_traces import FIRST, index_with, known, t, unknown

NOTHING: StageRecord = part("backward")
ARRAY = array_item("a", FIRST)

VALUES: list[tuple[Any, Item, str, str]] = [
    (known(np.zeros((2, 3))), t("x"), "x 2×3 (all zeros)", "a 2×3 tensor (all zeros)"),
    (known([[-1.5, -1.5]]), t("x"), "x 1×2 (all -1.5)", "a 1×2 tensor (all -1.5)"),
    (known([1.0, np.nan]), t("x"), "x [2]", "a [2] tensor"),
    (known(np.full(2, 1j)), t("x"), "x [2]", "a [2] tensor"),
    (known(np.zeros((0, 8))), t("x"), "x 0×8 (empty)", "an empty 0×8 tensor"),
    (known(np.arange(8)), t("x"), "x [8]", "an [8] tensor"),
    (known(np.arange(88.0).reshape(11, 8)), t("x"), "x 11×8", "an 11×8 tensor"),
    (known(np.nan), t("x"), "x = nan", "the scalar nan"),
    (known(np.array(False)), t("x"), "x = False", "the scalar False"),
    (known(np.array(7)), t("x"), "x = 7", "the scalar 7"),
    (known(np.array(-1j)), t("x"), "x = 0-1j", "the scalar 0-1j"),
    (known(1.0), t(""), "the scalar 1", "the scalar 1"),
    (unknown(()), t("x"), "x (a scalar)", "a scalar"),
    (unknown((18000,)), t("x"), "x [18000]", "an [18000] tensor"),
    (known(2.5), ARRAY, "a = 2.5", "the array 2.5"),
    (unknown(()), ARRAY, "a (a scalar)", "an array with one element"),
    (known(np.zeros(0)), ARRAY, "a [0] (empty)", "an empty [0] array"),
    (known(np.arange(8)), ARRAY, "a [8]", "an [8] array"),
    (known(np.arange(2)), ARRAY, "a [2]", "a [2] array"),
    (known(np.ones(8)), ARRAY, "a [8] (all ones)", "an [8] array (all ones)"),
    ((), none_item("bias"), "None for bias", "None"),
    ((), object_item("n", "3"), "n = 3", "3"),
    ((), object_item("", "3"), "3", "3"),
    (
        (),
        object_item("e", "builtins.ValueError object"),
        "e = builtins.ValueError object",
        "a ValueError object",
    ),
    ((), object_item("p", "os.DirEntry object"), "p = os.DirEntry object", "an os.DirEntry object"),
    ((), object_item("s", "'an object'"), "s = 'an object'", "'an object'"),
]


@pytest.mark.parametrize(("tensors", "item", "with_name", "without"), VALUES)
def test_value(tensors: Any, item: Item, with_name: str, without: str) -> None:
    index = index_with(NOTHING, tensors)
    assert (named_value(index, item), unnamed_value(index, item)) == (with_name, without)


def test_of_many_values_only_those_listed_are_put_into_words() -> None:
    seen: list[str] = []

    def phrase(index: object, item: Item) -> str:
        seen.append(item.name)
        return item.name

    items = [object_item(f"x{number}", "") for number in range(1_000)]
    text = some_of_items(index_with(part("forward")), items, phrase)
    assert text == some_of_list([each.name for each in items])
    assert seen == [each.name for each in items[: len(seen)]]
    assert len(seen) < 10


def test_fill_is_left_out_where_it_would_be_too_much() -> None:
    index = index_with(NOTHING, known(np.ones((2, 2))))
    assert named_value(index, t("x"), fill=False) == "x 2×2"


def test_texts_are_cut_on_one_line() -> None:
    assert short_text("a\n\t b   c") == "a b c"
    assert short_text("x" * 60) == "x" * 60
    assert short_text("x" * 61) == "x" * 59 + "…"
    assert short_text("a\x1b[31m\u202eb") == r"a\x1b[31m\u202eb"
    assert len(short_text(" " * 10_000_000 + "x")) <= 60


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (1, "0"),
        (2, "0 and 1"),
        (3, "0, 1 and 2"),
        (7, "0, 1, 2, 3, 4, 5 and 6"),
        (8, "0, 1, 2, 3, 4, 5 and 2 more"),
        (2006, "0, 1, 2, 3, 4, 5 and 2,000 more"),
    ],
)
def test_lists_are_cut(count: int, text: str) -> None:
    assert some_of_list([str(number) for number in range(count)]) == text


@pytest.mark.parametrize(
    ("shape", "vowel"),
    [
        *(("8", True), ("[8]", True), ("80×2", True), ("8000", True), ("11", True), ("18×1", True)),
        *(("11000", True), ("18500", True), ("800", True), ("11×11×1", True)),
        *(("1", False), ("1100", False), ("111", False), ("180", False), ("1×8", False)),
        *(("7", False), ("scalar", False), ("[1]", False), ("18", True), ("118000", False)),
    ],
)
def test_numbers_that_are_read_with_a_vowel_first(shape: str, vowel: bool) -> None:
    assert begins_with_vowel(shape) is vowel


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["a"], "a"),
        (["a", "b", "a"], "a (×2) and b"),
        (list("abcdefg"), "a, b, c, d, e, f and g"),
        ([*"abcdefg", "h", "h", "g"], "a, b, c, d, e, f and 4 more"),
    ],
)
def test_names_are_counted(names: list[str], text: str) -> None:
    assert counted_list(names) == text
