"""Finds the tensors with elements that are not finite, thousands of them at a time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Lock
from typing import Final

import numpy as np

from gradviz.model.columns import INFINITIES, NANS, TensorColumns
from gradviz.model.tensor import ITEM_SIZES, TensorValue, Values

Blobs = Callable[[Sequence[int]], Iterable[tuple[int, bytes]]]
"""Reads the kept elements of tensors by ascending numbers: pairs of number and bytes, in that
order, and perhaps those of tensors between them."""

_AT_ONCE: Final = 1_000
_MOST_BYTES: Final = 4 << 20


class Finite:
    """What is known of the tensors of one trace: told by their records, or found by looking.

    To look into each tensor by itself takes a hundred times as long. May be used from any thread.
    """

    def __init__(self, columns: TensorColumns, blobs: Blobs) -> None:
        """Takes the tensors, and what reads their elements."""
        self._columns = columns
        self._blobs = blobs
        self._flags = columns.flags.copy()
        self._unknown = np.flatnonzero(columns.unknown)
        self._looked = 0
        self._lock = Lock()

    @property
    def blobs(self) -> Blobs:
        """What reads the kept elements of many tensors."""
        return self._blobs

    def look(self, most: int | None = None, cancelled: Callable[[], bool] = bool) -> bool:
        """Looks into the tensors that nobody has looked into yet.

        Args:
            most: About so many bytes of elements at most.
            cancelled: Asked now and then.

        Returns:
            Whether all have been looked into.
        """
        read = 0
        while True:
            with self._lock:
                if self._looked == len(self._unknown):
                    return True
                if cancelled() or (most is not None and read >= most):
                    return False
                read += self._look_at_some()

    def not_finite(self) -> dict[int, int]:
        """By number, of each tensor known not to be finite: `NANS`, `INFINITIES` or both."""
        found = np.flatnonzero(self._flags)
        ids, flags = self._columns.ids[found], self._flags[found]
        return dict(zip(ids.tolist(), flags.tolist(), strict=True))

    def _look_at_some(self) -> int:
        """Looks into the next tensors; returns how many bytes those had."""
        places = self._unknown[self._looked : self._looked + _AT_ONCE].tolist()
        ids = self._columns.ids[places].tolist()
        place_of = dict(zip(ids, places, strict=True))
        pairs: list[tuple[int, bytes]] = []
        last, read = ids[-1], 0
        for number, data in self._blobs(ids):
            if number in place_of:
                pairs.append((place_of[number], data))
                read += len(data)
            if read > _MOST_BYTES:
                last = number
                break
        dtypes = self._columns.dtypes[[place for place, _ in pairs]]
        for code in np.unique(dtypes).tolist():
            same = np.flatnonzero(dtypes == code).tolist()
            self._mark(self._columns.words[code], [pairs[at] for at in same])
        self._looked += bisect_right(ids, last)
        return read

    def _mark(self, dtype: str, pairs: list[tuple[int, bytes]]) -> None:
        """Looks into tensors of one dtype, laid end to end."""
        size = ITEM_SIZES[dtype]
        # What is no whole number of elements is damaged, as whoever shows it will be told.
        pairs = [pair for pair in pairs if len(pair[1]) % size == 0]
        data = b"".join([data for _, data in pairs])
        elements = TensorValue(dtype=dtype, shape=(len(data) // size,), data=data).array()
        odd = np.flatnonzero(~np.isfinite(elements))
        if odd.size:
            ends = np.cumsum([len(data) // size for _, data in pairs])
            places = np.array([place for place, _ in pairs])[np.searchsorted(ends, odd, "right")]
            nans = np.isnan(elements[odd])
            self._flags[places[nans]] |= NANS
            self._flags[places[~nans]] |= INFINITIES


def blobs_of(values: Values) -> Blobs:
    """Reads one tensor after the other, where nothing can read many."""

    def blobs(numbers: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        for number in numbers:
            value = values(number)
            if value is not None:
                yield number, value.data

    return blobs
