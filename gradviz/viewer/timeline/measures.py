"""How high the parts of the timeline are: a name above, the steps, and their marks below."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.viewer.look.theme import Theme

SIDE = 4.0
"""Pixels left free at each end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """Heights in pixels, from the top.

    Attributes:
        label: Of the names of the phases.
        band: Of the row of steps.
        marks: Of what stands below it.
        letters: Of the type of the names, before the theme's factor.
    """

    label: float
    band: float
    marks: float
    letters: int

    @property
    def height(self) -> int:
        """Of everything."""
        return round(self.label + self.band + self.marks) + 2

    @property
    def middle(self) -> float:
        """Where the dots are."""
        return self.label + self.band / 2


def measures(theme: Theme, *, slim: bool) -> Measures:
    """The heights for a theme; slim ones leave the room to what else there is."""
    label, band, marks = (16, 15, 9) if slim else (18, 28, 14)
    return Measures(
        label=float(theme.px(label)),
        band=float(theme.px(band)),
        marks=float(theme.px(marks)),
        letters=11,
    )
