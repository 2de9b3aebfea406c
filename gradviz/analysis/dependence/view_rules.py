"""Rules for ops that only move elements: views, slices and joining of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from gradviz.analysis.dependence.element_dependence import (
    FILLED,
    DependenceQuery,
    DependenceRule,
    ElementArray,
    ElementDependence,
    InputElements,
    element_index,
    move_rule,
    row_major_numbers,
)


def _joined(*, new: bool) -> DependenceRule:
    """Create the rule of ``cat``, or of ``stack``, which adds a ``new`` dimension."""

    def rule(requested: DependenceQuery) -> ElementDependence | None:
        dim = requested.dimension("dim", len(requested.shape), 0)
        ends, numbers = [0], []
        for shape in requested.shapes.values():
            each = row_major_numbers(shape, ends[-1])
            numbers.append(np.expand_dims(each, dim) if new else each)
            ends.append(ends[-1] + each.size)
        if not numbers:
            return None
        # torch.cat skips an empty vector, whatever the other shapes.
        made = np.concatenate([each for each in numbers if each.shape != (0,)], axis=dim)
        if made.shape != requested.shape:
            return None
        number = int(made[requested.element])
        place = int(np.searchsorted(ends, number, "right")) - 1
        at = list(requested.shapes)[place]
        element = element_index(number - ends[place], requested.shapes[at])
        return ElementDependence(sums=((InputElements(at=at, elements=(element,)),),))

    return rule


def _reshape(numbers: ElementArray, requested: DependenceQuery) -> ElementArray:
    return numbers.reshape(requested.shape)


def _transpose(numbers: ElementArray, requested: DependenceQuery) -> ElementArray:
    rank = numbers.ndim
    return np.swapaxes(
        numbers, requested.dimension("dim0", rank), requested.dimension("dim1", rank)
    )


def _permute(numbers: ElementArray, requested: DependenceQuery) -> ElementArray:
    return np.transpose(numbers, requested.argument("dims"))


def _select(numbers: ElementArray, requested: DependenceQuery) -> ElementArray:
    return np.asarray(
        np.take(numbers, requested.argument("index"), axis=requested.dimension("dim", numbers.ndim))
    )


def _piece(requested: DependenceQuery, rank: int) -> tuple[slice, ...]:
    dim = requested.dimension("dim", rank, 0)
    piece = slice(
        requested.argument("start", 0), requested.argument("end"), requested.argument("step", 1)
    )
    return (*[slice(None)] * dim, piece)


def _slice(numbers: ElementArray, requested: DependenceQuery) -> ElementArray:
    return numbers[_piece(requested, numbers.ndim)]


def _slice_backward(numbers: ElementArray, requested: DependenceQuery) -> ElementArray:
    made = np.full(requested.shape, FILLED)
    made[_piece(requested, numbers.ndim)] = numbers
    return made


def _select_backward(numbers: ElementArray, requested: DependenceQuery) -> ElementArray:
    made = np.full(requested.shape, FILLED)
    dim = requested.dimension("dim", made.ndim)
    made[(*[slice(None)] * dim, requested.argument("index"))] = numbers
    return made


def _split(numbers: ElementArray, requested: DependenceQuery) -> Sequence[ElementArray]:
    dim = requested.dimension("dim", numbers.ndim, 0)
    size = requested.argument("split_size", requested.argument("split_sizes"))
    cuts: Any = range(size, numbers.shape[dim], size) if isinstance(size, int) else np.cumsum(size)
    return np.split(numbers, list(cuts), axis=dim)


def _unbind(numbers: ElementArray, requested: DependenceQuery) -> Sequence[ElementArray]:
    return list(np.moveaxis(numbers, requested.dimension("dim", numbers.ndim, 0), 0))


def _diagonal(numbers: ElementArray, requested: DependenceQuery) -> ElementArray:
    return np.diagonal(
        numbers,
        requested.argument("offset", 0),
        requested.argument("dim1", 0),
        requested.argument("dim2", 1),
    )


def _pad(numbers: ElementArray, requested: DependenceQuery) -> ElementArray:
    sizes = requested.argument("pad")
    # torch lists the padding from the last dimension, NumPy from the first.
    pairs = list(zip(sizes[::2], sizes[1::2], strict=True))[::-1]
    return np.pad(numbers, [(0, 0)] * (numbers.ndim - len(pairs)) + pairs, constant_values=FILLED)


def _lower(numbers: ElementArray, requested: DependenceQuery) -> ElementArray:
    kept = np.tril(np.ones(numbers.shape, np.bool_), requested.argument("diagonal", 0))
    return np.where(kept, numbers, FILLED)


def _upper(numbers: ElementArray, requested: DependenceQuery) -> ElementArray:
    kept = np.triu(np.ones(numbers.shape, np.bool_), requested.argument("diagonal", 0))
    return np.where(kept, numbers, FILLED)


_RESHAPING: Final = ("view", "reshape", "_reshape_alias", "_unsafe_view", "unsqueeze", "squeeze")

VIEW_RULES: Final[dict[str, DependenceRule]] = {
    "cat": _joined(new=False),
    "stack": _joined(new=True),
    **dict.fromkeys(_RESHAPING, move_rule(_reshape)),
    "expand": move_rule(lambda numbers, requested: np.broadcast_to(numbers, requested.shape)),
    "transpose": move_rule(_transpose),
    "permute": move_rule(_permute),
    "select": move_rule(_select),
    "slice": move_rule(_slice),
    "slice_backward": move_rule(_slice_backward),
    "select_backward": move_rule(_select_backward),
    "split": move_rule(_split),
    "split_with_sizes": move_rule(_split),
    "unbind": move_rule(_unbind),
    "diagonal": move_rule(_diagonal),
    "flip": move_rule(lambda numbers, requested: np.flip(numbers, requested.argument("dims"))),
    "repeat": move_rule(lambda numbers, requested: np.tile(numbers, requested.argument("repeats"))),
    "tril": move_rule(_lower),
    "triu": move_rule(_upper),
    "constant_pad_nd": move_rule(_pad),
}
"""Rules by op name, without ``aten::``."""
