"""The matrices that are being computed: how far they are, and what of them is shown meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from torch import Tensor


@dataclass(slots=True)
class Growth:
    """The matrices that evaluations fill at present.

    Attributes:
        kind: ``numerical`` ones are filled row by row, ``analytical`` ones column by column; empty
            while nothing is filled.
        matrices: For each part, or for each input; what is not filled yet is arbitrary.
        filled: How many rows or columns are.
        divisor: What the elements are still to be divided by.
    """

    kind: Literal["", "numerical", "analytical"] = ""
    matrices: Sequence[Tensor] = ()
    filled: int = 0
    divisor: float = 1.0

    def begin(
        self,
        kind: Literal["numerical", "analytical"],
        matrices: Sequence[Tensor],
        divisor: float = 1.0,
    ) -> None:
        """Says that matrices are filled from now on."""
        self.kind, self.matrices, self.divisor = kind, matrices, divisor
        self.filled = 0

    def end(self) -> None:
        """Says that they are whole, or given up."""
        self.kind, self.matrices, self.filled = "", (), 0

    def rows(self, which: int) -> Tensor:
        """What there is of one numerical matrix, with the very bits that it will have."""
        return self.matrices[which][: self.filled] / self.divisor

    def columns(self, which: int) -> Tensor:
        """What there is of one analytical matrix."""
        return self.matrices[which][:, : self.filled]
