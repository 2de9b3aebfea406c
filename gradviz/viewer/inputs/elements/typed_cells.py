"""Elements that are typed one by one: as text, as numbers, and their problems."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

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

    def with_texts(self, text: str, *positions: int) -> TypedCells:
        """Return a copy with a text at some positions in row-major order."""
        texts = list(self.texts)
        for each in positions:
            texts[each] = text
        return replace(self, texts=tuple(texts))

    def array(self) -> npt.NDArray[Any]:
        """The texts as a new array of the shape."""
        return np.array(self.texts, dtype=object).reshape(self.shape)


def fitted_cells(cells: TypedCells, shape: tuple[int, ...], zero: str) -> TypedCells:
    """Return the cells in another shape.

    If the number of elements is the same, they keep their row-major order. Otherwise the
    elements at indices that both shapes have are kept, and new ones are ``zero``.
    """
    if math.prod(shape) == len(cells.texts):
        return TypedCells(shape=shape, texts=cells.texts)
    # Prepend sizes of 1: a tensor of shape (3,) becomes the first row of one of shape (2, 3).
    deep = max(len(shape), len(cells.shape))
    old_shape = (1,) * (deep - len(cells.shape)) + cells.shape
    new_shape = (1,) * (deep - len(shape)) + shape
    both = tuple(slice(min(pair)) for pair in zip(old_shape, new_shape, strict=True))
    new = np.full(new_shape, zero, dtype=object)
    new[both] = cells.array().reshape(old_shape)[both]
    return TypedCells(shape=shape, texts=tuple(new.flat))


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
    return str([int(each) for each in np.unravel_index(at, shape)])
