"""Recording of the run's tensors; each state of each tensor is recorded once."""

from __future__ import annotations

from typing import Any

import torch

from gradviz.model.item import Item, none_item, object_item, tensor_item
from gradviz.model.statistics import Statistics
from gradviz.model.tensor import TensorRecord
from gradviz.recorder import compat
from gradviz.recorder.log import Log
from gradviz.recorder.options import Options
from gradviz.recorder.plain_text import shown
from gradviz.recorder.seals import Seals
from gradviz.recorder.snapshot import (
    Description,
    Kept,
    describe,
    is_dense,
    keep_nothing,
    keep_sample,
    keep_statistics,
    keep_whole,
    note_on,
    sample,
    steps_for,
    subclass_of,
)
from gradviz.recorder.statistics import statistics_of_tensor
from gradviz.recorder.storages import Storages

Known = tuple[int, int | None, bytes]
"""Number, version and seal; the seal is all elements, or a hash for a large tensor."""

_MOST_STATISTICS = 10_000
_MOST_KNOWN_BYTES = 64 << 20


class Tensors:
    """Recorder of tensors. Call with the log's lock held, inside `Quiet`.

    Attributes:
        seals: Computes the seals of the tensors' elements.
        generation: While it stays the same, equal numbers mean the same tensor in the same
            state, and different numbers mean a different tensor or state.
    """

    def __init__(self, log: Log, options: Options) -> None:
        self._log = log
        self.seals = Seals(options.whole_elements)
        self._budget = options.budget_bytes
        self._storages = Storages()
        self._known: dict[tuple[Any, ...], Known] = {}
        self._known_bytes = 0
        self.generation = 0
        self._unfilled: dict[int, tuple[tuple[Any, ...], bytes, int] | None] = {}
        self._statistics: dict[tuple[Any, ...], tuple[bytes, Statistics]] = {}

    def item(self, name: str, value: object) -> Item:
        """A value as a named item: a tensor, None, or text for anything else."""
        if value is None:
            return none_item(name)
        if isinstance(value, torch.Tensor):
            return tensor_item(name, self.record(value))
        return object_item(name, shown(value))

    def items(self, names: tuple[str, ...], values: tuple[object, ...]) -> tuple[Item, ...]:
        """Items for several values."""
        return tuple([self.item(name, value) for name, value in zip(names, values, strict=True)])

    def record(self, tensor: torch.Tensor, ahead: int = 0) -> int:
        """Record a tensor in its current state; an unchanged one keeps its number.

        Changes are detected from the elements as well, because NumPy and ``.data`` bypass the
        version counter.

        Args:
            tensor: The tensor.
            ahead: How far its version counter is behind its elements.
        """
        if compat.is_wrapped(tensor):
            tensor = compat.unwrapped(tensor)
        note = note_on(tensor)
        if note:
            return self._put(describe(tensor), None, keep_nothing(note))
        shape = tuple(tensor.shape)
        storage = self._storages.number(tensor)
        version = compat.version_of(tensor)
        version = None if version is None else version + ahead
        key = _key(tensor, storage, shape)
        seal = self.seals.of(tensor, key)
        if storage in self._unfilled:
            number = self._of_unfilled(tensor, key, seal)
            if number is not None:
                return number
        known = self._known.get(key)
        if known is not None and known[1:] == (version, seal):
            return known[0]
        data = seal if self.seals.is_small(tensor) else sample(tensor, steps_for(shape))
        kept = self._keep(tensor, key, data, b"" if data is seal else seal)
        described = describe(tensor)
        described.version = version
        number = self._put(described, storage, kept)
        self._remember(key, (number, version, seal))
        return number

    def _of_unfilled(self, tensor: torch.Tensor, key: tuple[Any, ...], seal: bytes) -> int | None:
        """Record a tensor whose memory is uninitialized; None if NumPy has written to it."""
        storage: int = key[0]
        held = self._unfilled[storage]
        if held is not None and held[0] == key:
            if held[1] == seal:
                return held[2]
            del self._unfilled[storage]
            return None
        note = "its memory has not been written yet"
        number = self._put(describe(tensor), storage, keep_nothing(note))
        if held is None:
            self._unfilled[storage] = (key, seal, number)
        return number

    def unfilled(self, tensor: torch.Tensor) -> None:
        """Note that a tensor was created with uninitialized memory."""
        if not note_on(tensor):
            self._unfilled[self._storages.number(tensor)] = None

    def filled(self, tensor: torch.Tensor) -> None:
        """Note that an op has written to a tensor."""
        self.seals.changed()
        if self._unfilled and not note_on(tensor):
            self._unfilled.pop(self._storages.number(tensor), None)

    def _remember(self, key: tuple[Any, ...], known: Known) -> None:
        self._known_bytes += len(known[2])
        if self._known_bytes > _MOST_KNOWN_BYTES:
            self._known.clear()
            self._known_bytes = 0
            self.generation += 1
        self._known[key] = known

    def _keep(self, tensor: torch.Tensor, key: tuple[Any, ...], data: bytes, seal: bytes) -> Kept:
        shape: tuple[int, ...] = key[2]
        small = self.seals.is_small(tensor)
        fits = len(data) <= self._budget
        if fits:
            self._budget -= len(data)
        if fits and small:
            return keep_whole(shape, data)
        statistics = self._statistics_of(tensor, key, seal)
        return keep_sample(shape, data, statistics) if fits else keep_statistics(statistics)

    def _statistics_of(self, tensor: torch.Tensor, key: tuple[Any, ...], seal: bytes) -> Statistics:
        """Statistics, which a transposed or reshaped tensor shares with its base."""
        storage, offset, _, _, dtype, _, conj, neg, _ = key
        if not seal or not is_dense(tensor):
            return statistics_of_tensor(tensor)
        place = (storage, offset, tensor.numel(), dtype, conj, neg)
        known = self._statistics.get(place)
        if known is not None and known[0] == seal:
            return known[1]
        statistics = statistics_of_tensor(tensor)
        if len(self._statistics) > _MOST_STATISTICS:
            self._statistics.clear()
        self._statistics[place] = (seal, statistics)
        return statistics

    def forget(self) -> None:
        """Forget all tensors and storages."""
        self._storages.clear()
        self._known.clear()
        self._unfilled.clear()
        self._statistics.clear()

    def _put(self, described: Description, storage: int | None, kept: Kept) -> int:
        number = self._log.next("tensor")
        record = TensorRecord(
            id=number,
            dtype=described.dtype,
            shape=described.shape,
            strides=described.strides,
            device=described.device,
            layout=described.layout,
            requires_grad=described.requires_grad,
            storage=storage,
            version=described.version,
            content=kept.content,
            kept_shape=kept.kept_shape,
            kept_steps=kept.kept_steps,
            note=kept.note,
            statistics=kept.statistics,
            subclass=described.subclass,
        )
        self._log.put_tensor(record, kept.data)
        return number


def _key(tensor: torch.Tensor, storage: int, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """What identifies a tensor while only its elements change."""
    return (
        storage,
        tensor.storage_offset(),
        shape,
        tensor.stride(),
        tensor.dtype,
        tensor.requires_grad,
        tensor.is_conj(),
        tensor.is_neg(),
        subclass_of(tensor),
    )
