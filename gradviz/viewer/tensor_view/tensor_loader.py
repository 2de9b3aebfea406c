"""Loads tensors from the trace: small ones at once, large ones in the background."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

import numpy as np
from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.tensor import NUMPY_DTYPES, TensorRecord, TensorValue, preview_steps
from gradviz.store.errors import TraceError
from gradviz.viewer.background import Background, BackgroundJob
from gradviz.viewer.state import ViewerState
from gradviz.viewer.trace_values import MOST_AT_ONCE, TraceReaderProtocol
from gradviz.viewer.translation import translate

_MOST_HELD = 3
_THIN_SIDE = 256


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LoadedTensor:
    """A tensor with its elements.

    Attributes:
        record: The record, with statistics if the trace holds the elements to compute them from.
        value: The kept elements; None if none were kept.
        thin: Record and value of a sample small enough to be painted at every step; None if the
            tensor itself is small.
    """

    record: TensorRecord
    value: TensorValue | None
    thin: tuple[TensorRecord, TensorValue] | None = None


class TensorLoader(QObject):
    """Loads tensors and caches the large ones that were read last.

    Args:
        state: The state whose trace is read.
        background: Reads large tensors; without it they are read in the calling thread.
        parent: Parent object.

    Signals:
        loaded: ID of a requested tensor that is now available.
        failed: ID of a tensor that cannot be read, and a sentence that says why.
    """

    loaded = Signal(object)
    failed = Signal(object, str)

    def __init__(
        self, state: ViewerState, background: Background | None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._state = state
        self._background = background
        self._held: OrderedDict[int, LoadedTensor] = OrderedDict()
        self._requested: set[int] = set()
        self._failed: dict[int, str] = {}
        state.trace_changed.connect(self._on_state_trace_changed)

    def get(self, tensor: int) -> LoadedTensor | None:
        """Return a tensor; None if it does not exist or will arrive with ``loaded``."""
        index = self._state.index
        if index is None or tensor not in index.tensor:
            return None
        record = index.tensor.bare(tensor)
        if record.kept_bytes <= MOST_AT_ONCE or self._background is None:
            return LoadedTensor(record=index.tensor[tensor], value=self._state.value(tensor))
        if tensor in self._held:
            self._held.move_to_end(tensor)
            return self._held[tensor]
        self._ask(index, tensor)
        return None

    def record(self, tensor: int) -> TensorRecord | None:
        """The record of a tensor, without waiting for its elements."""
        index = self._state.index
        if index is None or tensor not in index.tensor:
            return None
        held = self._held.get(tensor)
        return held.record if held is not None else index.tensor[tensor]

    def problem(self, tensor: int) -> str:
        """Why a tensor could not be read, as a sentence; empty without an error."""
        return self._failed.get(tensor, "")

    def _ask(self, index: TraceIndex, tensor: int) -> None:
        reader = self._state.reader
        if tensor in self._requested or tensor in self._failed or reader is None:
            return
        if self._background is None:
            return
        self._requested.add(tensor)

        def done(loaded: LoadedTensor) -> None:
            self._requested.discard(tensor)
            # Another trace may have been opened while this one was read.
            if self._state.index is index:
                self._hold(tensor, loaded)
                self.loaded.emit(tensor)

        def failed(error: Exception) -> None:
            self._requested.discard(tensor)
            if self._state.index is index:
                self._failed[tensor] = str(error)
                self.failed.emit(tensor, str(error))

        self._background.start(
            lambda job: _load(job, reader, index, tensor),
            done,
            failed,
            lane=_lane(tensor),
            expected=(TraceError,),
        )

    def _hold(self, tensor: int, loaded: LoadedTensor) -> None:
        self._held[tensor] = loaded
        # Each of them can take hundreds of megabytes.
        while len(self._held) > _MOST_HELD:
            self._held.popitem(last=False)

    def _on_state_trace_changed(self, index: TraceIndex | None) -> None:
        if self._background is not None:
            for tensor in self._requested:
                self._background.cancel(_lane(tensor))
        self._held.clear()
        self._requested.clear()
        self._failed.clear()


def _lane(tensor: int) -> str:
    return f"tensor {tensor}"


def _load(
    job: BackgroundJob, reader: TraceReaderProtocol, index: TraceIndex, tensor: int
) -> LoadedTensor:
    value = reader.value(tensor)
    if value is None or job.cancelled():
        return LoadedTensor(record=index.tensor.bare(tensor), value=value)
    # Here in the thread, since statistics of a large tensor take longer than a frame.
    record = index.tensor.measure(tensor, value)
    return LoadedTensor(record=record, value=value, thin=thinned(record, value))


def thinned(record: TensorRecord, value: TensorValue) -> tuple[TensorRecord, TensorValue]:
    """Take a sample of the kept elements, with a record that marks it as a preview."""
    steps = preview_steps(value.shape, _THIN_SIDE)
    array = value.array()[tuple(slice(None, None, step) for step in steps)]
    bits = _bits(value)[tuple(slice(None, None, step) for step in steps)]
    sample = TensorValue(dtype=value.dtype, shape=array.shape, data=bits.tobytes())
    thin = replace(
        record,
        content="preview",
        kept_shape=array.shape,
        kept_steps=tuple(a * b for a, b in zip(record.kept_steps, steps, strict=True)),
        note=translate("TensorView", "enlarge it to see all kept elements"),
    )
    return thin, sample


def _bits(value: TensorValue) -> Any:
    """The elements with their bits unchanged, as integers if NumPy lacks the dtype."""
    if value.dtype in NUMPY_DTYPES:
        return value.array()
    size = len(value.data) // max(1, int(np.prod(value.shape)))
    return np.frombuffer(value.data, dtype=f"<u{size}").reshape(value.shape)
