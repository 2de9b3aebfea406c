"""Progress of the matrices that are being computed, with access to their finished part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from torch import Tensor


@dataclass(slots=True)
class Growth:
    """The matrices that the current evaluations fill.

    Attributes:
        kind: ``numerical`` matrices are filled row by row, ``analytical`` ones column by column;
            empty if nothing is being filled.
        matrices: One for each part or for each input; elements not filled yet are arbitrary.
        filled: Number of filled rows or columns.
        divisor: Number by which the elements have yet to be divided.
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
        """Start tracking matrices that are about to be filled."""
        self.kind, self.matrices, self.divisor = kind, matrices, divisor
        self.filled = 0

    def end(self) -> None:
        """Stop tracking the matrices, whether complete or abandoned."""
        self.kind, self.matrices, self.filled = "", (), 0

    def rows(self, which: int) -> Tensor:
        """The filled rows of a numerical matrix, bit for bit as in the finished one."""
        return self.matrices[which][: self.filled] / self.divisor

    def columns(self, which: int) -> Tensor:
        """The filled columns of an analytical matrix."""
        return self.matrices[which][:, : self.filled]
