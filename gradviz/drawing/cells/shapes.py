"""What a layout of cells is made of; `QPainter` and SVG each draw these few shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gradviz.drawing.appearance.color_map import ColorBytes
from gradviz.drawing.geometry.rect import Rect

Segment = tuple[float, float, float, float]
"""A line from x, y to x, y."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CellImage:
    """Colors that fill a box, without smoothing, which would mix them into those of other values.

    Attributes:
        box: Where they are.
        colors: ``[rows, columns, 3]``, or with an opacity ``[rows, columns, 4]``.
    """

    box: Rect
    colors: ColorBytes


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CellAreas:
    """Boxes in one color, ``#rrggbb``, with sharp edges."""

    boxes: Sequence[Rect]
    fill: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CellLines:
    """Lines in one color, ``#rrggbb``; upright and level ones have sharp edges."""

    lines: Sequence[Segment]
    ink: str
    width: float = 1.0
    opacity: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CellTriangles:
    """Triangles, each of three points, in one color with an edge in another or without."""

    corners: Sequence[tuple[tuple[float, float], ...]]
    fill: str
    edge: str = "none"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CellTexts:
    """Texts of one size, each centered in its cell, with its color ``#rrggbb``."""

    texts: Sequence[tuple[Rect, str, str]]
    size: float


CellShape = CellImage | CellAreas | CellLines | CellTriangles | CellTexts
