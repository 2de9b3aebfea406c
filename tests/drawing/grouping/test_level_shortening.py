"""Repetitions are found completely, once, and in the right number."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.drawing.grouping.level_shortening import LEAST_SAVED, LEAST_TIMES, find_repetitions


def found(tokens: str, lines: list[int] | None = None) -> list[tuple[int, int, int]]:
    runs = find_repetitions([ord(each) for each in tokens], lines)
    return [(run.start, run.period, run.times) for run in runs]


@pytest.mark.parametrize(
    ("tokens", "runs"),
    [
        ("", []),
        ("abcdefgh", []),
        ("aaaaaaa", [(0, 1, 7)]),
        ("aaaaaa", []),
        ("abcabcabcabc", [(0, 3, 4)]),
        ("xxabababababzz", [(2, 2, 5)]),
        ("abababab" + "cccccccccc", [(0, 2, 4), (8, 1, 10)]),
        # The inner repetition saves less than the outer one, which holds it.
        ("aaab" * 4, [(0, 4, 4)]),
        # What is left of a repetition that another one cuts is looked at again.
        ("ababababab" + "aaaaaaaaaaaaaaaaaaaa", [(0, 2, 5), (10, 1, 20)]),
    ],
)
def test_repetitions_from_left_to_right(tokens: str, runs: list[tuple[int, int, int]]) -> None:
    assert found(tokens) == runs


def test_an_iteration_begins_at_the_first_source_line() -> None:
    # Line 3 ends the loop's body; the first turn lacks its first item.
    assert found("bcabcabcabcabc", [2, 3, *[1, 2, 3] * 4]) == [(2, 3, 4)]


def test_without_source_lines_the_last_or_the_first_iterations_are_complete() -> None:
    assert found("bcabcabcabcabc", [7] * 14) == [(2, 3, 4)]
    assert found("bcabcabcabcabc", [0] * 14) == [(0, 3, 4)]


def test_ten_thousand_items_take_no_time() -> None:
    start = time.process_time()
    assert found("abcdefg" * 1500) == [(0, 7, 1500)]
    assert find_repetitions(list(range(10_000))) == []
    assert time.process_time() - start < 2.0


@given(st.lists(st.integers(0, 3), max_size=80))
def test_what_is_found_is_there_and_none_overlaps_another(tokens: list[int]) -> None:
    end = 0
    for run in find_repetitions(tokens):
        assert run.start >= end
        end = run.stop
        turn = tokens[run.start : run.start + run.period]
        assert tokens[run.start : run.stop] == turn * run.times
        assert run.times >= LEAST_TIMES
        assert run.saved >= LEAST_SAVED
    assert end <= len(tokens)
