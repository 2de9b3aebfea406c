"""Test whether a wrong factor comes from a size, by measuring with that size plus one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from torch import Tensor

from gradviz.checks.diagnosis.case import Case
from gradviz.checks.diagnosis.factor_names import factor_name
from gradviz.checks.diagnosis.factor_numbers import factor_of
from gradviz.checks.diagnosis.pair import Pair

_MOST_SIZES = 4
_PRECISION = 1e-3
_LEAST_TELLING = 3
"""Smallest size that allows a conclusion: 2 is a common constant, whatever it comes from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Following:
    """Where a factor comes from.

    Attributes:
        is_size: Whether it is the size of a tensor, or its inverse.
        is_sure: Whether this was tested.
        message: A sentence about it; empty if there is nothing to say.
        evidence: What was measured.
    """

    is_size: bool = False
    is_sure: bool = True
    message: str = ""
    evidence: tuple[str, ...] = ()


def following(case: Case, pair: Pair, factor: complex) -> Following:
    """Find the size of the arguments that a factor changes with, by trying each of them."""
    sizes = list(_sizes(case))
    tried = False
    constant: list[str] = []
    for size in sizes[:_MOST_SIZES]:
        for other in pair.resized(size):
            found = factor_of(other)
            if found is None:
                continue
            tried = True
            said = f"With size {size + 1} instead of {size}, the factor is {factor_name(found)}."
            kind = _kind(size, found / factor)
            if kind == "constant":
                constant.append(said)
            else:
                where = _where(case, size)
                advice = _ADVICE["corrected" if _is_corrected(size, factor) else kind]
                return Following(
                    is_size=kind == "size",
                    message=f"The factor changes with the size {size} ({where}): {advice}",
                    evidence=(said,),
                )
    if tried or not sizes:
        return Following(evidence=tuple(constant))
    return _guessed(sizes, pair, factor)


_ADVICE = {
    "size": "look for a mean where a sum is needed, or the reverse.",
    "corrected": "look for a variance divided by n in one place and by n - 1 in another.",
    "root": "look for a square-root scale, such as 1 / sqrt(n), that is missing or applied twice.",
}


def _kind(size: int, change: complex) -> str:
    """Kind of dependence that a factor's change shows after a size has grown by one."""
    more = (size + 1) / size
    corrected = size * size / ((size + 1) * (size - 1)) if size > 1 else math.inf

    def is_power(base: float, power: float) -> bool:
        return bool(abs(change - base**power) <= _PRECISION * abs(change))

    if abs(change - 1) <= _PRECISION * 0.1:
        return "constant"
    roots = any(is_power(more, power) for power in (0.5, -0.5))
    sizes = any(is_power(more, power) for power in (1, -1, 2, -2, 3, -3))
    return "root" if roots and not sizes and not is_power(corrected, 1) else "size"


def _is_corrected(size: int, factor: complex) -> bool:
    """Whether a factor is (n - 1) / n or its inverse; for n = 2 it could also be a mean."""
    shares = ((size - 1) / size, size / (size - 1)) if size >= _LEAST_TELLING else ()
    return any(abs(abs(factor) - each) <= _PRECISION * each for each in shares)


def _sizes(case: Case) -> Iterator[int]:
    """Distinct sizes of the arguments, those of first dimensions first."""
    tensors = [each for each in case.subject.arguments if isinstance(each, Tensor)]
    first = [each.shape[0] for each in tensors if each.dim() > 0]
    every = [size for each in tensors for size in each.shape]
    yield from dict.fromkeys(size for size in (*first, *every) if size > 1)


def _where(case: Case, size: int) -> str:
    """The first dimension of an argument that has this size, in words."""
    for name, each in zip(case.subject.names, case.subject.arguments, strict=True):
        if isinstance(each, Tensor) and size in each.shape:
            return f"dimension {tuple(each.shape).index(size)} of {name}"
    return "a dimension of an argument"


def _guessed(sizes: list[int], pair: Pair, factor: complex) -> Following:
    """Judge by the value alone, if the function runs with no other size."""
    elements = math.prod(pair.input_shape), math.prod(pair.output_shape)
    counts = (*sizes, *pair.output_shape, *elements, max(elements) // min(elements))
    for size in counts:
        for value in (size, 1 / size):
            if size >= _LEAST_TELLING and abs(abs(factor) - value) <= _PRECISION * value:
                return Following(
                    is_size=True,
                    is_sure=False,
                    message=f"The factor matches a size, {size}: look for a mean where a sum is "
                    "needed, or the reverse.",
                )
    return Following(is_sure=False)
