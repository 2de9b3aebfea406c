"""Sequences of records that are decoded from the text of their rows on demand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

from gradviz.model.columns import MetadataKey, StepColumns, TensorColumns
from gradviz.model.inside import Inside
from gradviz.model.step import Step
from gradviz.model.tensor import TensorRecord

T = TypeVar("T")

_NUMBER = "(?:0|[1-9][0-9]{0,17})"
_WHOLE = re.compile(rf'\[({_NUMBER}),(.*),({_NUMBER}),{_NUMBER},("whole",.*),(?:{_NUMBER}|null)\]')
"""Row of a wholly stored tensor: id, other fields, storage, version, other fields, offset."""

_MOST_KEPT = 1 << 13
"""Number of cached records; a million would fill the memory."""


class LazyRows(Sequence[T], Generic[T]):
    """A sequence of records, equal to any other sequence of equal records, such as a tuple."""

    def __init__(self, texts: list[str], read: Callable[[str], T]) -> None:
        """Use texts in order, and a function that decodes one."""
        self._texts = texts
        self._read = read
        self._all: tuple[T, ...] | None = None
        self._some: dict[int, T] = {}

    def __len__(self) -> int:
        """Number of records."""
        return len(self._texts)

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[T, ...]: ...
    def __getitem__(self, place: int | slice) -> T | tuple[T, ...]:
        """One record, or a tuple of several."""
        if self._all is not None:
            return self._all[place]
        if isinstance(place, slice):
            return tuple(map(self._read, self._texts[place]))
        at = place if place >= 0 else place + len(self._texts)
        made = self._some.get(at)
        if made is None:
            made = self._read(self._texts[place])
            if len(self._some) >= _MOST_KEPT:
                self._some.clear()
            self._some[at] = made
        return made

    def __iter__(self) -> Iterator[T]:
        """Iterate over all records; those of a long table are decoded again each time."""
        if self._all is None and len(self._texts) <= _MOST_KEPT:
            self._all = tuple(map(self._read, self._texts))
            self._some.clear()
        return map(self._read, self._texts) if self._all is None else iter(self._all)

    def __eq__(self, other: object) -> bool:
        """Whether another sequence has equal records."""
        if not isinstance(other, Sequence):
            return NotImplemented
        if len(other) != len(self):
            return False
        return all(mine == its for mine, its in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


class LazySteps(LazyRows[Step]):
    """Steps, with the columns that were collected when they were first read."""

    step_columns: StepColumns


class LazyTensors(LazyRows[TensorRecord]):
    """Tensor records, with the columns that were collected when they were first read."""

    tensor_columns: TensorColumns

    def metadata_keys(self) -> Iterator[MetadataKey | None]:
        """For each tensor, its row without the numbers, its id and its storage.

        None for a tensor that is not stored as a whole or has no storage or version.

        Of two rows with equal keys, either both decode, to records that differ only in their
        numbers, or none does: the quotes of ``"whole"`` are outside of all strings, because a comma
        and not a backslash is in front of them, so the numbers before them are fields.
        """
        # SQLite stores any type in a column.
        texts: list[Any] = self._texts
        for text in texts:
            found = _WHOLE.fullmatch(text) if isinstance(text, str) else None
            if found is None:
                yield None
            else:
                number, before, storage, after = found.groups()
                yield (before, after), int(number), int(storage)

    def followed_by(self, texts: list[str], columns: TensorColumns) -> LazyTensors:
        """These records and later ones, given by the texts of their rows and their columns."""
        both = LazyTensors([*self._texts, *texts], self._read)
        both.tensor_columns = self.tensor_columns.followed_by(columns)
        return both


class LazyInsides(LazyRows[Inside]):
    """Contents of steps, with the step numbers."""

    @property
    def numbers(self) -> list[int]:
        """The step of each record: the first field of its row."""
        return [int(text[1 : text.index(",")]) for text in self._texts]
