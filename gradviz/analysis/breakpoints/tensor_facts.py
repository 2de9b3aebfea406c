"""Properties of all tensors of a trace for breakpoints, computed once in the background."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.columns import INFINITIES, NANS
from gradviz.model.tensor import ITEM_SIZES, TensorValue

_AT_ONCE: Final = 1_000
_BETWEEN_PAUSES: Final = 50

Pause = Callable[[], None]
"""Called from time to time to let other work run; an exception that it raises ends the search."""


class TensorFacts:
    """Cached properties of the tensors of one trace, for one thread at a time."""

    def __init__(self, index: TraceIndex, pause: Pause = lambda: None) -> None:
        """Use a trace and a function that is called from time to time."""
        self.index = index
        self.pause = pause
        self._norms: npt.NDArray[np.float64] | None = None

    def not_finite(self, kind: str) -> frozenset[int]:
        """The tensors with an element that is ``nan`` or ``inf``."""
        while not self.index.finite.look(most=1 << 20):
            self.pause()
        flag = NANS if kind == "nan" else INFINITIES
        odd = self.index.finite.not_finite()
        return frozenset(number for number, flags in odd.items() if flags & flag)

    def above(self, norm: float) -> frozenset[int]:
        """The floating-point and complex tensors whose L2 norm exceeds a limit."""
        if self._norms is None:
            self._norms = self._measured()
        found = np.flatnonzero(self._norms > norm)
        return frozenset(self.index.tensors.ids[found].tolist())

    @property
    def undetermined(self) -> int:
        """Number of tensors for which neither finiteness nor norm is known."""
        return int(np.count_nonzero(self.index.tensors.undetermined))

    def paused(self, count: int) -> Iterator[int]:
        """Count from 0, with a pause from time to time."""
        for at in range(count):
            if at % _BETWEEN_PAUSES == _BETWEEN_PAUSES - 1:
                self.pause()
            yield at

    def _measured(self) -> npt.NDArray[np.float64]:
        """The norm of each tensor; NaN if unknown or for other dtypes."""
        columns = self.index.tensors
        norms = np.full(len(columns.ids), np.nan)
        for at in self.paused(len(norms)):
            if columns.has_statistics[at]:
                known = self.index.tensor.bare(int(columns.ids[at])).statistics
                norms[at] = np.nan if known is None or known.norm is None else known.norm
        unmeasured = np.flatnonzero(columns.unknown)
        # Many at once, because reading each tensor by itself takes far longer.
        for begin in range(0, len(unmeasured), _AT_ONCE):
            self._measure(norms, unmeasured[begin : begin + _AT_ONCE])
            self.pause()
        return norms

    def _measure(self, norms: npt.NDArray[np.float64], unmeasured: npt.NDArray[np.int64]) -> None:
        columns = self.index.tensors
        ids = columns.ids[unmeasured].tolist()
        places = dict(zip(ids, unmeasured.tolist(), strict=True))
        for number, data in self.index.finite.blobs(ids):
            at = places.get(number)
            if at is not None:
                norms[at] = _norm(columns.words[columns.dtypes[at]], data)


def _norm(dtype: str, data: bytes) -> float:
    """The norm as in `gradviz.model.statistics`: of the finite elements, in float64."""
    size = ITEM_SIZES[dtype]
    if len(data) % size:
        # Damaged data is reported when the tensor is shown.
        return np.nan
    flat = TensorValue(dtype=dtype, shape=(len(data) // size,), data=data).array()
    wide = np.abs(flat[np.isfinite(flat)]).astype(np.float64)
    with np.errstate(over="ignore"):
        return float(np.sqrt(np.dot(wide, wide))) if wide.size else np.nan
