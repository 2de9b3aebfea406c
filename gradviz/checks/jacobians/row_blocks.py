"""Reused rows for the results of many evaluations."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from gradviz.checks.jacobians.matrices import new_matrix
from gradviz.checks.output_parts import OutputPart

_BLOCK_ELEMENTS = 2**17
"""Maximum number of elements of a block: about as many as fit into the CPU cache."""

_LEAST_ROWS, _MOST_ROWS = 8, 64
"""Minimum and maximum number of rows of a block, or as many as there are evaluations."""


class RowBlocks:
    """Rows for the results of some evaluations, reused for one block of them after another.

    The rows of a small block stay in the cache. Creating a view of each row of a large matrix would
    take as long as filling it.

    Args:
        count: Number of evaluations.
        forms: Tensors or output parts with the shape, dtype and device of each result.

    Attributes:
        ranges: The evaluations of each block.
        matrices: For each form, ``[block size, elements]``.
        rows: For each evaluation of a block, a row for each form, in its shape.
    """

    def __init__(self, count: int, forms: Sequence[Tensor | OutputPart]) -> None:
        elements = sum(each.shape.numel() for each in forms)
        most = max(_LEAST_ROWS, _BLOCK_ELEMENTS // max(1, elements))
        size = max(1, min(count, _MOST_ROWS, most))
        self.ranges = [range(count)[k : k + size] for k in range(0, count, size)]
        self.matrices = [
            new_matrix(size, each.shape.numel(), each.dtype, each.device) for each in forms
        ]
        shaped = (
            matrix.view(size, *form.shape).unbind()
            for matrix, form in zip(self.matrices, forms, strict=True)
        )
        self.rows: list[tuple[Tensor, ...]] = (
            list(zip(*shaped, strict=True)) if forms else [()] * size
        )
        self._taken = 0

    def take(self, filled: int) -> tuple[slice, slice]:
        """Those of the first ``filled`` evaluations that are new since the last call.

        Returns:
            The evaluations, and their rows in the block.
        """
        begin, row = self._taken, self._taken % len(self.rows)
        self._taken = filled
        return slice(begin, filled), slice(row, row + filled - begin)
