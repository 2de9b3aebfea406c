"""Notes when the first NaN or Inf of a recording appears."""

from __future__ import annotations

from typing import Literal

import torch


class NonFiniteWatch:
    """Looks for one kind of elements in tensors.

    Attributes:
        has_seen_one: Whether a tensor had such an element.
    """

    def __init__(self, kind: Literal["nan", "inf"]) -> None:
        self.has_seen_one = False
        self._test = torch.isnan if kind == "nan" else torch.isinf

    def look(self, tensor: torch.Tensor) -> None:
        """Search a readable tensor for NaN or Inf. Call inside `disabled_torch_modes`."""
        if self.has_seen_one or not (tensor.is_floating_point() or tensor.is_complex()):
            return
        self.has_seen_one = bool(self._test(tensor).any())
