"""Rule for a linear map that lacks a transpose in backward, or has one too many.

For ``y = x @ w``, the gradient of ``w`` is ``x.T @ g``, so its Jacobian is
``J[i, o, b, p] = x[b, i] * (o == p)`` with ``[i, o]`` from ``w`` and ``[b, p]`` from ``y``. Without
the transpose it is ``x[i, b] * (o == p)``: the same values with ``i`` and ``b`` swapped, which are
a dimension of the input and one of the output. The same holds for every other linear map that
backward applies as forward does, such as a cumulative sum in the same direction. If the gradient
as a whole is transposed, two dimensions of the input are swapped; if ``g`` is, two of the output.
If their sizes differ, a view of the same shape was used in place of a transpose.

Rule for a matrix product without its transpose, next to elementwise slopes. For ``y = tanh(x @ w)``
and ``d = g * (1 - y * y)``, the gradient of ``x`` is ``d @ w.t()``. For one row, the Jacobian is
``w[i, o] * s[o]`` with the slopes ``s``; without the transpose it is ``w[o, i] * s[o]``. So the
value at ``[i, o]`` divided by the numerical value at ``[o, i]`` is ``s[o] / s[i]``: there is one
slope per index, and all of the many quotients must agree with them.

Rule for a right gradient whose parts are in the wrong order along a dimension of the input. Its
halves are exchanged, for example, or a permutation is applied where its inverse is needed.

Rule for a gradient that arrives one index too early or too late. In a recurrence, the gradient of
``x[t]`` may be written to ``x[t + 1]``; the last one is then lost, or comes back at the first
index.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import torch
from msgspec import Struct
from torch import Tensor

from gradviz.catalogue.messages import say, say_list
from gradviz.checks.diagnosis.support.jacobian_pair import JacobianPair, split_shapes
from gradviz.checks.diagnosis.support.rule import say_dimensions_of, yields
from gradviz.model.diagnosis import Diagnosis

_LEAST = 3
"""Most 2×2 matrices fit this pattern."""

_PRECISION = 1e-4
_MOST_INSIDE = 1_000_000


@yields("transposed")
def transposed_inside(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose analytical values that are numerical ones transposed, apart from slopes."""
    small = pair.numerical.numel() <= _MOST_INSIDE and not pair.numerical.is_complex()
    if pair.order != 1 or not small or pair.analytical_is_zero or pair.numerical_is_zero:
        return None
    found = pair.first_lasting(_square_sides(pair), _has_slopes)
    if found is None:
        return None
    (one, other), confidence = found
    names = {"input": pair.input_name, "output": pair.output_name}
    values = {**names, "one": one, "other": other - len(pair.input_shape)}
    sentence = say_of_map("transposed.inside", pair, values)
    return pair.diagnosis("transposed", sentence, confidence=confidence)


def _square_sides(pair: JacobianPair) -> Iterator[tuple[int, int]]:
    """Each dimension of the input with those of the output of the same size."""
    inputs = len(pair.input_shape)
    for one, size in enumerate(pair.input_shape):
        for other, length in enumerate(pair.output_shape, inputs):
            if size == length >= _LEAST:
                yield one, other


def _has_slopes(pair: JacobianPair, dimensions: tuple[int, int]) -> bool:
    """Whether the quotients along two dimensions are those of one slope per index."""
    ours, theirs = (_squares(pair, each, dimensions) for each in (pair.analytical, pair.numerical))
    theirs = theirs.to(ours.device).transpose(-1, -2)
    used = pair.support(theirs).flatten(1).any(1)
    if not bool(used.any()) or bool(pair.support(ours[~used]).any()):
        return False
    ours, theirs = ours[used], theirs[used]
    if not bool(pair.support(ours).all() and pair.support(theirs).all()):
        return False
    slopes = ours / theirs
    if not bool((slopes > 0).all()):
        return False
    # With logarithms, the quotients s[o] / s[i] become differences.
    found = slopes.log()
    first = found[:, :1, :]
    off = (found - (first - first.transpose(-1, -2))).abs()
    return bool((off <= _PRECISION).all())


