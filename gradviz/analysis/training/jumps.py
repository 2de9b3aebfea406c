"""What is a jump of a value over the iterations of a training."""

from __future__ import annotations

from collections.abc import Collection

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
