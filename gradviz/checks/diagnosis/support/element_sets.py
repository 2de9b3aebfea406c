"""Descriptions of sets of elements by their indices: the last column, a triangle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from gradviz.catalogue.messages import say


def words_for_values(chosen: Tensor, others: Tensor, values: Tensor, name: str) -> str:
    """Describe how the values of chosen elements differ from others; empty if not simple.

    Args:
        chosen: True for the elements of the set, in the tensor's shape.
        others: True for the elements outside of it; elements in neither are ignored.
        values: Real values of that shape.
        name: Name of the tensor.
    """
    for key, within, without in _tests(values[chosen], values[others]):
        if bool(within.all()) and not bool(without.any()):
            return say(key, name=name)
    return ""


def words_for_bound(chosen: Tensor, others: Tensor, values: Tensor, name: str) -> str:
    """Describe chosen elements by a bound on their (absolute) values; empty if none."""
    inside, outside = values[chosen], values[others]
    if values.dtype is torch.bool or min(inside.numel(), outside.numel()) < 2:
        return ""
    return _beyond(inside, outside, name) or _beyond(inside.abs(), outside.abs(), f"|{name}|")


def _tests(inside: Tensor, outside: Tensor) -> Iterator[tuple[str, Tensor, Tensor]]:
    yield "wrong_some_indices.zero", inside == 0, outside == 0
    yield "wrong_some_indices.not_zero", inside != 0, outside != 0
    yield "wrong_some_indices.negative", inside < 0, outside < 0
    yield "wrong_some_indices.positive", inside > 0, outside > 0


def _beyond(inside: Tensor, outside: Tensor, name: str) -> str:
    if float(inside.min()) > float(outside.max()):
        return say("wrong_some_indices.at_least", name=name, bound=float(inside.min()))
    if float(inside.max()) < float(outside.min()):
        return say("wrong_some_indices.at_most", name=name, bound=float(inside.max()))
    return ""


_MOST_LISTED = 4


def words_for(chosen: Tensor, others: Tensor, name: str) -> str:
    """Describe how the indices of chosen elements differ from others; empty if not simple."""
    if int(chosen.count_nonzero()) == 1:
        place = [int(each) for each in chosen.nonzero()[0]]
        return f"{name}{place}" if place else name
    for dimension in range(chosen.dim()):
        inside, outside = _along(chosen, dimension), _along(others, dimension)
        if bool((inside & outside).any()):
            continue
        words = _run(inside, outside)
        if words:
            return _indexed(name, chosen.dim(), dimension, words)
    return next(_relations(chosen, others, name), "")


def listed(chosen: Tensor, name: str) -> str:
    """List some of the indices of a set that has no simple description."""
    places = chosen.nonzero().tolist()
    shown = ", ".join(f"{name}{place}" for place in places[:_MOST_LISTED])
    left = len(places) - _MOST_LISTED
    return shown if left <= 0 else say("wrong_some_indices.more", elements=shown, count=left)


def _along(mask: Tensor, dimension: int) -> Tensor:
    """Mask of the indices along one dimension that occur."""
    rest = [k for k in range(mask.dim()) if k != dimension]
    return mask.amax(rest) if rest else mask


def _run(inside: Tensor, outside: Tensor) -> str:
    """An index or slice with all of the first set and none of the second; else empty."""
    length = inside.numel()
    within = [int(k) for k in inside.nonzero().view(-1)]
    without = {int(k) for k in outside.nonzero().view(-1)}
    for words, indices in _slices(length, within):
        if set(within) <= set(indices) and not without & set(indices):
            return words
    return ""


def _slices(length: int, within: Sequence[int]) -> Iterator[tuple[str, range]]:
    low, high = within[0], within[-1]
    if low == high:
        yield ("-1" if low == length - 1 else str(low)), range(low, low + 1)
    yield f"{low}:", range(low, length)
    yield f":{high + 1}", range(high + 1)
    yield f"{low}:{high + 1}", range(low, high + 1)
    yield "::2", range(0, length, 2)
    yield "1::2", range(1, length, 2)


def _indexed(name: str, dimensions: int, dimension: int, words: str) -> str:
    before = [":"] * dimension
    after = [":"] * (dimensions - dimension - 1)
    return f"{name}[{', '.join([*before, words, *after])}]"


def _relations(chosen: Tensor, others: Tensor, name: str) -> Iterator[str]:
    """Sets defined by two dimensions together: a triangle, the diagonal, the border."""
    if chosen.dim() < 2:
        return
    row, column = (
        torch.arange(size, device=chosen.device) for size in (chosen.shape[-2], chosen.shape[-1])
    )
    row = row.view(-1, 1)
    height, width = chosen.shape[-2:]
    border = (row == 0) | (column == 0) | (row == height - 1) | (column == width - 1)
    sets = {
        "wrong_some_indices.on_diagonal": row == column,
        "wrong_some_indices.off_diagonal": row != column,
        "wrong_some_indices.above_diagonal": row < column,
        "wrong_some_indices.below_diagonal": row > column,
        "wrong_some_indices.on_or_above_diagonal": row <= column,
        "wrong_some_indices.on_or_below_diagonal": row >= column,
        "wrong_some_indices.on_border": border,
    }
    for key, members in sets.items():
        members = members.expand(chosen.shape)
        if not bool((chosen & ~members).any() or (others & members).any()):
            yield say(key, name=name)
