"""Heights of the timeline's parts: phase labels, the band of steps, and the marks below."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.viewer.theme.theme import Theme

SIDE = 4.0
"""Margin at each end, in pixels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineMetrics:
    """Heights in pixels, from top to bottom.

    Attributes:
        label: Height of the phase labels.
        band: Height of the row of steps.
        marks: Height of the row of marks.
        letters: Font size of the labels, before the theme's scale factor.
    """

    label: float
    band: float
    marks: float
    letters: int

    @property
    def height(self) -> int:
        """The total height."""
        return round(self.label + self.band + self.marks) + 2

    @property
    def labeled(self) -> bool:
        """Whether there is space for the phase labels."""
        return self.label >= self.letters

    @property
    def middle(self) -> float:
        """The vertical center of the steps."""
        return self.label + self.band / 2


def timeline_metrics(theme: Theme, *, slim: bool) -> TimelineMetrics:
    """Return the heights for a theme; at slim height, there are no phase labels."""
    label, band, marks = (3, 16, 9) if slim else (14, 23, 12)
    return TimelineMetrics(
        label=float(theme.px(label)),
        band=float(theme.px(band)),
        marks=float(theme.px(marks)),
        letters=11,
    )
