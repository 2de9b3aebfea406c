"""The text styles of a picture, and the kind of function that measures text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

TextStyle = Literal["title", "line", "label", "mark"]

Measure = Callable[[str, TextStyle], tuple[float, float]]
"""Width and height of one line of text in a style, in points; 1 point is 1 unit of the picture."""

FAMILIES = "Inter, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif"
"""For pictures that are shown elsewhere: none that comes after the first is wider than it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Font:
    """How a style is set.

    Attributes:
        family: Of a font in ``resources/fonts``.
        file: Its file there.
        size: In points of the picture (Qt: pixels at scale 1).
        weight: As CSS and Qt count: 400 or 600.
    """

    family: str
    file: str
    size: float
    weight: int


FONTS: dict[TextStyle, Font] = {
    "title": Font(family="Inter", file="Inter-SemiBold.otf", size=13, weight=600),
    "line": Font(family="Inter", file="Inter-Regular.otf", size=10.5, weight=400),
    "label": Font(family="Inter", file="Inter-SemiBold.otf", size=10.5, weight=600),
    "mark": Font(family="Inter", file="Inter-SemiBold.otf", size=9, weight=600),
}

BASELINE = 0.8
"""Where the baseline lies in a line of text, as a part of its height from the top."""
