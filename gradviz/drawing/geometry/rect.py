"""Rectangles and texts with their positions."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.drawing.appearance.text_styles import TextStyle

Point = tuple[float, float]
"""x and y in points, y downwards."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rect:
    """A rectangle in points, y downwards; x and y are its upper left corner."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """The x of its right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """The y of its lower edge."""
        return self.y + self.height

    @property
    def center(self) -> Point:
        """Its middle."""
        return self.x + self.width / 2, self.y + self.height / 2

    def grown(self, by: float) -> Rect:
        """The rectangle with each edge moved outward."""
        return Rect(
            x=self.x - by, y=self.y - by, width=self.width + 2 * by, height=self.height + 2 * by
        )

    def placed(self, inner: Rect) -> Rect:
        """A rectangle that is given from this one's upper left corner."""
        return Rect(x=self.x + inner.x, y=self.y + inner.y, width=inner.width, height=inner.height)


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

    @property
    def left(self) -> float:
        """Left end of the text."""
        return self.x - self.width / 2 if self.centred else self.x
