"""Longest common subsequences: ordered, matched by key, maximal and symmetric."""

from __future__ import annotations

from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from gradviz.analysis.compare.common_subsequence import match_sequences

KEYS = st.lists(st.sampled_from(["a", "b", "c", None]), max_size=9)


def longest(left: list[str | None], right: list[str | None]) -> int:
    """The length of the longest common subsequence, by its definition."""

    @cache
    def rest(one: int, other: int) -> int:
        if one == len(left) or other == len(right):
            return 0
        best = max(rest(one + 1, other), rest(one, other + 1))
        if left[one] is not None and left[one] == right[other]:
            best = max(best, 1 + rest(one + 1, other + 1))
        return best

    return rest(0, 0)


@given(KEYS, KEYS)
def test_it_is_a_longest_common_subsequence(
    left: list[str | None], right: list[str | None]
) -> None:
    found = match_sequences(left, right)
    assert found == sorted(found)
    assert len({one for one, _ in found}) == len({other for _, other in found}) == len(found)
    assert [other for _, other in found] == sorted(other for _, other in found)
    assert all(left[one] is not None and left[one] == right[other] for one, other in found)
    assert len(found) == longest(left, right)


@given(KEYS, KEYS)
def test_swapping_the_sides_swaps_the_pairs(
    left: list[str | None], right: list[str | None]
) -> None:
    assert match_sequences(right, left) == [
        (other, one) for one, other in match_sequences(left, right)
    ]


def test_long_sequences_are_paired_in_order_too() -> None:
    left: list[str | None] = [f"op {number % 700}" for number in range(20_000)]
    right = [key for at, key in enumerate(left) if at % 997]
    right.insert(5_000, "another")
    found = match_sequences(left, right)
    assert found == sorted(found)
    assert [other for _, other in found] == sorted(other for _, other in found)
    assert all(left[one] == right[other] for one, other in found)
    assert len(found) > 19_000
