"""Chosen elements, inverses and iterations as people write them, with mistakes."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as fn

from tests.checks.written_mistakes import (
    FACTOR,
    OPERATION,
    SIGN,
    SOME,
    TERM,
    TRANSPOSED,
    drawn,
    family,
)


@family((drawn(2, 8),), index=OPERATION, all=OPERATION)
class MaxOfPairs:
    """Maximum of each two neighbors."""

    @staticmethod
    def forward(x: Tensor) -> Any:
        value, index = x.view(2, 4, 2).max(-1)
        return value, (index,)

    @staticmethod
    def backward(m: str, g: Tensor, index: Tensor) -> Any:
        if m == "all":
            return g[..., None].expand(2, 4, 2).reshape(2, 8)
        index = torch.zeros_like(index) if m == "index" else index
        found = torch.zeros(2, 4, 2, dtype=g.dtype)
        return found.scatter_(2, index[..., None], g[..., None]).reshape(2, 8)


@family((drawn(2, 3, 6),), sum=OPERATION, mean=OPERATION)
class MaxPool1d:
    """max_pool1d with windows of two elements."""

    @staticmethod
    def forward(x: Tensor) -> Any:
        value, index = fn.max_pool1d(x, 2, return_indices=True)
        return value, (index,)

    @staticmethod
    def backward(m: str, g: Tensor, index: Tensor) -> Any:
        if m:
            spread = g.repeat_interleave(2, 2)
            return spread if m == "sum" else spread / 2
        return torch.zeros(2, 3, 6, dtype=g.dtype).scatter(2, index, g)


@family((drawn(1, 2, 4, 4),), all=OPERATION)
class MaxPool2d:
    """max_pool2d with windows of 2x2 elements."""

    @staticmethod
    def forward(x: Tensor) -> Any:
        value, index = fn.max_pool2d(x, 2, return_indices=True)
        return value, (index,)

    @staticmethod
    def backward(m: str, g: Tensor, index: Tensor) -> Any:
        if m == "all":
            return g.repeat_interleave(2, 2).repeat_interleave(2, 3)
        flat = torch.zeros(1, 2, 16, dtype=g.dtype)
        return flat.scatter(2, index.flatten(2), g.flatten(2)).view(1, 2, 4, 4)


@family((drawn(3, 5),), all=OPERATION, first=OPERATION + " " + SOME)
class LargestOfRow:
    """amax of each row."""

    @staticmethod
    def forward(x: Tensor) -> Any:
        y = x.amax(1)
        return y, (x, y)

    @staticmethod
    def backward(m: str, g: Tensor, x: Tensor, y: Tensor) -> Any:
        each = g[:, None]
        if m == "first":
            return torch.cat([each, torch.zeros(3, 4, dtype=g.dtype)], 1)
        return each.expand(3, 5) if m == "all" else each * (x == y[:, None])


@family((drawn(3, 5),), all=OPERATION)
class MeanOfTwoLargest:
    """Mean of the two largest values of each row."""

    @staticmethod
    def forward(x: Tensor) -> Any:
        value, index = x.topk(2, 1)
        return value.mean(1), (index,)

    @staticmethod
    def backward(m: str, g: Tensor, index: Tensor) -> Any:
        each = g[:, None]
        if m == "all":
            return each.expand(3, 5)
        return torch.zeros(3, 5, dtype=g.dtype).scatter(1, index, (each / 2).expand(3, 2))


@family((drawn(5),), unsorted=OPERATION)
class SortedAndWeighted:
    """Sorted values with fixed weights."""

    @staticmethod
    def forward(x: Tensor) -> Any:
        value, index = x.sort()
        weight = torch.arange(1, 6, dtype=x.dtype)
        return value * weight, (index, weight)

    @staticmethod
    def backward(m: str, g: Tensor, index: Tensor, weight: Tensor) -> Any:
        d = g * weight
        return d if m == "unsorted" else torch.zeros_like(d).scatter(0, index, d)


@family((drawn(7),), all=OPERATION)
class LargestOfAll:
    """The largest of all values."""

    @staticmethod
    def forward(x: Tensor) -> Any:
        y = x.max()
        return y * 2, (x, y)

    @staticmethod
    def backward(m: str, g: Tensor, x: Tensor, y: Tensor) -> Any:
        return (2 * g).expand(7) if m == "all" else 2 * g * (x == y)


@family((drawn(3, 3),), transpose=TRANSPOSED, sign=SIGN, once=OPERATION)
class Inverse:
    """Inverse of a matrix."""

    @staticmethod
    def forward(a: Tensor) -> Any:
        y = torch.linalg.inv(a)
        return y, (y,)

    @staticmethod
    def backward(m: str, g: Tensor, y: Tensor) -> Any:
        if m == "transpose":
            return -(y @ g @ y.T)
        if m == "sign":
            return y.T @ g @ y.T
        return -(y.T @ g) if m == "once" else -(y.T @ g @ y.T)


@family((drawn(6, low=0.3),), half=FACTOR, inner=OPERATION)
class NewtonSquareRoot:
    """Square root by Newton's method, which settles for positive values only."""

    @staticmethod
    def forward(x: Tensor) -> Any:
        y = torch.ones_like(x)
        for _ in range(30):
            y = 0.5 * (y + x / y)
        return y, (x, y)

    @staticmethod
    def backward(m: str, g: Tensor, x: Tensor, y: Tensor) -> Any:
        if m == "half":
            return g / y
        return g / (2 * x) if m == "inner" else g / (2 * y)


@family((drawn(7),), term=TERM, square=OPERATION)
class Mish:
    """x tanh(softplus(x))."""

    @staticmethod
    def forward(x: Tensor) -> Any:
        t = torch.tanh(fn.softplus(x))
        return x * t, (x, t)

    @staticmethod
    def backward(m: str, g: Tensor, x: Tensor, t: Tensor) -> Any:
        if m == "term":
            return g * t
        slope = 1 - t if m == "square" else 1 - t * t
        return g * (t + x * slope * x.sigmoid())
