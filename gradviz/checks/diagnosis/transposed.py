"""A linear map behind a gradient is transposed, or is not although it should be.

Say that ``y = x @ w``. The gradient of ``w`` is ``x.T @ g``, so that its Jacobian is
``J[i, o, b, p] = x[b, i] * (o == p)`` with ``[i, o]`` from ``w`` and ``[b, p]`` from ``y``. Without
the transpose it is ``x[i, b] * (o == p)``: the same numbers with ``i`` and ``b`` exchanged, which
are a dimension of the input and one of the output. The same holds for every other linear map that
backward applies as forward does, like a cumulative sum that runs in the same direction. Where the
gradient as a whole is transposed, two dimensions of the input are exchanged; where ``g`` is, two of
the output. Where those have different sizes, a transpose is mistaken for a view of the same shape.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

from torch import Tensor

from gradviz.checks.diagnosis.pair import Pair
from gradviz.model.diagnosis import Diagnosis


@dataclass(frozen=True, slots=True)
class _Exchange:
    """Two dimensions, counted through those of the input and then those of the output.

    Attributes:
        one: The first.
        other: The second.
        viewed: Whether they have different sizes, and the numbers are read in the shape in which
            those are exchanged.
    """

    one: int
    other: int
    viewed: bool = False

    def of(self, matrix: Tensor, shape: tuple[int, ...]) -> Tensor:
        """A matrix with the dimensions exchanged, to be compared with one of this shape."""
        if not self.viewed:
            return matrix.reshape(shape).transpose(self.one, self.other).reshape(matrix.shape)
        sizes = list(shape)
        sizes[self.one], sizes[self.other] = sizes[self.other], sizes[self.one]
        return matrix.reshape(sizes).transpose(self.one, self.other).reshape(matrix.shape)


def transposed(pair: Pair) -> Diagnosis | None:
    """All analytical numbers are the numerical ones with two dimensions exchanged."""
    if pair.analytical_is_zero or pair.numerical_is_zero:
        return None
    for exchange in _exchanges(pair.shape, len(pair.input_shape)):
        confidence = pair.confidence(_holds(exchange))
        if confidence is None:
            continue
        repaired = exchange.of(pair.analytical, pair.shape)
        return pair.diagnosis(
            "transposed",
            _sentence(pair, exchange),
            confidence=confidence,
            evidence=_evidence(pair),
            repair=pair.repair("With these dimensions exchanged back.", repaired),
        )
    return None


def _holds(exchange: _Exchange) -> Callable[[Pair], bool]:
    def holds(pair: Pair) -> bool:
        if max(exchange.one, exchange.other) >= len(pair.shape):
            return False
        return pair.is_same(exchange.of(pair.analytical, pair.shape), pair.numerical)

    return holds


def _exchanges(shape: tuple[int, ...], inputs: int) -> Iterator[_Exchange]:
    """Dimensions of equal size: of input and output first, then within one; then different ones."""
    pairs = [(a, b) for a, b in combinations(range(len(shape)), 2) if 1 not in (shape[a], shape[b])]
    same = [each for each in pairs if shape[each[0]] == shape[each[1]]]
    yield from (_Exchange(*each) for each in same if each[0] < inputs <= each[1])
    yield from (_Exchange(*each) for each in same if not each[0] < inputs <= each[1])
    yield from (
        _Exchange(*each, viewed=True)
        for each in pairs
        if each not in same and not each[0] < inputs <= each[1]
    )


def _evidence(pair: Pair) -> tuple[str, ...]:
    wrong, count = pair.block.wrong, pair.numerical.numel()
    first = f"As they are, {wrong} of {count} elements are wrong; with them exchanged, none is."
    if not pair.moved:
        return (first,)
    return first, "With other values of the inputs it is the same."


def _sentence(pair: Pair, exchange: _Exchange) -> str:
    inputs, one, other = len(pair.input_shape), exchange.one, exchange.other
    count = pair.analytical.numel()
    if exchange.viewed:
        name = pair.input_name if other < inputs else pair.output_name
        first, second = (one, other) if other < inputs else (one - inputs, other - inputs)
        return (
            f"Where the gradient of {pair.input_name} needs a transpose, it is viewed or reshaped:"
            f" all {count} analytical numbers are the numerical ones once dimensions {first} and"
            f" {second} of {name} are exchanged. Look for .view or .reshape instead of .t()."
        )
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
