"""Tells a leak from noise and from caches that fill up, given samples at regular intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import median

_WARM_UP = 0.25
"""Share of the samples, from the start, in which caches fill and panels are created."""
LEAST = 8
"""With fewer samples there is no verdict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """How much a quantity may grow from the first to the last third of the samples.

    Attributes:
        absolute: In the quantity's own unit.
        share: Of its value in the first third; the larger of both counts.
    """

    absolute: float
    share: float = 0.0

    def of(self, value: float) -> float:
        """The allowed growth of a quantity with this value."""
        return max(self.absolute, self.share * value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Growth:
    """A quantity that grew more than allowed.

    Attributes:
        name: The quantity.
        first: Its median in the first third after the warm-up.
        last: Its median in the last third.
    """

    name: str
    first: float
    last: float

    def text(self) -> str:
        """One line for people."""
        return f"{self.name} grew from {self.first:,.0f} to {self.last:,.0f}"


def find_growth(name: str, values: Sequence[float], allowance: Allowance) -> Growth | None:
    """Return how much a quantity grew if that is a leak; None otherwise.

    Three estimates of the growth must all exceed the allowance, so that neither a few odd samples
    nor a cache that fills up and then stays full counts: the difference of the medians of the first
    and last third, the median slope between any two samples (Theil-Sen), and twice the growth since
    the middle third.
    """
    kept = values[round(_WARM_UP * len(values)) :]
    if len(values) < LEAST:
        return None
    third = len(kept) // 3
    first, last = median(kept[:third]), median(kept[-third:])
    middle = median(kept[third:-third])
    slopes = [(b - a) / (j - i) for (i, a), (j, b) in combinations(enumerate(kept), 2)]
    by_slope = median(slopes) * (len(kept) - third)
    least = min(last - first, by_slope, 2 * (last - middle))
    return Growth(name=name, first=first, last=last) if least > allowance.of(first) else None


def find_all_growth(
    series: Mapping[str, Sequence[float]], allowances: Mapping[str, Allowance]
) -> list[Growth]:
    """Return the quantities that grew, the largest relative growth first.

    Args:
        series: The samples of each quantity.
        allowances: By the start of the quantity's name, up to the first colon.
    """
    found = [
        find_growth(name, values, allowances[name.partition(":")[0]])
        for name, values in series.items()
    ]
    grown = [each for each in found if each is not None]
    return sorted(grown, key=lambda each: -each.last / max(1.0, each.first))
