"""Rectangles and texts at their places."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.drawing.style import TextStyle


@dataclass(frozen=True, slots=True, kw_only=True)
class Rect:
    """A rectangle in points, y downwards; its corner is the upper left one."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedText:
    """A line of text at its place in the box.

    Attributes:
        text: Plain text.
        style: How it is set.
        x: Its left end, or its middle where ``centred``.
        baseline: From the box's upper edge.
        centred: What ``x`` means.
        width: As measured.
    """

    text: str
    style: TextStyle
    x: float
    baseline: float
    centred: bool
    width: float
