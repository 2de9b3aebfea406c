"""Find tensors with NaN or Inf, thousands of tensors at a time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Lock
from typing import Final

import numpy as np

from gradviz.model.columns import INFINITIES, NANS, TensorColumns
from gradviz.model.tensor import ITEM_SIZES, TensorValue, TensorValues

BlobReader = Callable[[Sequence[int]], Iterable[tuple[int, bytes]]]
"""Reads the stored elements of tensors by ascending numbers: pairs of number and bytes in that
order, which may include tensors between them.
"""

_AT_ONCE: Final = 1_000
_MOST_BYTES: Final = 4 << 20


class NonFiniteFlags:
    """Finds the tensors of a trace that are not finite, from their records or elements.

    Reading each tensor by itself would take a hundred times as long. It can be used from any
    thread.
    """

    def __init__(self, columns: TensorColumns, blobs: BlobReader) -> None:
        """Use the columns of the tensors and a function that reads their elements."""
        self._columns = columns
        self._blobs = blobs
        self._flags = columns.flags.copy()
        self._unknown = np.flatnonzero(columns.unknown)
        self._looked = 0
        self._lock = Lock()

    def extended(self, columns: TensorColumns, blobs: BlobReader) -> NonFiniteFlags:
        """The same for these and later tensors, without reading elements again.

        Args:
            columns: The columns of all tensors, which begin with those of this object.
            blobs: Reads the elements of all of them.
        """
        both = NonFiniteFlags(columns, blobs)
        with self._lock:
            both._flags[: len(self._flags)] = self._flags
            # Later tensors come last, so those already checked are still the first ones.
            both._looked = self._looked
        return both

    @property
    def blobs(self) -> BlobReader:
        """The function that reads the stored elements of many tensors."""
        return self._blobs

    def look(self, most: int | None = None, cancelled: Callable[[], bool] = bool) -> bool:
        """Read tensors that were not checked yet.

        Args:
            most: Stop after about this many bytes of elements.
            cancelled: Called from time to time; the search stops if it returns True.

        Returns:
            Whether all tensors have been checked.
        """
        read = 0
        while True:
            # Called outside of the lock, because `cancelled` may wait.
            must_stop = cancelled() or (most is not None and read >= most)
            with self._lock:
                # Locked for one portion only, so that no thread waits for a whole search.
                if self._looked == len(self._unknown):
                    return True
                if must_stop:
                    return False
                read += self._look_at_some()

    def not_finite(self) -> dict[int, int]:
        """`NANS`, `INFINITIES` or both for each tensor known not to be finite, by number."""
        found = np.flatnonzero(self._flags)
        ids, flags = self._columns.ids[found], self._flags[found]
        return dict(zip(ids.tolist(), flags.tolist(), strict=True))

    def _look_at_some(self) -> int:
        """Check the next tensors, and return how many bytes they had."""
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
        # `np.unique` would import NumPy's masked arrays, as long as opening a small trace takes.
        for code in np.flatnonzero(np.bincount(dtypes)).tolist():
            same = np.flatnonzero(dtypes == code).tolist()
            self._mark(self._columns.words[code], [pairs[at] for at in same])
        self._looked += bisect_right(ids, last)
        return read

    def _mark(self, dtype: str, pairs: list[tuple[int, bytes]]) -> None:
        """Check tensors of one dtype, joined end to end."""
        size = ITEM_SIZES[dtype]
        # Incomplete elements mean damaged data, which is reported when the tensor is shown.
        pairs = [pair for pair in pairs if len(pair[1]) % size == 0]
        # One NumPy call for thousands of small tensors, instead of one for each.
        data = b"".join([data for _, data in pairs])
        elements = TensorValue(dtype=dtype, shape=(len(data) // size,), data=data).array()
        non_finite = np.flatnonzero(~np.isfinite(elements))
        if non_finite.size:
            ends = np.cumsum([len(data) // size for _, data in pairs])
            places = np.array([place for place, _ in pairs])[
                np.searchsorted(ends, non_finite, "right")
            ]
            nans = np.isnan(elements[non_finite])
            self._flags[places[nans]] |= NANS
            self._flags[places[~nans]] |= INFINITIES


def blobs_of(values: TensorValues) -> BlobReader:
    """Read tensors one by one, if there is no function that reads many."""

    def blobs(numbers: Sequence[int]) -> Iterator[tuple[int, bytes]]:
        for number in numbers:
            value = values(number)
            if value is not None:
                yield number, bytes(value.data)

    return blobs
