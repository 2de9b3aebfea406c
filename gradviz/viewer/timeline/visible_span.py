"""The visible part of the run, and the heights of what the timeline shows of it."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.viewer.theme.theme import Theme

LEAST_STEPS = 6.0
"""Minimum number of visible steps when zoomed in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VisibleSpan:
    """A range in a run of ``count`` steps; step ``n`` extends from ``n - 1`` to ``n``.

    Attributes:
        count: Number of steps in the run.
        start: Start of the range, from 0.
        end: End of the range, at most ``count``.
    """

    count: int
    start: float
    end: float

    @property
    def length(self) -> float:
        """The length of the range, in steps."""
        return self.end - self.start

    @property
    def is_all(self) -> bool:
        """Whether the range is the whole run."""
        return self.length >= self.count

    def zoomed(self, factor: float, place: float) -> VisibleSpan:
        """Return a range ``factor`` times as long, with ``place`` at the same relative position."""
        least = min(LEAST_STEPS, float(self.count))
        length = max(least, min(self.length * factor, float(self.count)))
        part = (place - self.start) / self.length
        return self._from(place - part * length, length)

    def moved(self, steps: float) -> VisibleSpan:
        """Return the range shifted by a number of steps, limited to the run."""
        return self._from(self.start + steps, self.length)

    def showing(self, number: int) -> VisibleSpan:
        """Return the range, shifted as little as needed to show a step with some margin."""
        margin = min(self.length / 8, 3.0)
        low, high = max(0.0, number - 1 - margin), min(self.count, number + margin)
        if low < self.start:
            return self._from(low, self.length)
        if high > self.end:
            return self._from(high - self.length, self.length)
        return self

    def over(self, first: int, last: int) -> VisibleSpan:
        """Return the range of these steps, widened if they are too few to show."""
        length = max(min(LEAST_STEPS, float(self.count)), last - first + 1.0)
        return self._from((first - 1 + last - length) / 2, length)

    def _from(self, start: float, length: float) -> VisibleSpan:
        start = max(0.0, min(start, self.count - length))
        return VisibleSpan(count=self.count, start=start, end=start + length)


def whole_span(count: int) -> VisibleSpan:
    """Return the range of the whole run."""
    return VisibleSpan(count=count, start=0.0, end=float(max(1, count)))


SIDE = 4.0
"""Margin at each end, in pixels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineMetrics:
    """Heights in pixels, from top to bottom.

    Attributes:
        label: Height of the phase labels.
        band: Height of the row of steps.
        marks: Height of the row of marks.
    """

    label: float
    band: float
    marks: float

    @property
    def height(self) -> int:
        """The total height."""
        return round(self.label + self.band + self.marks) + 2

    @property
    def middle(self) -> float:
        """The vertical center of the steps."""
        return self.label + self.band / 2


def timeline_metrics(theme: Theme) -> TimelineMetrics:
    """Return the heights for a theme."""
    return TimelineMetrics(
        label=float(theme.px(14)),
        band=float(theme.px(23)),
        marks=float(theme.px(12)),
    )
