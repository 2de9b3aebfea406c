"""Where the cells of a plane are, which are visible, and what a layout of them is made of.

`QPainter` and SVG each draw these few shapes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from gradviz.drawing.appearance.color_map import ColorBytes
from gradviz.drawing.geometry.rect import Rect


@dataclass(frozen=True, slots=True, kw_only=True)
class CellGrid:
    """Equally large cells in units of a drawing.

    Attributes:
        x: Left edge of the first column.
        y: Upper edge of the first row.
        width: Width of a cell.
        height: Height of a cell.
        rows: Visible rows.
        columns: Visible columns.
        pixels: Pixels of the screen in a unit, across and down; None in a vector drawing.
        whole: Whether the edges of cells are rounded to whole units.
    """

    x: float
    y: float
    width: float
    height: float
    rows: range
    columns: range
    pixels: tuple[float, float] | None = None
    whole: bool = False

    @property
    def side(self) -> float:
        """The shorter side of a cell."""
        return min(self.width, self.height)

    def rect(self, row: int, column: int) -> Rect:
        """Rectangle of a cell."""
        return self.span(range(row, row + 1), range(column, column + 1))

    def span(self, rows: range, columns: range) -> Rect:
        """Rectangle of a block of cells."""
        left, right = self.x + columns.start * self.width, self.x + columns.stop * self.width
        top, bottom = self.y + rows.start * self.height, self.y + rows.stop * self.height
        if self.whole:
            # Each edge is rounded by itself, so that neighbors share it without a gap.
            left, top, right, bottom = (float(round(each)) for each in (left, top, right, bottom))
        return Rect(x=left, y=top, width=right - left, height=bottom - top)

    @property
    def box(self) -> Rect:
        """Rectangle of all visible cells."""
        return self.span(self.rows, self.columns)

    def at(self, x: float, y: float) -> tuple[int, int] | None:
        """Row and column of the cell at a place; None outside the visible cells."""
        row = math.floor((y - self.y) / self.height)
        column = math.floor((x - self.x) / self.width)
        return (row, column) if row in self.rows and column in self.columns else None


def grid_in(
    box: Rect, shape: tuple[int, int], pixels: tuple[float, float] | None = None
) -> CellGrid:
    """The grid whose cells fill a box.

    Args:
        box: The box.
        shape: Rows and columns, of which there is at least one each.
        pixels: See `CellGrid`.
    """
    rows, columns = shape
    return CellGrid(
        x=box.x,
        y=box.y,
        width=box.width / columns,
        height=box.height / rows,
        rows=range(rows),
        columns=range(columns),
        pixels=pixels,
    )


def seen_range(start: float, stop: float, size: int) -> range:
    """Positions visible between two coordinates; each position covers ±0.5 around itself.

    Args:
        start: First coordinate.
        stop: Last coordinate.
        size: Number of positions.
    """
    first = max(0, math.floor(start + 0.5))
    return range(first, max(first, min(size, math.ceil(stop + 0.5))))


def grown(box: Rect, side: float) -> Rect:
    """Grow a box around its center to sides of at least that length."""
    more_x, more_y = max(0.0, side - box.width) / 2, max(0.0, side - box.height) / 2
    return widened(box, more_x, more_y)


def widened(box: Rect, x: float, y: float | None = None) -> Rect:
    """Move the edges of a box outward, or inward if the distance is negative."""
    y = x if y is None else y
    return Rect(x=box.x - x, y=box.y - y, width=box.width + 2 * x, height=box.height + 2 * y)


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
