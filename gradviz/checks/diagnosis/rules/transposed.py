"""Rule for a linear map that lacks a transpose in backward, or has one too many.

For ``y = x @ w``, the gradient of ``w`` is ``x.T @ g``, so its Jacobian is
``J[i, o, b, p] = x[b, i] * (o == p)`` with ``[i, o]`` from ``w`` and ``[b, p]`` from ``y``. Without
the transpose it is ``x[i, b] * (o == p)``: the same values with ``i`` and ``b`` swapped, which are
a dimension of the input and one of the output. The same holds for every other linear map that
backward applies as forward does, such as a cumulative sum in the same direction. If the gradient
as a whole is transposed, two dimensions of the input are swapped; if ``g`` is, two of the output.
If their sizes differ, a view of the same shape was used in place of a transpose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import permutations

from torch import Tensor

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair, split_shapes
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.model.diagnosis import Diagnosis


@dataclass(frozen=True, slots=True)
class _Exchange:
    """A permutation of dimensions; those of the input are counted first, then the output's.

    Attributes:
        shape: Shape that the analytical values are viewed as.
        order: For each dimension of the correct result, its index in this shape.
    """

    shape: tuple[int, ...]
    order: tuple[int, ...]

    @property
    def moved(self) -> tuple[int, ...]:
        """The dimensions that change their position."""
        return tuple(k for k, each in enumerate(self.order) if k != each)

    @property
    def result(self) -> tuple[int, ...]:
        """Shape after the permutation."""
        return tuple(self.shape[k] for k in self.order)

    def of(self, matrix: Tensor) -> Tensor:
        """The matrix with its dimensions in the correct order."""
        return self.read(matrix).reshape(matrix.shape)

    def read(self, matrix: Tensor) -> Tensor:
        """The permuted matrix as a view, in the shape after the permutation."""
        return matrix.reshape(self.shape).permute(self.order)


@yields("transposed")
def transposed(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose analytical values that are the numerical ones with dimensions permuted."""
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
            repair=pair.repair(say("transposed.repair"), repaired),
        )
    return None


def _may_be_same_numbers(pair: JacobianPair) -> bool:
    """Whether both matrices have about the same norm; cheaper than trying every order."""
    ours, theirs = float(pair.analytical.norm()), float(pair.numerical.norm())
    return abs(ours - theirs) <= _ALIKE * theirs


_ALIKE = 0.02


def _holds(exchange: _Exchange) -> Callable[[JacobianPair], bool]:
    def holds(pair: JacobianPair) -> bool:
        return pair.is_same(exchange.read(pair.analytical), pair.numerical.reshape(exchange.result))

    return holds


def _exchanges(pair: JacobianPair) -> Iterator[_Exchange]:
    """Swaps between input and output, then those within one of them, equal sizes first."""
    shape, inputs = pair.shape, len(pair.input_shape)
    for one in range(inputs):
        for other in range(inputs, len(shape)):
            if shape[one] == shape[other] > 1:
                order = list(range(len(shape)))
                order[one], order[other] = other, one
                yield _Exchange(shape, tuple(order))
    # All dimensions at once: a linear map that backward applies as forward does.
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
    """Permutations of some dimensions that give this shape, those that move few first."""
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
"""Above this, only dimensions of equal size are tried."""

_MOST_DIMENSIONS = 4


def _evidence(pair: JacobianPair) -> tuple[str, ...]:
    first = say("transposed.evidence", wrong=pair.block.wrong, count=pair.numerical.numel())
    return (first, say("diagnosis.moved")) if pair.moved else (first,)


def _sentence(pair: JacobianPair, exchange: _Exchange) -> str:
    inputs, moved = len(pair.input_shape), exchange.moved
    values: dict[str, object] = {
        "input": pair.input_name,
        "output": pair.output_name,
        "count": pair.analytical.numel(),
    }
    if exchange.shape != pair.shape:
        shape, order = list(exchange.shape), list(exchange.order)
        return say("transposed.viewed", shape=shape, order=order, **values)
    if moved[0] < inputs <= moved[-1]:
        if len(moved) == len(exchange.shape):
            return with_hint(say("transposed.jacobian", **values), pair)
        values |= {"one": moved[0], "other": moved[1] - inputs}
        return say_of_map("transposed.swapped", pair, values)
    if moved[-1] < inputs:
        return say("transposed.input", dimensions=say_list(list(map(str, moved))), **values)
    used = say_list([str(each - inputs) for each in moved])
    return say("transposed.output", dimensions=used, **values)


def say_of_map(key: str, pair: JacobianPair, values: dict[str, object]) -> str:
    """A sentence on a linear map without its transpose, in words that fit what backward calls."""
    hints = _hints(pair)
    # If nothing is known about backward, a matrix product is by far the most common linear map.
    if not pair.operations or hints[:1] == [_PRODUCT]:
        return say(f"{key}.product", **values)
    return with_hint(say(key, **values), pair)


def with_hint(sentence: str, pair: JacobianPair) -> str:
    """A sentence with a second one on the first linear map that backward calls, if it is known."""
    hints = [each for each in _hints(pair) if each != _PRODUCT]
    return say(f"transposed.hint.{hints[0]}", found=sentence) if hints else sentence


def _hints(pair: JacobianPair) -> list[str]:
    return [hint for hint, names in _LINEAR.items() if not names.isdisjoint(pair.operations)]


_PRODUCT = "product"
_LINEAR = {
    _PRODUCT: {"mm", "bmm", "mv", "addmm", "addmv", "baddbmm", "dot"},
    "solve": {"linalg_solve_triangular", "linalg_solve_ex", "triangular_solve"},
    "cumsum": {"cumsum"},
    "roll": {"roll"},
    "index": {"index", "index_select", "gather", "take", "index_put", "scatter", "index_copy"},
}
"""Operations by the sentence about them."""
