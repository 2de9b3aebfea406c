"""A tensor in little space: colors, numbers and marks of its first plane."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from gradviz.catalogue.numbers import ROOM
from gradviz.drawing.appearance.color_map import current_color_map, own_color_limit
from gradviz.drawing.appearance.palette import Paint, PaletteRole
from gradviz.drawing.cells.cell_grid import CellLines, CellShape, grid_in
from gradviz.drawing.cells.cell_numbers import (
    MOST_NUMBERS,
    CellNumbers,
    NumberFont,
    numbers_of,
    plain_numbers,
)
from gradviz.drawing.cells.cells import Cells, cells_of
from gradviz.drawing.cells.layout import cell_shapes
from gradviz.drawing.cells.plane import plane_of
from gradviz.drawing.content.element_grid import CELL_ROOM
from gradviz.drawing.geometry.rect import Rect
from gradviz.model.tensor import NUMPY_DTYPES, TensorValue

MOST_CELLS = 64
"""Largest number of cells per side; a larger tensor is sampled."""

NUMBER_SIZE = 9
"""Font size of the numbers."""

_AROUND, _ABOVE = 6.0, 2.0
_LEAST_WIDE, _MOST_SIDE, _THINNEST = 14.0, 12.0, 8.0
_KEPT_BYTES, _MOST_MADE = 32768, 4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Thumbnail:
    """A tensor prepared for little space.

    Attributes:
        cells: The cells of its first plane.
        numbers: Their numbers; None if there are too many.
        made: The latest layouts, as a graph paints all of its thumbnails again and again.
    """

    cells: Cells
    numbers: CellNumbers | None
    made: dict[object, list[CellShape]]

    @property
    def is_empty(self) -> bool:
        """Whether there are no elements."""
        return self.cells.heat.size == 0

    def size(self, most: tuple[float, float]) -> tuple[float, float]:
        """Best width and height within ``most``: numbers fit, or else cells are square."""
        rows, columns = self.cells.shape
        if self.is_empty:
            return 0.0, 0.0
        if self.numbers is not None:
            width = max(_LEAST_WIDE, self.numbers.width + _AROUND)
            height = self.numbers.height + _ABOVE
            if columns * width <= most[0] and rows * height <= most[1]:
                return columns * width, rows * height
        side = min(most[0] / columns, most[1] / rows, _MOST_SIDE)
        thinnest = min(_THINNEST, *most)
        return max(columns * side, thinnest), max(rows * side, thinnest)

    def shapes(
        self,
        box: Rect,
        paint: Paint,
        *,
        ground: PaletteRole = "panel",
        pixels: tuple[float, float] | None = None,
    ) -> Iterable[CellShape]:
        """Lay it out in a box; an empty one is the box with a diagonal line.

        Args:
            box: The box; `size` returns a suitable one.
            paint: Colors of the theme.
            ground: Color between cells.
            pixels: See `CellGrid`.
        """
        if self.is_empty:
            right, bottom = box.x + box.width, box.y + box.height
            edges = (
                (box.x, box.y, right, box.y),
                (right, box.y, right, bottom),
                (box.x, bottom, right, bottom),
                (box.x, box.y, box.x, bottom),
                (box.x, bottom, right, box.y),
            )
            return (CellLines(lines=edges, ink=paint("border_strong")),)
        key = box, paint, ground, pixels, current_color_map()
        if key not in self.made:
            if len(self.made) >= _MOST_MADE:
                self.made.clear()
            grid = grid_in(box, self.cells.shape, pixels)
            shapes = cell_shapes(self.cells, grid, paint, self.numbers, ground=ground)
            self.made[key] = list(shapes)
        return self.made[key]


def thumbnail_of(value: TensorValue, font: NumberFont, limit: float | None = None) -> Thumbnail:
    """Prepare the first plane of a tensor.

    Args:
        value: The kept elements.
        font: Measures the numbers.
        limit: Colors go from ``-limit`` to ``limit``; by default the tensor's largest magnitude.
    """
    # The cache keeps its keys alive, so large values must stay out of it.
    return (_prepare_kept if len(value.data) <= _KEPT_BYTES else _prepare)(value, font, limit)


def _prepare(value: TensorValue, font: NumberFont, limit: float | None) -> Thumbnail:
    array = value.array()
    places: list[Any] = [
        # Rounded up, so that no more than this many cells are left.
        slice(None, None, max(1, -(-size // MOST_CELLS)))
        for size in array.shape[-2:]
    ]
    sample = array[(..., *places)]
    # NumPy has neither bfloat16 nor float8, so that their arrays are of float32.
    dtype = value.dtype if value.dtype in NUMPY_DTYPES else "float32"
    plane = plane_of(TensorValue(dtype=dtype, shape=sample.shape, data=sample.tobytes()))
    # A single number has as many digits as in sentences and in the graph's labels.
    digits = ROOM if array.size == 1 else CELL_ROOM
    numbers = None
    if plane.values.size <= MOST_NUMBERS:
        numbers = numbers_of(plain_numbers(plane.values, digits), font, NUMBER_SIZE)
    cells = cells_of(plane, own_color_limit(array) if limit is None else limit)
    return Thumbnail(cells=cells, numbers=numbers, made={})


# The bytes object makes values fast to hash and compare, because Python caches its hash.
_prepare_kept = lru_cache(maxsize=256)(_prepare)
