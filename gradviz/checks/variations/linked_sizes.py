"""Dimensions of the arguments that must match, and arguments resized along them.

It is not known that, say, the second dimension of ``x`` must match that of ``weight``, so this is
found by trial: dimensions match if forward accepts them enlarged together, but not alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import Any

import torch
from torch import Tensor

from gradviz.checks.output_parts import is_continuous
from gradviz.checks.random_tensors import RandomTensors
from gradviz.checks.variations.runner import Arguments, VariationRunner, leaf

InputDimension = tuple[int, int]
"""Position of an argument, and one of its dimensions."""

_MOST_TRIALS = 60
_MOST_AXES = 16


def sizes_that_go_together(
    runner: VariationRunner, arguments: Arguments
) -> list[tuple[InputDimension, ...]]:
    """Groups of dimensions that forward accepts resized together, found by trial."""
    axes = [
        (position, dim)
        for position, each in enumerate(arguments)
        if isinstance(each, Tensor) and position not in runner.fixed
        for dim in range(each.dim())
    ]
    groups: list[tuple[InputDimension, ...]] = []
    left = _MOST_TRIALS
    for axis in axes[:_MOST_AXES]:
        if any(axis in group for group in groups) or size_of(arguments, axis) < 2:
            continue
        for candidate in _candidates(arguments, axes, axis):
            if left == 0:
                return groups
            left -= 1
            size = size_of(arguments, axis) + 1
            if runner.forward(resized(arguments, candidate, size)).refused is None:
                groups.append(candidate)
                break
    return groups


def _candidates(
    arguments: Arguments, axes: Sequence[InputDimension], axis: InputDimension
) -> Iterator[tuple[InputDimension, ...]]:
    """Groups to try: the dimension alone, with one or two others of its size, or with all."""
    size = size_of(arguments, axis)
    others = [each for each in axes if each != axis and size_of(arguments, each) == size]
    for count in range(min(3, len(others) + 1)):
        for chosen in combinations(others, count):
            yield (axis, *chosen)
    if len(others) > 2:
        yield (axis, *others)


def size_of(arguments: Arguments, axis: InputDimension) -> int:
    """Size of one dimension of an argument."""
    tensor: Tensor = arguments[axis[0]]
    return tensor.shape[axis[1]]


def resized(arguments: Arguments, group: Iterable[InputDimension], size: int) -> Arguments:
    """Resize some dimensions of the arguments, reusing or interpolating their values."""
    made: list[Any] = list(arguments)
    for position, dim in group:
        made[position] = leaf(_with_size(made[position], dim, size), arguments[position])
    return tuple(made)


def _with_size(tensor: Tensor, dim: int, size: int) -> Tensor:
    """Shorten a tensor, or extend it by values in between, which stay in its domain."""
    values = tensor.detach()
    if size <= values.shape[dim]:
        return values.narrow(dim, 0, size).clone(memory_format=torch.contiguous_format)
    first, last = values.narrow(dim, 0, 1), values.narrow(dim, values.shape[dim] - 1, 1)
    between = last
    if is_continuous(values):
        # Use a separate weight for each element, or rows of a matrix would be linearly dependent.
        weight = RandomTensors(6).like(last.real if last.is_complex() else last).sigmoid()
        between = first * weight + last * (1 - weight)
    return torch.cat([values, *[between] * (size - values.shape[dim])], dim)


def smaller(
    runner: VariationRunner, arguments: Arguments, groups: Sequence[tuple[InputDimension, ...]]
) -> Arguments:
    """Shrink the arguments, with a different size per group where forward accepts it."""
    for k, group in enumerate(groups):
        # Groups of different size, so that mixed-up dimensions do not fit by chance.
        size = 2 + k % 3
        if size_of(arguments, group[0]) > size + 1:
            tried = resized(arguments, group, size)
            if runner.forward(tried).refused is None:
                arguments = tried
    return arguments
