"""A plane prepared for drawing: its colors, marks and coarser levels, made once for any size."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from gradviz.drawing.appearance.color_map import (
    ColorBytes,
    HeatValues,
    color_values,
    colors_of_values,
    current_color_map,
    dark_ink_on,
    has_negative_color,
)
from gradviz.drawing.appearance.palette import PaletteTheme
from gradviz.drawing.cells.cell_grid import CellGrid, CellImage
from gradviz.drawing.cells.cell_marks import CellMarks, PooledHeat
from gradviz.drawing.cells.cell_numbers import (
    WriteNumbers,
    dotted_zeros,
    excess_numbers,
    measured_numbers,
    plain_numbers,
)
from gradviz.drawing.cells.plane import Plane, first_cut
from gradviz.drawing.geometry.rect import Rect

ColorScale = Literal["signed", "tolerance"]

_ZERO_GREY: dict[PaletteTheme, tuple[int, int, int]] = {
    "light": (204, 208, 215),
    "dark": (86, 92, 106),
}
"""Color of exact zeros while they are highlighted."""

LEAST_DECADE, MOST_DECADE = -3.0, 3.0
"""Lower end and minimum upper end of the tolerance scale, as powers of ten."""

# The contrast with the background grows with the distance, so that the map works in grayscale.
_INSIDE: dict[PaletteTheme, HeatValues] = {
    "light": np.array([(240, 246, 241), (196, 221, 203), (158, 202, 172)], dtype=np.float64),
    "dark": np.array([(28, 34, 31), (32, 50, 40), (36, 68, 52)], dtype=np.float64),
}
_OUTSIDE: dict[PaletteTheme, HeatValues] = {
    "light": np.array([(226, 116, 62), (178, 48, 62), (98, 12, 74), (44, 4, 44)], dtype=np.float64),
    "dark": np.array(
        [(176, 76, 40), (226, 122, 62), (248, 184, 108), (255, 238, 204)], dtype=np.float64
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CellColors:
    """The colors of a plane of cells.

    Attributes:
        limit: End of the scale: the largest magnitude, or the largest multiple of the tolerance.
        scale: ``signed`` as in all heatmaps; ``tolerance`` for values from 0, with a break at 1.
        zeros: Whether exact zeros are gray.
    """

    limit: float
    scale: ColorScale = "signed"
    zeros: bool = False

    def of(self, heat: HeatValues, theme: PaletteTheme) -> ColorBytes:
        """Colors of elements, ``[..., 3]``."""
        if self.scale == "signed":
            colors = colors_of_values(heat, self.limit, theme)
        else:
            colors = tolerance_colors(heat, self.limit, theme)
        if self.zeros:
            colors[heat == 0] = _ZERO_GREY[theme]
        return colors


def decades_of(limit: float) -> float:
    """Upper end of the tolerance scale as a power of ten."""
    largest = limit if np.isfinite(limit) and limit > 0 else 1.0
    return float(max(MOST_DECADE, np.ceil(np.log10(largest))))


def tolerance_colors(
    excess: npt.NDArray[np.floating], limit: float, theme: PaletteTheme
) -> ColorBytes:
    """Green within the tolerance, orange and stronger outside it, on a logarithmic scale."""
    with np.errstate(divide="ignore", invalid="ignore"):
        # NaN counts as far outside; zero becomes -inf, which the clipping below handles.
        decades = np.log10(np.nan_to_num(excess, nan=np.inf))
    inside = np.clip(1 - decades / LEAST_DECADE, 0, 1)
    outside = np.clip(decades / decades_of(limit), 0, 1)
    green, red = _between(_INSIDE[theme], inside), _between(_OUTSIDE[theme], outside)
    chosen: ColorBytes = np.where((excess <= 1)[..., None], green, red)
    return chosen


def _between(stops: npt.NDArray[np.float64], places: npt.NDArray[np.floating]) -> ColorBytes:
    at = np.linspace(0, 1, len(stops))
    channels = [np.interp(places, at, stops[:, channel]) for channel in range(3)]
    made: ColorBytes = np.rint(np.stack(channels, axis=-1)).astype(np.uint8)
    return made


_MOST_AT_ONCE = 1 << 18
"""Maximum size of a level colored as a whole; of others only the visible part is."""

_MOST_POOLED = 1 << 20
"""Maximum size of a level that is pooled further when it is drawn."""

_VECTOR_PIXELS = 600
"""Pixels on each side of an image in a vector drawing: some programs would blur fewer."""

MOST_SHAPES = 576
"""Planes of more cells are an image in a vector drawing, too."""

_COARSEST = 256
"""Longer side of the coarsest level that is prepared; others are quickly made."""

_HATCH, _HATCH_STRENGTH = 6, 0.3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Cells:
    """A plane prepared for drawing.

    Attributes:
        plane: The plane.
        colors: Its colors.
        pooled: Its heat at coarser levels.
        non_finite: Cells that are not finite.
        clipped: Finite cells beyond the end of the color scale.
        is_signed: Whether any value is below zero.
        is_measured: Whether its numbers have the noise of central differences.
        made: The latest images, by what they show.
    """

    plane: Plane
    colors: CellColors
    pooled: PooledHeat
    non_finite: CellMarks
    clipped: CellMarks
    is_signed: bool
    is_measured: bool
    made: dict[str, tuple[object, ColorBytes]]

    @property
    def heat(self) -> HeatValues:
        """The values that are shown as colors, ``[rows, columns]``."""
        return self.plane.heat

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.plane.rows, self.plane.columns

    @property
    def write(self) -> WriteNumbers:
        """How its numbers are written."""
        if self.colors.scale == "tolerance":
            return excess_numbers
        write = measured_numbers if self.is_measured else plain_numbers
        return dotted_zeros(write) if self.colors.zeros else write

    @property
    def values(self) -> npt.NDArray[Any]:
        """The numbers in the cells, ``[rows, columns]``."""
        return self.plane.values

    def pool(self) -> None:
        """Prepare the coarser levels of a large plane."""
        level = _level(_COARSEST / max(1, *self.shape))
        self.pooled.at(level, level)

    def visible(self, grid: CellGrid) -> HeatValues:
        """The heat of the visible cells."""
        return _area(self.heat, grid.rows, grid.columns)

    def visible_values(self, grid: CellGrid) -> npt.NDArray[Any]:
        """The numbers of the visible cells."""
        return _area(self.plane.values, grid.rows, grid.columns)

    def block_size(self, grid: CellGrid) -> tuple[int, int]:
        """Rows and columns of the blocks that are drawn as one cell, as cells are too small."""
        rows, columns = self._levels(grid)
        return 1 << rows, 1 << columns

    def _levels(self, grid: CellGrid) -> tuple[int, int]:
        """The finest level of rows and of columns whose blocks are at least one pixel large."""
        across, down = grid.pixels or (1.0, 1.0)
        rows, columns = _level(grid.height * down), _level(grid.width * across)
        finer, coarser = min(rows, columns), max(rows, columns)
        # To pool much along one axis takes longer than a frame; both at once is prepared.
        if self.heat.size >> 2 * finer > _MOST_POOLED:
            return coarser, coarser
        return rows, columns

    def image(self, grid: CellGrid, theme: PaletteTheme) -> CellImage:
        """The colors of the visible cells, of the finest level with at least a pixel for each."""
        levels = self._levels(grid)
        heat = self.pooled.at(*levels)
        seen = grid.rows, grid.columns
        if heat.size <= _MOST_AT_ONCE:
            seen = range(self.plane.rows), range(self.plane.columns)
        blocks = [_blocks(each, level) for each, level in zip(seen, levels, strict=True)]
        key = (levels, str(blocks), theme)
        colors = self._latest("image", key, lambda: self.colors.of(_area(heat, *blocks), theme))
        if grid.pixels is None:
            return CellImage(box=grid.box, colors=self._repeated(colors, levels))
        left, width = grid.x + (blocks[1].start << levels[1]) * grid.width, grid.width
        top, height = grid.y + (blocks[0].start << levels[0]) * grid.height, grid.height
        box = Rect(
            x=left,
            y=top,
            width=(len(blocks[1]) << levels[1]) * width,
            height=(len(blocks[0]) << levels[0]) * height,
        )
        return CellImage(box=box, colors=colors)

    def _latest(self, what: str, key: object, make: Callable[[], ColorBytes]) -> ColorBytes:
        """An image; only the latest of a kind is kept, as it takes much memory."""
        key = key, current_color_map(), self.colors
        if what not in self.made or self.made[what][0] != key:
            self.made[what] = key, make()
        return self.made[what][1]

    def _repeated(self, colors: ColorBytes, levels: tuple[int, int]) -> ColorBytes:
        """Many pixels for each block of cells, unless they are few enough for shapes."""
        if self.heat.size <= MOST_SHAPES:
            return colors
        places = []
        for count, level in zip(self.shape, levels, strict=True):
            pixels = (
                count * max(1, _VECTOR_PIXELS // count)
                if count <= _VECTOR_PIXELS
                else _VECTOR_PIXELS
            )
            places.append((np.arange(pixels) * count // pixels) >> level)
        repeated: ColorBytes = colors[places[0][:, None], places[1][None, :]]
        return repeated

    def hatch(self, grid: CellGrid, theme: PaletteTheme) -> CellImage | None:
        """Slanted lines over areas below zero, for cells too small for a sign; None without.

        They are in pixels of the screen, so a vector drawing has none.
        """
        if grid.pixels is None:
            return None
        box, levels = grid.box, self._levels(grid)
        blocks = (_blocks(grid.rows, levels[0]), _blocks(grid.columns, levels[1]))
        size = tuple(
            max(1, round(length * each))
            for length, each in zip((box.width, box.height), grid.pixels, strict=True)
        )
        part = _area(self.pooled.at(*levels), *blocks)
        key = (levels, str(blocks), size, theme)
        made = self._latest("hatch", key, lambda: _hatched(part, self.colors, size, theme))
        return CellImage(box=box, colors=made)


def cells_of(plane: Plane, colors: CellColors | float, *, is_measured: bool = False) -> Cells:
    """Prepare a plane for drawing.

    Args:
        plane: The plane.
        colors: Its colors, or the end of their scale.
        is_measured: Whether its numbers have the noise of central differences.
    """
    colors = colors if isinstance(colors, CellColors) else CellColors(limit=colors)
    heat, limit = plane.heat, colors.limit
    with np.errstate(invalid="ignore"):
        # The largest value itself may exceed the limit by a rounding error.
        beyond = (np.abs(heat) > limit * (1 + 1e-12)) & np.isfinite(heat)
    return Cells(
        plane=plane,
        colors=colors,
        pooled=PooledHeat(heat),
        non_finite=CellMarks(~np.isfinite(heat)),
        clipped=CellMarks(beyond if limit > 0 else np.zeros_like(beyond)),
        is_signed=colors.scale == "signed" and bool((heat < 0).any()),
        is_measured=is_measured,
        made={},
    )


def matrix_cells(values: npt.NDArray[Any], colors: CellColors) -> Cells:
    """Prepare a Jacobian or what is computed from two of them, ``[rows, columns]``.

    Its colors show magnitudes only if it is complex and really has imaginary parts.
    """
    shown = values.real if values.dtype.kind == "c" and not np.any(values.imag) else values
    # A tolerance's multiples stay float32, of which there can be millions.
    heat = values if colors.scale == "tolerance" else color_values(shown)
    plane = Plane(elements=values, values=values, heat=heat, cut=first_cut(2), steps=(1, 1))
    return cells_of(plane, colors, is_measured=True)


def with_colors(cells: Cells, colors: CellColors) -> Cells:
    """The same cells in other colors on the same scale."""
    return replace(cells, colors=colors, made={})


def _area(values: npt.NDArray[Any], rows: range, columns: range) -> npt.NDArray[Any]:
    return values[rows.start : rows.stop, columns.start : columns.stop]


def _level(side: float) -> int:
    # Of a cell that is a pixel but for a rounding error, no other is left out.
    return max(0, math.ceil(-math.log2(max(side, 1e-9)) - 1e-6))


def _blocks(cells: range, level: int) -> range:
    return range(cells.start >> level, -(-cells.stop >> level))


def _hatched(
    blocks: HeatValues, colors: CellColors, size: tuple[int, ...], theme: PaletteTheme
) -> ColorBytes:
    width, height = size
    rows = np.arange(height) * blocks.shape[0] // height
    columns = np.arange(width) * blocks.shape[1] // width
    below = has_negative_color(blocks, colors.limit)
    ink = np.where(dark_ink_on(colors.of(blocks, theme)), 0, 255).astype(np.uint8)
    place = rows[:, None], columns[None, :]
    slanted = (np.arange(height)[:, None] + np.arange(width)[None, :]) % _HATCH == 0
    lines = np.zeros((height, width, 4), dtype=np.uint8)
    lines[..., :3] = ink[place][..., None]
    lines[..., 3] = (below[place] & slanted) * round(255 * _HATCH_STRENGTH)
    return lines
