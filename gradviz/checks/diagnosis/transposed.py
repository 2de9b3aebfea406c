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
from itertools import permutations

from torch import Tensor

from gradviz.checks.diagnosis.pair import Pair
from gradviz.checks.diagnosis.split_shapes import split_shapes
from gradviz.model.diagnosis import Diagnosis
from gradviz.model.messages import say_list


@dataclass(frozen=True, slots=True)
class _Exchange:
    """A permutation of dimensions, counted through those of the input and then of the output.

    Attributes:
        shape: In which the analytical numbers are read.
        order: Which of its dimensions comes first, second and so on, to make them right.
    """

    shape: tuple[int, ...]
    order: tuple[int, ...]

    @property
    def moved(self) -> tuple[int, ...]:
        """The dimensions that do not stay where they are."""
        return tuple(k for k, each in enumerate(self.order) if k != each)

    @property
    def result(self) -> tuple[int, ...]:
        """Sizes afterwards."""
        return tuple(self.shape[k] for k in self.order)

    def of(self, matrix: Tensor) -> Tensor:
        """A matrix with the dimensions where they belong."""
        return self.read(matrix).reshape(matrix.shape)

    def read(self, matrix: Tensor) -> Tensor:
        """Likewise, as a view of the shape that results."""
        return matrix.reshape(self.shape).permute(self.order)


def transposed(pair: Pair) -> Diagnosis | None:
    """All analytical numbers are the numerical ones with two dimensions exchanged."""
    if pair.analytical_is_zero or pair.numerical_is_zero or not _may_be_same_numbers(pair):
        return None
    for exchange in _exchanges(pair):
        confidence = pair.confidence(_holds(exchange))
        if confidence is None:
            continue
        repaired = exchange.of(pair.analytical)
        return pair.diagnosis(
            "transposed",
            _sentence(pair, exchange),
            confidence=confidence,
            evidence=_evidence(pair),
            repair=pair.repair("With these dimensions exchanged back.", repaired),
        )
    return None


def _may_be_same_numbers(pair: Pair) -> bool:
    """Whether both matrices are as large as a whole, which costs less than trying each order."""
    ours, theirs = float(pair.analytical.norm()), float(pair.numerical.norm())
    return abs(ours - theirs) <= _ALIKE * theirs


_ALIKE = 0.02


def _holds(exchange: _Exchange) -> Callable[[Pair], bool]:
    def holds(pair: Pair) -> bool:
        return pair.is_same(exchange.read(pair.analytical), pair.numerical.reshape(exchange.result))

    return holds


def _exchanges(pair: Pair) -> Iterator[_Exchange]:
    """Two dimensions of input and output; then those of one, of equal size first."""
    shape, inputs = pair.shape, len(pair.input_shape)
    for one in range(inputs):
        for other in range(inputs, len(shape)):
            if shape[one] == shape[other] > 1:
                order = list(range(len(shape)))
                order[one], order[other] = other, one
                yield _Exchange(shape, tuple(order))
    if pair.input_shape == pair.output_shape and inputs > 1:
        yield _Exchange(shape, (*range(inputs, len(shape)), *range(inputs)))
    within = [*_within(shape, 0, inputs), *_within(shape, inputs, len(shape))]
    yield from (each for each in within if each.shape == shape)
    if pair.numerical.numel() <= _MOST_ELEMENTS:
        yield from (each for each in within if each.shape != shape)
        for split in split_shapes(pair.input_shape):
            if split != pair.input_shape:
                longer = (*split, *pair.output_shape)
                yield from (each for each in _within(longer, 0, len(split)) if _is_swap(each))


def _within(shape: tuple[int, ...], first: int, last: int) -> Iterator[_Exchange]:
    """The permutations of some dimensions that give this shape, of few dimensions first."""
    if last - first > _MOST_DIMENSIONS:
        return
    orders = sorted(permutations(range(first, last)), key=lambda each: _count_moved(each, first))
    for order in orders:
        full = (*range(first), *order, *range(last, len(shape)))
        read = [0] * len(shape)
        for size, place in zip(shape, full, strict=True):
            read[place] = size
        exchange = _Exchange(tuple(read), full)
        if exchange.moved and any(shape[k] > 1 for k in exchange.moved):
            yield exchange


def _count_moved(order: tuple[int, ...], first: int) -> int:
    return sum(k != each for k, each in enumerate(order, first))


def _is_swap(exchange: _Exchange) -> bool:
    return len(exchange.moved) == 2


_MOST_ELEMENTS = 1_000_000
"""With more, only dimensions of equal size are tried."""

_MOST_DIMENSIONS = 4


def _evidence(pair: Pair) -> tuple[str, ...]:
    wrong, count = pair.block.wrong, pair.numerical.numel()
    first = f"As they are, {wrong} of {count} elements are wrong; with them exchanged, none is."
    if not pair.moved:
        return (first,)
    return first, "With other values of the inputs it is the same."


def _sentence(pair: Pair, exchange: _Exchange) -> str:
    inputs, moved = len(pair.input_shape), exchange.moved
    count = pair.analytical.numel()
    if exchange.shape != pair.shape:
        return (
            f"Where the gradient of {pair.input_name} needs a transpose, it is viewed or reshaped:"
            f" all {count} analytical numbers are the numerical ones once they are read as"
            f" {list(exchange.shape)}, of input and output, and brought into the order"
            f" {list(exchange.order)}. Look for .view or .reshape instead of .t()."
        )
    if moved[0] < inputs <= moved[-1] and len(moved) > 2:
        return (
            f"Backward applies the Jacobian itself to the gradient of {pair.output_name}, instead"
            f" of its transpose: all {count} analytical numbers are the numerical ones with rows"
            " and columns exchanged."
        )
    if moved[0] < inputs <= moved[-1]:
        return (
            f"The gradient of {pair.input_name} lacks a transpose, or has one too many: all {count}"
            f" analytical numbers are the numerical ones with dimension {moved[0]} of"
            f" {pair.input_name} and dimension {moved[1] - inputs} of {pair.output_name} exchanged."
            " In a product of matrices, look for a .t()."
        )
    if moved[-1] < inputs:
        return (
            f"The gradient of {pair.input_name} is returned transposed: all {count} analytical"
            f" numbers are the numerical ones with dimensions {say_list(list(map(str, moved)))} of"
            f" {pair.input_name} exchanged."
        )
    used = say_list([str(each - inputs) for each in moved])
    return (
        f"The gradient of {pair.output_name} is used transposed for {pair.input_name}: all {count}"
        f" analytical numbers are the numerical ones with dimensions {used} of {pair.output_name}"
        " exchanged."
    )
