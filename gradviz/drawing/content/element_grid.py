"""Space for the elements of tensors small enough to be drawn beside their names."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.numbers import number_text
from gradviz.model.tensor import TensorRecord, TensorValue

CARD_CELLS, LINE_CELLS = 8, 4
"""Maximum rows and columns of tensors drawn in a card, and beside a line."""

NUMBER_CELLS = 4
"""Maximum rows and columns of tensors whose numbers are written, if they fit."""

CELL_ROOM = 3
"""Significant digits of a number in a cell, however it is drawn."""

MOST_WIDE = 132.0
"""Maximum width of written numbers, in points; wider ones are left out."""

SAMPLE, SMALL = 7.0, 10.0
"""Side of a cell in a line of text, and of other cells without a number, in points."""

HIGH, FLAT = 17.0, 13.0
"""Height of a cell with a number, with up to two rows and with more, in points."""

_LEAST_CELL, _CHARACTER, _AROUND = 17.0, 5.8, 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementGrid:
    """Layout of a tensor that is drawn with its elements.

    Attributes:
        tensor: Tensor id in the trace.
        rows: Rows of cells; a one-dimensional tensor is one row.
        columns: Columns of cells.
        cell: Width and height of each cell, in points.
    """

    tensor: int
    rows: int
    columns: int
    cell: tuple[float, float]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of all cells together, in points."""
        return self.columns * self.cell[0], self.rows * self.cell[1]


def element_grid(
    index: TraceIndex, tensor: TensorRecord | None, most: int = CARD_CELLS
) -> ElementGrid | None:
    """How to draw a tensor; None if it is too large, a single number, or not kept.

    Args:
        index: The trace; its elements are read if numbers could be written.
        tensor: The tensor.
        most: Maximum number of rows and of columns.
    """
    grid = _grid(tensor, most)
    if tensor is None or grid is None:
        return None
    rows, columns = grid
    cell = SMALL, SMALL
    if max(grid) <= NUMBER_CELLS:
        wide = _width(index.value(tensor.id))
        cell = (wide, HIGH if rows <= 2 else FLAT) if wide * columns <= MOST_WIDE else cell
    return ElementGrid(tensor=tensor.id, rows=rows, columns=columns, cell=cell)


def sample_grid(index: TraceIndex, tensor: TensorRecord | None) -> ElementGrid | None:
    """How to draw a tensor behind its line of text: small, without numbers."""
    tiny = element_grid(index, tensor, LINE_CELLS)
    return None if tiny is None else replace(tiny, cell=(SAMPLE, SAMPLE))


def _grid(tensor: TensorRecord | None, most: int) -> tuple[int, int] | None:
    # A single number is already written in the title or the label.
    if tensor is None or tensor.content != "whole" or not 2 <= tensor.count <= most**2:
        return None
    if not 1 <= len(tensor.shape) <= 2 or tensor.dtype.startswith("complex"):
        return None
    rows, columns = (1, *tensor.shape)[-2:]
    return (rows, columns) if max(rows, columns) <= most else None


def _width(value: TensorValue | None) -> float:
    """Width of a cell that fits the longest number in its short form."""
    elements = [] if value is None else value.array().ravel().tolist()
    longest = max((len(number_text(each, CELL_ROOM)) for each in elements), default=0)
    return max(_LEAST_CELL, math.ceil(_CHARACTER * longest + _AROUND))
