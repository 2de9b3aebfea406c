"""What is a jump of a value over the iterations of a training."""

from __future__ import annotations

from collections.abc import Collection

from gradviz.model.settings.recording_scope import SAMPLED_AT_ONCE, PassRange

LEAST_BEFORE, MOST_BEFORE = 3, 8
"""Numbers of earlier values that a value is compared with."""

_FACTOR = 4.0


def is_jump(size: float, before: Collection[float]) -> bool:
    """Whether a value is at least four times as large as each of some earlier ones.

    Args:
        size: Its size, which is not negative.
        before: Sizes of the values before it; fewer than three tell nothing.
    """
    return len(before) >= LEAST_BEFORE and 0 < max(before) * _FACTOR <= size


def passes_around(last: int, count: int) -> PassRange:
    """The passes of a sample that shows what has led to an iteration.

    The values of the iteration, and of the update before it, can be compared with all before them.

    Args:
        last: Number of the last pass of the iteration.
        count: How many passes an iteration has.
    """
    first = max(1, last - (MOST_BEFORE + 3) * count + 1)
    rows = (1, SAMPLED_AT_ONCE), (first, last + 2 * count)
    return PassRange(is_sampled=True, rows=rows)
