"""Room for the elements of tensors that are tiny enough to be drawn beside their names."""

from __future__ import annotations

from dataclasses import dataclass, replace

from gradviz.model.index import Index
from gradviz.model.phrases import number_text
from gradviz.model.tensor import TensorRecord

CARD_CELLS, LINE_CELLS = 8, 4
"""Tensors of at most so many rows and columns are drawn in a card, and beside a line."""

WIDE_CELLS = 4
"""Tensors of at most so many rows and columns get cells that have room for a number."""

SAMPLE, SMALL, HIGH = 7.0, 10.0, 18.0
"""Height of a cell in a line of text, without a number, and with one, in points."""

NARROW, BROAD = 18.0, 34.0
"""Width of a cell for a number of two characters, and for one of six."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiny:
    """A tensor that is drawn with its elements.

    Attributes:
        tensor: Its number in the trace.
        rows: Rows of cells; a tensor of one dimension is one row.
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


def tiny_of(index: Index, tensor: TensorRecord | None, most: int = CARD_CELLS) -> Tiny | None:
    """How a tensor is drawn; None where it is too large, a single number, or not kept.

    Args:
        index: The trace; asked for the statistics of tensors of few elements.
        tensor: The tensor.
        most: Greatest number of rows and of columns.
    """
    if tensor is None or tensor.content != "whole" or not 2 <= tensor.count <= most**2:
        return None
    if not 1 <= len(tensor.shape) <= 2 or tensor.dtype.startswith("complex"):
        return None
    rows, columns = (1, *tensor.shape)[-2:]
    if max(rows, columns) > most:
        return None
    wide = max(rows, columns) <= WIDE_CELLS
    cell = (_width(index.tensor[tensor.id]), HIGH) if wide else (SMALL, SMALL)
    return Tiny(tensor=tensor.id, rows=rows, columns=columns, cell=cell)


def sample_of(index: Index, tensor: TensorRecord | None) -> Tiny | None:
    """How a tensor is drawn behind its line of text: small, without numbers."""
    tiny = tiny_of(index, tensor, LINE_CELLS)
    return None if tiny is None else replace(tiny, cell=(SAMPLE, SAMPLE))


def _width(record: TensorRecord) -> float:
    """Enough for whole numbers that end where the extremes do, else for a decimal fraction."""
    known = record.statistics
    if known is None or known.minimum is None or known.maximum is None or known.total is None:
        return NARROW
    longest = max(len(number_text(known.minimum)), len(number_text(known.maximum)))
    whole = known.total.is_integer()
    return max(NARROW, min(6.0 * longest + 4.0, BROAD)) if whole else BROAD
