"""Matching of two sequences by key, in order, as a longest common subsequence."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

SequenceKeys = Sequence[str | None]
IndexPairs = list[tuple[int, int]]

_MOST_CELLS = 200_000
"""Maximum table size for an exact result; longer sequences are split first."""


def match_sequences(left: SequenceKeys, right: SequenceKeys) -> IndexPairs:
    """Positions of matching entries with equal keys, ascending on both sides.

    Long sequences are first split at entries that are the ``n``-th of their key on both sides,
    which may not give the longest result. An entry without a key never matches. Swapping the two
    sides swaps each pair.
    """
    # The choice among results of equal length must not depend on which side is called left.
    if [key or "" for key in right] < [key or "" for key in left]:
        return [(one, other) for other, one in _match(right, left)]
    return _match(left, right)


def _match(left: SequenceKeys, right: SequenceKeys) -> IndexPairs:
    least = min(len(left), len(right))
    # Runs mostly agree at both ends; without those, the table below is small.
    start = 0
    while start < least and left[start] is not None and left[start] == right[start]:
        start += 1
    end = 0
    while end < least - start and left[-1 - end] is not None and left[-1 - end] == right[-1 - end]:
        end += 1
    middle = _middle(left[start : len(left) - end], right[start : len(right) - end])
    return [
        *((at, at) for at in range(start)),
        *((start + one, start + other) for one, other in middle),
        *((len(left) - at, len(right) - at) for at in range(end, 0, -1)),
    ]


def _middle(left: SequenceKeys, right: SequenceKeys) -> IndexPairs:
    if not left or not right:
        return []
    if len(left) * len(right) <= _MOST_CELLS:
        return _exactly(left, right)
    anchors = _anchors(left, right)
    found: IndexPairs = []
    before = (-1, -1)
    for anchor in [*anchors, (len(left), len(right))]:
        (one, other), (next_one, next_other) = before, anchor
        gap = (next_one - one - 1) * (next_other - other - 1)
        if 0 < gap <= _MOST_CELLS:
            inner = _exactly(left[one + 1 : next_one], right[other + 1 : next_other])
            found += [(one + 1 + at, other + 1 + to) for at, to in inner]
        found.append(anchor)
        before = anchor
    return found[:-1]


def _exactly(left: SequenceKeys, right: SequenceKeys) -> IndexPairs:
    """Longest common subsequence from the table of lengths of all suffixes."""
    lengths = [[0] * (len(right) + 1)]
    for key in reversed(left):
        below = lengths[-1]
        row = [0]
        for at, candidate in enumerate(reversed(right)):
            same = key is not None and key == candidate
            row.append(below[at] + 1 if same else max(below[at + 1], row[at]))
        lengths.append(row)
    found: IndexPairs = []
    one = other = 0
    while one < len(left) and other < len(right):
        rest, other_rest = len(left) - one, len(right) - other
        if left[one] is not None and left[one] == right[other]:
            found.append((one, other))
            one, other = one + 1, other + 1
        elif lengths[rest - 1][other_rest] >= lengths[rest][other_rest - 1]:
            one += 1
        else:
            other += 1
    return found


def _anchors(left: SequenceKeys, right: SequenceKeys) -> IndexPairs:
    """Longest ascending sequence of entries that are ``n``-th of their key on each side."""
    places = {key: at for at, key in enumerate(_counted(right)) if key is not None}
    shared = [
        (at, places[key])
        for at, key in enumerate(_counted(left))
        if key is not None and key in places
    ]
    ends: list[int] = []
    tails: list[int] = []
    previous = [-1] * len(shared)
    for number, (_, place) in enumerate(shared):
        at = bisect_left(ends, place)
        # The slice replaces the entry at this position, or appends one at the end.
        ends[at : at + 1] = [place]
        tails[at : at + 1] = [number]
        previous[number] = tails[at - 1] if at else -1
    found: IndexPairs = []
    number = tails[-1] if tails else -1
    while number >= 0:
        found.append(shared[number])
        number = previous[number]
    return found[::-1]


def _counted(keys: SequenceKeys) -> list[tuple[str, int] | None]:
    seen: dict[str, int] = {}
    counted: list[tuple[str, int] | None] = []
    for key in keys:
        if key is None:
            counted.append(None)
            continue
        seen[key] = seen.get(key, 0) + 1
        counted.append((key, seen[key]))
    return counted
