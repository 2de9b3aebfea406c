"""Columns of all uses of tensors by nodes and steps, compact because there are very many."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.search.query import shape_key
from gradviz.model.item import Item
from gradviz.model.step_values import StepRole

UseRole = StepRole | Literal["saved"]
UseNumbers = npt.NDArray[np.int64]

MOST_CHARACTERS = 200
"""Number of characters of a name that are searched; nobody types more."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TextColumn:
    """One text for each use, stored as codes of a few different texts.

    Attributes:
        words: The different texts.
        codes: For each use, the position of its text in ``words``.
    """

    words: tuple[str, ...]
    codes: UseNumbers

    def scores(self, score: Callable[[str], int]) -> UseNumbers:
        """The score of each use, computed once for each different text."""
        if not self.words:
            return np.zeros(0, np.int64)
        return np.array([score(word) for word in self.words], np.int64)[self.codes]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TensorUses:
    """Uses of tensors in columns; position ``n`` of each column describes the same use.

    Attributes:
        things: Position in `SearchIndex.things`.
        steps: Number of the step; 0 if unknown.
        tensors: Number of the tensor.
        roles: Role of the tensor for the thing.
        items: The tensor with its name.
        names: The same names as texts.
        shapes: Shapes as written by `shape_key`.
        dtypes: Torch's names of the dtypes.
        devices: Devices as torch prints them.
    """

    things: UseNumbers
    steps: UseNumbers
    tensors: UseNumbers
    roles: tuple[UseRole, ...]
    items: tuple[Item, ...]
    names: TextColumn
    shapes: TextColumn
    dtypes: TextColumn
    devices: TextColumn


class TensorUseBuilder:
    """Collects uses of tensors, in columns from the start.

    A tuple for each use would make the garbage collector traverse the whole trace several times.
    """

    def __init__(self) -> None:
        self._things: list[int] = []
        self._steps: list[int] = []
        self._roles: list[UseRole] = []
        self._items: list[Item] = []

    def add(self, entry: int, step: int, role: UseRole, items: Iterable[Item]) -> None:
        """Add the items that are tensors.

        Args:
            entry: Position in `SearchIndex.things`.
            step: Number of the step; 0 if unknown.
            role: Their role for the thing.
            items: Tensors and other values.
        """
        for item in items:
            if item.tensor is not None:
                self._things.append(entry)
                self._steps.append(step)
                self._roles.append(role)
                self._items.append(item)

    def uses(self, index: TraceIndex) -> TensorUses:
        """The collected uses as columns."""
        return _uses(index, self._things, self._steps, self._roles, self._items)


def _uses(
    index: TraceIndex, things: list[int], steps: list[int], roles: list[UseRole], items: list[Item]
) -> TensorUses:
    tensors = np.array([item.tensor for item in items], np.int64)
    # The tensors of a trace are sorted by number.
    rows = np.searchsorted(index.tensors.ids, tensors)
    facts = [(shape_key(each.shape), each.dtype, each.device) for each in index.trace.tensors]
    shapes, dtypes, devices = zip(*facts, strict=True) if facts else ((), (), ())
    return TensorUses(
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


def _column_of(texts: Iterable[str], rows: UseNumbers) -> TextColumn:
    column = _column(texts)
    return TextColumn(words=column.words, codes=column.codes[rows])


def _column(texts: Iterable[str]) -> TextColumn:
    known: dict[str, int] = {}
    codes = [known.setdefault(text, len(known)) for text in texts]
    return TextColumn(words=tuple(known), codes=np.array(codes, np.int64))
