"""Rectangles and texts with their positions."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.drawing.appearance.text_styles import TextStyle


@dataclass(frozen=True, slots=True, kw_only=True)
class Rect:
    """A rectangle in points, y downwards; x and y are its upper left corner."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedText:
    """A line of text with its position in the box.

    Attributes:
        text: Plain text.
        style: Text style.
        x: Left end of the text, or its center if ``centred``.
        baseline: Distance from the box's upper edge.
        centred: Meaning of ``x``.
        width: Measured width.
    """

    text: str
    style: TextStyle
    x: float
    baseline: float
    centred: bool
    width: float
