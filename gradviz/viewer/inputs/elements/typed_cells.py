"""Elements that are typed one by one: as text, as numbers, and their problems."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache

from gradviz.model.inputs import Number
from gradviz.viewer.forms.controls import FieldError
from gradviz.viewer.inputs.fields.parsing import parse_element
from gradviz.viewer.translation import plural, translate


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedCells:
    """Elements as typed.

    Attributes:
        shape: Shape of the tensor.
        texts: One text per element, in row-major order.
    """

    shape: tuple[int, ...]
    texts: tuple[str, ...]


def fitted_cells(cells: TypedCells, shape: tuple[int, ...], zero: str) -> TypedCells:
    """Return the cells in another shape.

    If the number of elements is the same, they keep their row-major order. Otherwise the
    elements at indices that both shapes have are kept, and new ones are ``zero``.
    """
    count = math.prod(shape)
    if count == len(cells.texts):
        return TypedCells(shape=shape, texts=cells.texts)
    new = [zero] * count
    # Prepend sizes of 1: a tensor of shape (3,) becomes the first row of one of shape (2, 3).
    deep = max(len(shape), len(cells.shape))
    old_shape = (1,) * (deep - len(cells.shape)) + cells.shape
    new_shape = (1,) * (deep - len(shape)) + shape
    both = [range(min(pair)) for pair in zip(old_shape, new_shape, strict=True)]
    for place in itertools.product(*both):
        new[_flat(place, new_shape)] = cells.texts[_flat(place, old_shape)]
    return TypedCells(shape=shape, texts=tuple(new))


def _flat(place: tuple[int, ...], shape: tuple[int, ...]) -> int:
    at = 0
    for index, size in zip(place, shape, strict=True):
        at = at * size + index
    return at


@dataclass(frozen=True, slots=True, kw_only=True)
class CellElements:
    """Cells converted to a dtype.

    Attributes:
        numbers: The valid elements, in order.
        problem: A sentence on the invalid elements; empty if there are none.
        note: A sentence on the elements that the dtype rounds; empty if there are none.
        wrong: Positions of the invalid elements.
        rounded: Positions of the rounded elements.
    """

    numbers: tuple[Number, ...] = ()
    problem: str = ""
    note: str = ""
    wrong: frozenset[int] = frozenset()
    rounded: frozenset[int] = frozenset()


@lru_cache(maxsize=8)
def read_cells(cells: TypedCells, dtype: str) -> CellElements:
    """Parse all cells as elements of a dtype."""
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
    return CellElements(
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
        return translate("Inputs", "Element {0}: {1}").format(place, first) if shape else first
    text = plural.tr("%Ln element(s) are not valid. The first, {0}: {1}", "", len(wrong))
    return text.format(place, first)


def _note_of(rounded: dict[int, str], dtype: str) -> str:
    if not rounded:
        return ""
    first = next(iter(rounded.values()))
    if len(rounded) == 1:
        return first
    text = plural.tr("%Ln element(s) are rounded to {0}. {1}", "", len(rounded))
    return text.format(dtype, first)


def place_text(at: int, shape: tuple[int, ...]) -> str:
    """Index of an element in row-major order in Python syntax, like ``[0, 2]``."""
    index: list[int] = []
    for size in reversed(shape):
        at, last = divmod(at, size)
        index.insert(0, last)
    return str(index)
