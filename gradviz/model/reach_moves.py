"""Rules for ops that only move elements: views, slices and joining of tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from gradviz.model.reach import (
    FILLED,
    Array,
    Asked,
    Given,
    Reach,
    Rule,
    moved,
    numbers_of,
    spot_of,
)


def _joined(*, new: bool) -> Rule:
    """Create the rule of ``cat``, or of ``stack``, which adds a ``new`` dimension."""

    def rule(asked: Asked) -> Reach | None:
        dim = asked.dimension("dim", len(asked.shape), 0)
        ends, numbers = [0], []
        for shape in asked.shapes.values():
            each = numbers_of(shape, ends[-1])
            numbers.append(np.expand_dims(each, dim) if new else each)
            ends.append(ends[-1] + each.size)
        if not numbers:
            return None
        # torch.cat skips an empty vector, whatever the other shapes.
        made = np.concatenate([each for each in numbers if each.shape != (0,)], axis=dim)
        if made.shape != asked.shape:
            return None
        number = int(made[asked.spot])
        place = int(np.searchsorted(ends, number, "right")) - 1
        at = list(asked.shapes)[place]
        spot = spot_of(number - ends[place], asked.shapes[at])
        return Reach(sums=((Given(at=at, spots=(spot,)),),))

    return rule


def _reshape(numbers: Array, asked: Asked) -> Array:
    return numbers.reshape(asked.shape)


def _transpose(numbers: Array, asked: Asked) -> Array:
    rank = numbers.ndim
    return np.swapaxes(numbers, asked.dimension("dim0", rank), asked.dimension("dim1", rank))


def _permute(numbers: Array, asked: Asked) -> Array:
    return np.transpose(numbers, asked.argument("dims"))


def _select(numbers: Array, asked: Asked) -> Array:
    return np.asarray(
        np.take(numbers, asked.argument("index"), axis=asked.dimension("dim", numbers.ndim))
    )


def _piece(asked: Asked, rank: int) -> tuple[slice, ...]:
    dim = asked.dimension("dim", rank, 0)
    piece = slice(asked.argument("start", 0), asked.argument("end"), asked.argument("step", 1))
    return (*[slice(None)] * dim, piece)


def _slice(numbers: Array, asked: Asked) -> Array:
    return numbers[_piece(asked, numbers.ndim)]


def _slice_backward(numbers: Array, asked: Asked) -> Array:
    made = np.full(asked.shape, FILLED)
    made[_piece(asked, numbers.ndim)] = numbers
    return made


def _select_backward(numbers: Array, asked: Asked) -> Array:
    made = np.full(asked.shape, FILLED)
    dim = asked.dimension("dim", made.ndim)
    made[(*[slice(None)] * dim, asked.argument("index"))] = numbers
    return made


def _split(numbers: Array, asked: Asked) -> Sequence[Array]:
    dim = asked.dimension("dim", numbers.ndim, 0)
    size = asked.argument("split_size", asked.argument("split_sizes"))
    cuts: Any = range(size, numbers.shape[dim], size) if isinstance(size, int) else np.cumsum(size)
    return np.split(numbers, list(cuts), axis=dim)


def _unbind(numbers: Array, asked: Asked) -> Sequence[Array]:
    return list(np.moveaxis(numbers, asked.dimension("dim", numbers.ndim, 0), 0))


def _diagonal(numbers: Array, asked: Asked) -> Array:
    return np.diagonal(
        numbers, asked.argument("offset", 0), asked.argument("dim1", 0), asked.argument("dim2", 1)
    )


def _pad(numbers: Array, asked: Asked) -> Array:
    sizes = asked.argument("pad")
    pairs = list(zip(sizes[::2], sizes[1::2], strict=True))[::-1]
    return np.pad(numbers, [(0, 0)] * (numbers.ndim - len(pairs)) + pairs, constant_values=FILLED)


def _lower(numbers: Array, asked: Asked) -> Array:
    kept = np.tril(np.ones(numbers.shape, np.bool_), asked.argument("diagonal", 0))
    return np.where(kept, numbers, FILLED)


def _upper(numbers: Array, asked: Asked) -> Array:
    kept = np.triu(np.ones(numbers.shape, np.bool_), asked.argument("diagonal", 0))
    return np.where(kept, numbers, FILLED)


_RESHAPING: Final = ("view", "reshape", "_reshape_alias", "_unsafe_view", "unsqueeze", "squeeze")

MOVES: Final[dict[str, Rule]] = {
    "cat": _joined(new=False),
    "stack": _joined(new=True),
    **dict.fromkeys(_RESHAPING, moved(_reshape)),
    "expand": moved(lambda numbers, asked: np.broadcast_to(numbers, asked.shape)),
    "transpose": moved(_transpose),
    "permute": moved(_permute),
    "select": moved(_select),
    "slice": moved(_slice),
    "slice_backward": moved(_slice_backward),
    "select_backward": moved(_select_backward),
    "split": moved(_split),
    "split_with_sizes": moved(_split),
    "unbind": moved(_unbind),
    "diagonal": moved(_diagonal),
    "flip": moved(lambda numbers, asked: np.flip(numbers, asked.argument("dims"))),
    "repeat": moved(lambda numbers, asked: np.tile(numbers, asked.argument("repeats"))),
    "tril": moved(_lower),
    "triu": moved(_upper),
    "constant_pad_nd": moved(_pad),
}
"""Rules by op name, without ``aten::``."""
