"""Descriptions of sets of elements by their values: zeros, negatives."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor


def words_for_values(chosen: Tensor, others: Tensor, values: Tensor, name: str) -> str:
    """Describe how the values of chosen elements differ from others; empty if not simple.

    Args:
        chosen: True for the elements of the set, in the tensor's shape.
        others: True for the elements outside of it; elements in neither are ignored.
        values: Real values of that shape.
        name: Name of the tensor.
    """
    for words, within, without in _tests(values[chosen], values[others], name):
        if bool(within.all()) and not bool(without.any()):
            return words
    return ""


def words_for_bound(chosen: Tensor, others: Tensor, values: Tensor, name: str) -> str:
    """Describe chosen elements by a bound on their (absolute) values; empty if none."""
    inside, outside = values[chosen], values[others]
    if values.dtype is torch.bool or min(inside.numel(), outside.numel()) < 2:
        return ""
    return _beyond(inside, outside, name) or _beyond(inside.abs(), outside.abs(), f"|{name}|")


def _tests(inside: Tensor, outside: Tensor, name: str) -> Iterator[tuple[str, Tensor, Tensor]]:
    yield f"{name} is zero", inside == 0, outside == 0
    yield f"{name} is not zero", inside != 0, outside != 0
    yield f"{name} is negative", inside < 0, outside < 0
    yield f"{name} is positive", inside > 0, outside > 0


def _beyond(inside: Tensor, outside: Tensor, name: str) -> str:
    if float(inside.min()) > float(outside.max()):
        return f"{name} is {float(inside.min()):.3g} or more"
    if float(inside.max()) < float(outside.min()):
        return f"{name} is {float(inside.max()):.3g} or less"
    return ""
