"""Which part of the run the timeline shows: all of it, or what was zoomed into."""

from __future__ import annotations

from dataclasses import dataclass

LEAST_STEPS = 6.0
"""Zooming in ends where so few steps fill the width."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A range of a run of ``count`` steps; step ``n`` reaches from ``n - 1`` to ``n``.

    Attributes:
        count: How many steps the run has.
        start: Where the range begins, from 0.
        end: Where it ends, up to ``count``.
    """

    count: int
    start: float
    end: float

    @property
    def length(self) -> float:
        """How many steps fit into it."""
        return self.end - self.start

    @property
    def is_all(self) -> bool:
        """Whether it is the whole run."""
        return self.length >= self.count

    def zoomed(self, factor: float, place: float) -> Span:
        """A range ``factor`` times as long, in which ``place`` is as far from the left as here."""
        least = min(LEAST_STEPS, float(self.count))
        length = max(least, min(self.length * factor, float(self.count)))
        part = (place - self.start) / self.length
        return self._from(place - part * length, length)

    def moved(self, steps: float) -> Span:
        """The same length, further on; as far as the run goes."""
        return self._from(self.start + steps, self.length)

    def showing(self, number: int) -> Span:
        """This range, moved as little as needed so that a step is well within it."""
        margin = min(self.length / 8, 3.0)
        low, high = max(0.0, number - 1 - margin), min(self.count, number + margin)
        if low < self.start:
            return self._from(low, self.length)
        if high > self.end:
            return self._from(high - self.length, self.length)
        return self

    def over(self, first: int, last: int) -> Span:
        """A range of these steps, or of the fewest that can be shown around them."""
        length = max(min(LEAST_STEPS, float(self.count)), last - first + 1.0)
        return self._from((first - 1 + last - length) / 2, length)

    def _from(self, start: float, length: float) -> Span:
        start = max(0.0, min(start, self.count - length))
        return Span(count=self.count, start=start, end=start + length)


def whole(count: int) -> Span:
    """The whole run."""
    return Span(count=count, start=0.0, end=float(max(1, count)))
