"""Moves the point of a check a little, away from a kink that it may stand on."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

_TURN = (5**0.5 - 1) / 2
"""The golden ratio: its multiples fall evenly between 0 and 1, so that equal elements part."""


def nudge(inputs: Sequence[Tensor], by: float) -> None:
    """Adds once to twice ``by`` to every element, another amount to each.

    Args:
        inputs: Moved in place, the dense ones; nothing of it is recorded by autograd.
        by: How far at least; 0 changes nothing.
    """
    if not by:
        return
    first = 1
    for each in inputs:
        if each.layout is not torch.strided:
            continue
        data, count = each.data, each.numel()
        places = torch.arange(first, first + count, dtype=torch.float64, device=data.device)
        amounts = by * (1 + (places * _TURN).frac())
        data.add_(amounts.view(data.shape).to(data.dtype))
        first += count
