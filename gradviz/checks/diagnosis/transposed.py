"""A linear map behind a gradient is transposed, or is not although it should be.

Say that ``y = x @ w``. The gradient of ``w`` is ``x.T @ g``, so that its Jacobian is
``J[i, o, b, p] = x[b, i] * (o == p)`` with ``[i, o]`` from ``w`` and ``[b, p]`` from ``y``. Without
the transpose it is ``x[i, b] * (o == p)``: the same numbers with ``i`` and ``b`` exchanged, which
are a dimension of the input and one of the output. The same holds for every other linear map that
backward applies as forward does, like a cumulative sum that runs in the same direction. Where the
gradient as a whole is transposed, two dimensions of the input are exchanged; where ``g`` is, two of
the output.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from gradviz.checks.diagnosis.pair import Pair
from gradviz.model.diagnosis import Diagnosis


def transposed(pair: Pair) -> Diagnosis | None:
    """All analytical numbers are the numerical ones with two dimensions exchanged."""
    shape, inputs = pair.shape, len(pair.input_shape)
    analytical, numerical = pair.analytical.view(shape), pair.numerical.view(shape)
    place = (*pair.worst.input_index, *pair.worst.output_index)
    for one, other in _exchanges(shape, inputs):
        exchanged = numerical.transpose(one, other)
        # The worst element tells most of the wrong ones without looking at all numbers.
        if pair.agree(analytical[place], exchanged[place]) and pair.agree(analytical, exchanged):
            return pair.diagnosis("transposed", _sentence(pair, one, other))
    return None


def _exchanges(shape: tuple[int, ...], inputs: int) -> Iterator[tuple[int, int]]:
    """Pairs of dimensions of equal size: of input and output first, then within one of them."""
    pairs = [(a, b) for a, b in combinations(range(len(shape)), 2) if shape[a] == shape[b] > 1]
    yield from (each for each in pairs if each[0] < inputs <= each[1])
    yield from (each for each in pairs if not each[0] < inputs <= each[1])


def _sentence(pair: Pair, one: int, other: int) -> str:
    inputs = len(pair.input_shape)
    count = pair.analytical.numel()
    if one < inputs <= other:
        return (
            f"The gradient of {pair.input_name} lacks a transpose, or has one too many: all {count}"
            f" analytical numbers are the numerical ones with dimension {one} of {pair.input_name}"
            f" and dimension {other - inputs} of {pair.output_name} exchanged. In a product of"
            " matrices, look for a .t()."
        )
    if other < inputs:
        return (
            f"The gradient of {pair.input_name} is returned transposed: all {count} analytical"
            f" numbers are the numerical ones with dimensions {one} and {other} of"
            f" {pair.input_name} exchanged."
        )
    return (
        f"The gradient of {pair.output_name} is used transposed for {pair.input_name}: all {count}"
        f" analytical numbers are the numerical ones with dimensions {one - inputs} and"
        f" {other - inputs} of {pair.output_name} exchanged."
    )
