"""The elements that are typed one by one: as text, as numbers, and what does not fit."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QCoreApplication

from gradviz.model.inputs import Number
from gradviz.viewer.inputs.parse import FieldError
from gradviz.viewer.inputs.words import parse_element


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """Elements as they are typed.

    Attributes:
        shape: Of the tensor.
        texts: In row-major order.
    """

    shape: tuple[int, ...]
    texts: tuple[str, ...]


def fitted(cells: Cells, shape: tuple[int, ...], zero: str) -> Cells:
    """The same cells in another shape.

    As many stay in their order; else those stay that both shapes have, and new ones are ``zero``.
    """
    count = math.prod(shape)
    if count == len(cells.texts):
        return Cells(shape=shape, texts=cells.texts)
    new = [zero] * count
    # Sizes of 1 in front: what has shape (3,) is the first row of (2, 3).
    deep = max(len(shape), len(cells.shape))
    old_shape = (1,) * (deep - len(cells.shape)) + cells.shape
    new_shape = (1,) * (deep - len(shape)) + shape
    both = [range(min(pair)) for pair in zip(old_shape, new_shape, strict=True)]
    for place in itertools.product(*both):
        new[_flat(place, new_shape)] = cells.texts[_flat(place, old_shape)]
    return Cells(shape=shape, texts=tuple(new))


def _flat(place: tuple[int, ...], shape: tuple[int, ...]) -> int:
    at = 0
    for index, size in zip(place, shape, strict=True):
        at = at * size + index
    return at


@dataclass(frozen=True, slots=True, kw_only=True)
class Elements:
    """What cells mean in a dtype.

    Attributes:
        numbers: Those that fit, in order.
        problem: A sentence on those that do not fit; else empty.
        note: A sentence on those that the dtype rounds; else empty.
        wrong: Positions of those that do not fit.
        rounded: Positions of those that are rounded.
    """

    numbers: tuple[Number, ...] = ()
    problem: str = ""
    note: str = ""
    wrong: frozenset[int] = frozenset()
    rounded: frozenset[int] = frozenset()


@lru_cache(maxsize=8)
def read_cells(cells: Cells, dtype: str) -> Elements:
    """Reads all cells as elements of a dtype."""
    numbers: list[Number] = []
    wrong: dict[int, str] = {}
    rounded: dict[int, str] = {}
    for at, text in enumerate(cells.texts):
        try:
            number, note = parse_element(text, dtype)
        except FieldError as error:
            wrong[at] = str(error)
            continue
        numbers.append(number)
        if note:
            rounded[at] = note
    return Elements(
        numbers=tuple(numbers),
        problem=_problem_of(wrong, cells.shape),
        note=_note_of(rounded, dtype),
        wrong=frozenset(wrong),
        rounded=frozenset(rounded),
    )


def _problem_of(wrong: dict[int, str], shape: tuple[int, ...]) -> str:
    if not wrong:
        return ""
    at, first = next(iter(wrong.items()))
    place = place_text(at, shape)
    if len(wrong) == 1:
        return _tr("Element {0}: {1}").format(place, first) if shape else first
    return _tr("{0:,} elements do not fit. The first, {1}: {2}").format(len(wrong), place, first)


def _note_of(rounded: dict[int, str], dtype: str) -> str:
    if not rounded:
        return ""
    first = next(iter(rounded.values()))
    if len(rounded) == 1:
        return first
    return _tr("{0:,} elements are rounded to {1}. {2}").format(len(rounded), dtype, first)


def place_text(at: int, shape: tuple[int, ...]) -> str:
    """The index of an element in row-major order as Python writes it, like ``[0, 2]``."""
    index: list[int] = []
    for size in reversed(shape):
        at, last = divmod(at, size)
        index.insert(0, last)
    return str(index)


def _tr(text: str) -> str:
    return QCoreApplication.translate("Inputs", text)
