"""Rule for a right gradient whose parts are in the wrong order along a dimension of the input.

Its halves are exchanged, for example, or a permutation is applied where its inverse is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from torch import Tensor

from gradviz.catalogue.messages import say
from gradviz.checks.diagnosis.support.dimension_text import say_dimensions_of
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair
from gradviz.checks.diagnosis.support.rule import yields
from gradviz.model.diagnosis import Diagnosis

_MOST = 32
"""Largest size of a dimension that is examined, because the cost grows with its square."""


@yields("wrong_some_indices")
def reordered(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose analytical values that are the numerical ones of another index of the input."""
    if pair.order != 1 or pair.analytical_is_zero or pair.numerical_is_zero:
        return None
    for dimension, order in _orders(pair):
        confidence = pair.confidence(_holds(dimension, order))
        if confidence is None:
            continue
        moved = [each for each, other in enumerate(order) if each != other]
        return pair.diagnosis(
            f"wrong_some_indices.reordered.{_kind(order)}",
            confidence=confidence,
            evidence=(
                say(
                    "wrong_some_indices.reordered.evidence",
                    count=len(moved),
                    size=len(order),
                ),
            ),
            along=say_dimensions_of((dimension,), pair.input_name),
            index=moved[0],
            other=order[moved[0]],
        )
    return None


def _orders(pair: JacobianPair) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield each dimension along which the parts are out of order, and where each belongs."""
    for dimension, size in enumerate(pair.input_shape):
        order = _order(pair, dimension) if 1 < size <= _MOST else None
        if order is not None and order != tuple(range(size)):
            yield dimension, order


def _order(pair: JacobianPair, dimension: int) -> tuple[int, ...] | None:
    """For each index, the one whose numerical values it has; None unless there is exactly one."""
    numerical, found = _parts(pair, pair.numerical, dimension), []
    for part in _parts(pair, pair.analytical, dimension):
        same = [at for at, each in enumerate(numerical) if pair.is_same(part, each)]
        if len(same) != 1 or same[0] in found:
            return None
        found += same
    return tuple(found)


def _parts(pair: JacobianPair, matrix: Tensor, dimension: int) -> tuple[Tensor, ...]:
    return matrix.reshape(pair.shape).unbind(dimension)


def _holds(dimension: int, order: tuple[int, ...]) -> Callable[[JacobianPair], bool]:
    return lambda pair: _order(pair, dimension) == order


def _kind(order: tuple[int, ...]) -> str:
    half = len(order) // 2
    return "halves" if order == (*range(half, 2 * half), *range(half)) else "other"
