"""Small shifts of a check's inputs, to move them away from a kink."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

_TURN = (5**0.5 - 1) / 2
"""Golden ratio conjugate: its multiples spread evenly mod 1, so equal elements separate."""


def nudge(inputs: Sequence[Tensor], by: float) -> None:
    """Add between ``by`` and twice ``by`` to every element, a different amount to each.

    Args:
        inputs: Modified in place if dense, without being recorded by autograd.
        by: Smallest shift; 0 changes nothing.
    """
    if not by:
        return
    first = 1
    for each in inputs:
        if each.layout is not torch.strided:
            continue
        data, count = each.data, each.numel()
        # On the CPU, because not every device has float64.
        places = torch.arange(first, first + count, dtype=torch.float64, device="cpu")
        amounts = by * (1 + (places * _TURN).frac())
        data.add_(amounts.view(data.shape).to(data.dtype).to(data.device))
        first += count
