"""Divides the flat positions of a tensor into blocks by its shape, and names them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from math import prod

from gradviz.drawing.cells.cell_grid import CellGrid
from gradviz.drawing.cells.cell_numbers import NumberFont
from gradviz.drawing.cells.plane import subscript
from gradviz.drawing.geometry.rect import Rect
from gradviz.model.jacobian_report import JacobianBlock

_BETWEEN = 6.0
"""Least space between the indices of columns."""

LEAST_WEIGHT, MOST_WEIGHT = 3, 5
"""Width of the thinnest and the thickest separator, in pixels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorAxis:
    """The elements of a tensor, in row-major order, along one side of a map.

    Attributes:
        name: Name of the tensor.
        shape: Shape of the tensor.
    """

    name: str
    shape: tuple[int, ...]

    @property
    def count(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes of the blocks, smallest first; each larger block leaves one more index free."""
        found = [prod(self.shape[at:]) for at in range(len(self.shape) - 1, 0, -1)]
        return tuple(
            size
            for at, size in enumerate(found)
            if 1 < size < self.count and size not in found[:at]
        )

    def index(self, place: int) -> tuple[int, ...]:
        """Index tuple of a flat position; all zeros if the tensor is empty."""
        found: list[int] = []
        for size in reversed(self.shape if self.count else (1,) * len(self.shape)):
            found.append(place % size)
            place //= size
        return tuple(reversed(found))

    def tick(self, place: int) -> str:
        """Tick label of a position; the thin space keeps ``2,340`` from reading as a number."""
        return ",\N{THIN SPACE}".join(map(str, self.index(place)))

    def block_name(self, place: int, size: int) -> str:
        """Name of the block with ``size`` elements around a position, like ``weight[1,:]``."""
        fixed = 0
        while prod(self.shape[fixed:]) > size:
            fixed += 1
        index = self.index(place)[:fixed]
        open_ends = [":"] * (len(self.shape) - fixed)
        return f"{self.name}[{','.join([*map(str, index), *open_ends])}]"

    def element_name(self, place: int) -> str:
        """Name of one element, like ``weight[1, 0]``."""
        return subscript(self.name, self.index(place))


def block_axes(block: JacobianBlock) -> tuple[TensorAxis, TensorAxis]:
    """The tensors along the rows and the columns of a pair's matrices."""
    return (
        TensorAxis(name=block.input_name, shape=block.input_shape),
        TensorAxis(name=block.output_name, shape=block.output_shape),
    )


@dataclass(frozen=True, slots=True)
class Separator:
    """A line between two blocks.

    Attributes:
        place: The position after the line.
        weight: Width of the line in pixels.
    """

    place: int
    weight: int


def separators(axis: TensorAxis, seen: range, pixels: float, least: float) -> list[Separator]:
    """Find the separators within the visible positions, thin ones first.

    Args:
        axis: The axis.
        seen: Visible positions.
        pixels: Size of one element in pixels.
        least: Minimum size in pixels of a block that gets separators.
    """
    sizes = [size for size in axis.sizes if size * pixels >= least]
    found: list[Separator] = []
    for at, size in enumerate(sizes):
        larger, weight = sizes[at + 1 : at + 2], min(LEAST_WEIGHT + at, MOST_WEIGHT)
        places = range((seen.start // size + 1) * size, seen.stop, size)
        found += [Separator(each, weight) for each in places if not larger or each % larger[0]]
    return found


def ticks_of(axis: TensorAxis, seen: range, pixels: float, space: float) -> list[int]:
    """Find the positions to label: as many as fit, evenly spaced within each block.

    Args:
        axis: The axis.
        seen: Visible positions.
        pixels: Size of one element in pixels.
        space: Space that a label needs, in pixels.
    """
    step = next((each for each in _steps(axis) if each * pixels >= space), max(1, axis.count))
    block = next((size for size in axis.sizes if step < size), axis.count)
    found: list[int] = []
    for start in range(seen.start // max(1, block) * block, seen.stop, max(1, block)):
        # A tick just before the next block would run into that block's first one.
        last = start + block - (0 if start + block >= axis.count else step * 3 // 4)
        found += range(start, max(start + 1, min(last, seen.stop)), step)
    return [place for place in found if place >= seen.start]


def _steps(axis: TensorAxis) -> Iterator[int]:
    """Possible tick spacings: 1, 2, 5, 10, ... elements, then as many blocks of each size."""
    for unit, above in pairwise((1, *axis.sizes, axis.count)):
        for power in range(10):
            for digit in (1, 2, 5):
                if digit * 10**power * unit < above:
                    yield digit * 10**power * unit


def named_blocks(
    axis: TensorAxis, seen: range, pixels: float, space: float
) -> list[tuple[range, str]]:
    """Find the smallest kind of block whose names fit, with positions; empty if none fits."""
    size = next((each for each in axis.sizes if each * pixels >= space), None)
    if size is None or axis.count == 0:
        return []
    starts = range(seen.start // size * size, seen.stop, size)
    return [(range(at, min(at + size, axis.count)), axis.block_name(at, size)) for at in starts]


def widest_tick(axis: TensorAxis, font: NumberFont, size: float) -> float:
    """Width of the widest index in a font size."""
    return font.width(axis.tick(max(0, axis.count - 1))) * size


def row_labels(
    grid: CellGrid, axis: TensorAxis, font: NumberFont, size: float, gap: float
) -> list[tuple[Rect, str]]:
    """Indices of visible rows, as many as fit, at a distance from the left edge of the cells."""
    high, box, labels = font.height * size, grid.box, []
    for row in ticks_of(axis, grid.rows, grid.height, high):
        text, middle = axis.tick(row), grid.y + (row + 0.5) * grid.height
        wide = font.width(text) * size
        place = Rect(x=box.x - gap - wide, y=middle - high / 2, width=wide, height=high)
        labels.append((place, text))
    return labels


def column_labels(
    grid: CellGrid, axis: TensorAxis, font: NumberFont, size: float, gap: float
) -> list[tuple[Rect, str]]:
    """Indices of visible columns, as many as fit, at a distance below the cells."""
    high, box, labels = font.height * size, grid.box, []
    space = widest_tick(axis, font, size) + _BETWEEN
    for column in ticks_of(axis, grid.columns, grid.width, space):
        text, middle = axis.tick(column), grid.x + (column + 0.5) * grid.width
        wide = font.width(text) * size
        place = Rect(x=middle - wide / 2, y=box.y + box.height + gap, width=wide, height=high)
        labels.append((place, text))
    return labels
