"""Text styles of a drawing, and the type of functions that measure text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

TextStyle = Literal["title", "line", "label", "mark", "code"]

Measure = Callable[[str, TextStyle], tuple[float, float]]
"""Function from a line of text and its style to its width and height, in points.

One point is one unit of the drawing.
"""

# Box widths come from Inter, so text in a wider fallback would stick out of its box.
FAMILIES = "Inter, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif"
"""Font families for exported drawings; no fallback is wider than the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Font:
    """Font of a text style.

    Attributes:
        family: Family of a font in ``resources/fonts``.
        file: Its file there.
        size: In points of the drawing (Qt: pixels at scale 1, which it rounds to whole ones).
        weight: As in CSS and Qt: 400 or 600.
    """

    family: str
    file: str
    size: int
    weight: int


FONTS: dict[TextStyle, Font] = {
    "title": Font(family="Inter", file="Inter-SemiBold.otf", size=13, weight=600),
    "line": Font(family="Inter", file="Inter-Regular.otf", size=11, weight=400),
    "label": Font(family="Inter", file="Inter-SemiBold.otf", size=11, weight=600),
    "mark": Font(family="Inter", file="Inter-SemiBold.otf", size=11, weight=600),
    "code": Font(family="Hack", file="Hack-Regular.ttf", size=11, weight=400),
}

BASELINE = 0.8
"""Position of the baseline in a line of text, as a fraction of its height from the top."""