def _squares(pair: JacobianPair, matrix: Tensor, dimensions: tuple[int, int]) -> Tensor:
    """View as ``[everything else, the input's dimension, the output's dimension]``."""
    moved = matrix.reshape(pair.shape).movedim(dimensions, (-2, -1))
    return moved.reshape(-1, *moved.shape[-2:])


_MOST = 32
"""Largest size of a dimension that is examined, because the cost grows with its square."""


@yields("wrong_some_indices")
def reordered(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose analytical values that are the numerical ones of another index of the input."""
    if pair.order != 1 or pair.analytical_is_zero or pair.numerical_is_zero:
        return None
    found = pair.first_lasting(_orders(pair), _has_order)
    if found is None:
        return None
    (dimension, order), confidence = found
    moved = [each for each, other in enumerate(order) if each != other]
    counts = {"count": len(moved), "size": len(order)}
    return pair.diagnosis(
        f"wrong_some_indices.reordered.{_kind(order)}",
        confidence=confidence,
        evidence=(say("wrong_some_indices.reordered.evidence", **counts),),
        along=say_dimensions_of((dimension,), pair.input_name),
        index=moved[0],
        other=order[moved[0]],
    )


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


def _has_order(pair: JacobianPair, found: tuple[int, tuple[int, ...]]) -> bool:
    dimension, order = found
    return _order(pair, dimension) == order


def _kind(order: tuple[int, ...]) -> str:
    half = len(order) // 2
    return "halves" if order == (*range(half, 2 * half), *range(half)) else "other"


Shift = tuple[int, int, bool]
"""A dimension of input and output together, by how much, and whether the last one comes first."""


@yields("wrong_some_indices")
def shifted(pair: JacobianPair) -> Diagnosis | None:
    """Diagnose analytical values that are the numerical ones of the index before or after."""
    if pair.order != 1 or pair.analytical_is_zero or pair.numerical_is_zero:
        return None
    found = pair.first_lasting(_shifts(pair), _is_shifted)
    if found is None:
        return None
    (dimension, by, _), confidence = found
    beyond = dimension - len(pair.input_shape)
    where = (dimension, pair.input_name) if beyond < 0 else (beyond, pair.output_name)
    return pair.diagnosis(
        f"wrong_some_indices.shifted.{'earlier' if by < 0 else 'later'}",
        confidence=confidence,
        evidence=(say("wrong_some_indices.shifted.evidence", count=len(pair.analytical)),),
        along=say_dimensions_of((where[0],), where[1]),
    )


def _shifts(pair: JacobianPair) -> Iterator[Shift]:
    for dimension, size in enumerate(pair.shape):
        # Of two, the one before and the one after are the same.
        if size > 2:
            for by in (1, -1):
                yield from ((dimension, by, wraps) for wraps in (False, True))


def _is_shifted(pair: JacobianPair, shift: Shift) -> bool:
    dimension, by, wraps = shift
    numerical, analytical = pair.numerical.reshape(pair.shape), pair.analytical.reshape(pair.shape)
    expected, edge = torch.roll(numerical, by, dimension), 0 if by > 0 else -1
    if not wraps:
        expected.select(dimension, edge).zero_()
    if not expected.any() or not pair.is_same(analytical, expected):
        return False
    # Where all values along the dimension are equal, only those at the edge are wrong.
    rest = numerical.clone()
    rest.select(dimension, edge).copy_(expected.select(dimension, edge))
    return not pair.is_same(analytical, rest)


class _Exchange(Struct, frozen=True):
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
    found = pair.first_lasting(_exchanges(pair), _is_exchanged)
    if found is None:
        return None
    exchange, confidence = found
    return pair.diagnosis(
        "transposed",
        _sentence(pair, exchange),
        confidence=confidence,
        evidence=_evidence(pair),
        repair=pair.repair(say("transposed.repair"), exchange.of(pair.analytical)),
    )


def _may_be_same_numbers(pair: JacobianPair) -> bool:
    """Whether both matrices have about the same norm; cheaper than trying every order."""
    ours, theirs = float(pair.analytical.norm()), float(pair.numerical.norm())
    return abs(ours - theirs) <= _ALIKE * theirs


_ALIKE = 0.02


def _is_exchanged(pair: JacobianPair, exchange: _Exchange) -> bool:
    return pair.is_same(exchange.read(pair.analytical), pair.numerical.reshape(exchange.result))


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
