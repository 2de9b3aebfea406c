"""Every tensor at every node and step, in columns: so many that each must cost next to nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from gradviz.model.index import Index
from gradviz.model.item import Item
from gradviz.model.search.terms import shape_key

Role = Literal[
    "saved",
    "input",
    "output",
    "incoming",
    "returned",
    "passed",
    "contribution",
    "total",
    "leaf",
    "root",
]
Numbers = npt.NDArray[np.int64]

MOST_CHARACTERS = 200
"""So much of a name is searched; longer ones come from nobody's hand."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Column:
    """One text for each use, from few different ones.

    Attributes:
        words: The different texts.
        codes: Of each use, the position of its text in ``words``.
    """

    words: tuple[str, ...]
    codes: Numbers

    def scores(self, score: Callable[[str], int]) -> Numbers:
        """Of each use the score of its text."""
        if not self.words:
            return np.zeros(0, np.int64)
        return np.array([score(word) for word in self.words], np.int64)[self.codes]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Uses:
    """The columns; position ``n`` of each is about the same use.

    Attributes:
        things: Position in `SearchBook.things`.
        steps: Number of the step; 0 where it is unknown.
        tensors: Number of the tensor.
        roles: What the tensor is to the thing.
        items: The tensor by its name.
        names: The same names as texts.
        shapes: As `shape_key` spells them.
        dtypes: Torch's names.
        devices: As torch prints them.
    """

    things: Numbers
    steps: Numbers
    tensors: Numbers
    roles: tuple[Role, ...]
    items: tuple[Item, ...]
    names: Column
    shapes: Column
    dtypes: Column
    devices: Column


class UseList:
    """Uses while they are collected, in columns from the first.

    A tuple for each would have the garbage collector walk over the whole trace several times.
    """

    def __init__(self) -> None:
        self._things: list[int] = []
        self._steps: list[int] = []
        self._roles: list[Role] = []
        self._items: list[Item] = []

    def add(self, thing: int, step: int, role: Role, items: Iterable[Item]) -> None:
        """Notes those of some items that are tensors.

        Args:
            thing: Position in `SearchBook.things`.
            step: Number of the step; 0 where it is unknown.
            role: What they are to the thing.
            items: Tensors and other values.
        """
        for item in items:
            if item.tensor is not None:
                self._things.append(thing)
                self._steps.append(step)
                self._roles.append(role)
                self._items.append(item)

    def uses(self, index: Index) -> Uses:
        """What was noted."""
        return _uses(index, self._things, self._steps, self._roles, self._items)


def _uses(
    index: Index, things: list[int], steps: list[int], roles: list[Role], items: list[Item]
) -> Uses:
    tensors = np.array([item.tensor for item in items], np.int64)
    # Tensors are ordered by number.
    rows = np.searchsorted(index.tensors.ids, tensors)
    facts = [(shape_key(each.shape), each.dtype, each.device) for each in index.trace.tensors]
    shapes, dtypes, devices = zip(*facts, strict=True) if facts else ((), (), ())
    return Uses(
        things=np.array(things, np.int64),
        steps=np.array(steps, np.int64),
        tensors=tensors,
        roles=tuple(roles),
        items=tuple(items),
        names=_column(item.name[:MOST_CHARACTERS] for item in items),
        shapes=_column_of(shapes, rows),
        dtypes=_column_of(dtypes, rows),
        devices=_column_of(devices, rows),
    )


def _column_of(texts: Iterable[str], rows: Numbers) -> Column:
    column = _column(texts)
    return Column(words=column.words, codes=column.codes[rows])


def _column(texts: Iterable[str]) -> Column:
    known: dict[str, int] = {}
    codes = [known.setdefault(text, len(known)) for text in texts]
    return Column(words=tuple(known), codes=np.array(codes, np.int64))
