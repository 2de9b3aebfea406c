"""Values as rows of the box below the current line."""

from __future__ import annotations

from gradviz.viewer.source.value_text import wrap_values

MATRIX = "y = 2×2×3 [[[0 1 2] [0 1 2]] [[3 4 5] [3 4 5]]]"


def test_a_short_value_takes_one_row() -> None:
    assert wrap_values(["y = 3", "z = None"], 20) == ("y = 3", "z = None")


def test_a_long_value_is_continued_after_a_row_of_its_matrix() -> None:
    assert wrap_values([MATRIX], 30) == (
        "y = 2×2×3 [[[0 1 2] [0 1 2]]",
        "  [[3 4 5] [3 4 5]]]",
    )


def test_what_does_not_fit_is_left_out_visibly() -> None:
    assert wrap_values([MATRIX], 12, 2) == ("y = 2×2×3", "  [[[0 1 2]…")
    assert wrap_values(["a" * 30], 10, 1) == ("a" * 9 + "…",)


def test_every_value_has_a_row_before_a_long_one_has_a_second() -> None:
    assert wrap_values([MATRIX, "z = 1"], 30, 2) == (MATRIX[:29] + "…", "z = 1")
    assert wrap_values(["a = 1", "b = 2", "c = 3"], 30, 2) == ("a = 1", "b = 2,  c = 3")
