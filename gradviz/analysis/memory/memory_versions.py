"""History of a tensor's memory: its versions, what created them, and which were saved."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.memory.memory_writes import MemoryWrite, memory_writes
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.provenance.producers import Producers
from gradviz.model.step import ErrorStep
from gradviz.model.tensor import TensorRecord

VersionCause = Literal["made", "given", "op", "call", "dirty", "accumulate", "unseen", "counter"]
"""How a version came about: ``made``: the tensor was created; ``given``: it already existed; one of
`WriteKind`; ``unseen``: something unrecorded changed it; ``counter``: only torch's counter moved.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionSave:
    """A value that a node saved for backward.

    Attributes:
        node: The node.
        step: Number of the forward step that created the node; None if unknown.
        name: Name of the value in the node.
    """

    node: int
    step: int | None
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryVersion:
    """One state of a memory.

    Attributes:
        tensor: A tensor of the trace in this state, if possible with the requested layout.
        counter: Torch's version counter; None if it was not recorded.
        counted: False if the elements changed but the counter did not.
        how: How it came about.
        name: Name of the op or function that created it; empty if unknown.
        place: Where it came about; for unseen changes, where the new state appears first.
        saves: Nodes that save it for backward.
        tensors: All tensors of the trace in this state.
    """

    tensor: int
    counter: int | None
    counted: bool
    how: VersionCause
    name: str
    place: TracePosition
    saves: tuple[VersionSave, ...]
    tensors: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionHistory:
    """The versions of one memory, in order.

    Attributes:
        storage: Number of the storage.
        versions: Its states, at least one.
    """

    storage: int
    versions: tuple[MemoryVersion, ...]

    def at(self, number: int) -> int | None:
        """Index of the current version at a step; None before the first."""
        found = [at for at, each in enumerate(self.versions) if each.place.step <= number]
        return found[-1] if found else None

    def of(self, tensor: int) -> int | None:
        """Index of the version of a tensor."""
        found = (at for at, each in enumerate(self.versions) if tensor in each.tensors)
        return next(found, None)


def version_history(
    index: TraceIndex,
    tensor: int,
    producers: Producers | None = None,
    cancelled: Callable[[], bool] = bool,
) -> VersionHistory | None:
    """The history of a tensor's memory; None if its storage is unknown.

    Args:
        index: The trace.
        tensor: Number of the tensor.
        producers: What produced the tensors of the trace, if already found.
        cancelled: Called from time to time; if it returns True, the result is None.
    """
    storage = index.tensor.bare(tensor).storage
    if storage is None:
        return None
    writes = memory_writes(index, storage, cancelled)
    if cancelled():
        return None
    teller = _VersionCollector(index, tensor, producers or Producers(index), writes)
    columns = index.tensors
    for number in columns.ids[np.flatnonzero(columns.storages == storage)].tolist():
        teller.take(index.tensor.bare(number))
    return VersionHistory(storage=storage, versions=teller.versions())


class _VersionCollector:
    """Builds the history from the tensors of one storage, in recorded order."""

    def __init__(
        self, index: TraceIndex, tensor: int, producers: Producers, writes: tuple[MemoryWrite, ...]
    ) -> None:
        self._index = index
        self._makings = producers
        self._layout = _layout(index.tensor.bare(tensor))
        self._by_after = {write.after: write for write in writes if write.after is not None}
        self._known: dict[object, object] = {}
        self._found: list[MemoryVersion] = []
        firsts = sorted((number, step) for number, _, step in producers.in_order())
        self._firsts = [number for number, _ in firsts]
        self._first_steps = [step for _, step in firsts]

    def take(self, record: TensorRecord) -> None:
        """Add a version if the tensor has a different state than the last one."""
        last = self._found[-1] if self._found else None
        bits = self._state(record)
        layout = _layout(record)
        changed = layout in self._known and self._known[layout] != bits
        write = self._by_after.get(record.id)
        moved = last is not None and _is_later(record, last)
        if last is None:
            self._begin(record)
        elif write is not None and (changed or moved or write.kind == "op"):
            if changed:
                # The contents known for other layouts of this memory are now out of date.
                self._known.clear()
            self._add(record, write.kind, write.name, write.place, counted=True)
        elif changed:
            self._known.clear()
            counted = record.version is not None and moved
            self._add(record, "unseen", "", self._place(record.id), counted=counted)
        elif moved:
            self._add(record, "counter", "", self._place(record.id), counted=True)
        else:
            self._merge(record)
        self._known[layout] = bits

    def _state(self, record: TensorRecord) -> object:
        """The stored elements and statistics, to compare states."""
        value = self._index.value(record.id)
        data = None if value is None else value.data
        # The recorder stores statistics only for incomplete tensors.
        return (data, None if record.content == "whole" else record.statistics)

    def versions(self) -> tuple[MemoryVersion, ...]:
        """The versions, each with the nodes that saved it."""
        saves: dict[int, list[VersionSave]] = {}
        for slot in self._index.trace.saved:
            if slot.item.tensor is not None:
                step = self._index.made_at.get(slot.node)
                save = VersionSave(node=slot.node, step=step, name=slot.item.name)
                saves.setdefault(slot.item.tensor, []).append(save)
        return tuple(
            [
                replace(
                    version,
                    saves=tuple(
                        [each for number in version.tensors for each in saves.get(number, ())]
                    ),
                )
                for version in self._found
            ]
        )

    def _begin(self, record: TensorRecord) -> None:
        place = self._place(record.id)
        # 99 is later than any stage, so the whole step counts.
        producer = self._makings.of(record.id, (place.step, 99, 0))
        if producer is None:
            self._add(record, "given", "", place, counted=True)
        else:
            self._add(record, "made", producer.name, producer.place, counted=True)

    def _add(
        self,
        record: TensorRecord,
        how: VersionCause,
        name: str,
        place: TracePosition,
        *,
        counted: bool,
    ) -> None:
        counter = record.version
        if how == "op":
            # Torch increments the counter after the op, when it has already been recorded.
            before = self._index.tensor.bare(self._by_after[record.id].before).version
            counter = None if before is None else before + 1
        self._found.append(
            MemoryVersion(
                tensor=record.id,
                counter=counter,
                counted=counted,
                how=how,
                name=name,
                place=place,
                saves=(),
                tensors=frozenset((record.id,)),
            )
        )

    def _merge(self, record: TensorRecord) -> None:
        last = self._found[-1]
        better = _layout(record) == self._layout != _layout(self._index.tensor.bare(last.tensor))
        self._found[-1] = replace(
            last,
            tensors=last.tensors | {record.id},
            tensor=record.id if better else last.tensor,
        )

    def _place(self, tensor: int) -> TracePosition:
        """Where a tensor appears first; without an appearance, the next step that has one."""
        at = bisect_left(self._firsts, tensor)
        last = len(self._index.trace.steps)
        return TracePosition(step=self._first_steps[at] if at < len(self._firsts) else last)


def _layout(record: TensorRecord) -> object:
    return (record.shape, record.strides, record.dtype)


def _is_later(record: TensorRecord, last: MemoryVersion) -> bool:
    return record.version is not None and last.counter is not None and record.version > last.counter


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedTensorConflict:
    """A saved value that was changed before backward used it.

    Attributes:
        node: Node that saved it.
        name: Name of the value in the node.
        tensor: The tensor as it was saved.
        saved: Index of the saved version.
        history: All versions.
    """

    node: int
    name: str
    tensor: int
    saved: int
    history: VersionHistory

    @property
    def change(self) -> MemoryVersion:
        """The version that followed the saved one."""
        return self.history.versions[self.saved + 1]


_INPLACE = "modified by an inplace operation"


def is_about_versions(message: str) -> bool:
    """Whether an exception is torch's error about a saved tensor changed in place."""
    return _INPLACE in message


def conflicts_of_error(
    index: TraceIndex,
    error: ErrorStep,
    producers: Producers | None = None,
    cancelled: Callable[[], bool] = bool,
) -> tuple[SavedTensorConflict, ...]:
    """The saved values that were changed and caused torch's error on in-place operations.

    Args:
        index: The trace.
        error: An exception of the run; for any other error, the result is empty.
        producers: What produced the tensors of the trace, if already found.
        cancelled: Called from time to time to stop early.
    """
    if not is_about_versions(error.message) or error.node is None:
        return ()
    return conflicts_at_node(index, error.node, producers, cancelled)


def conflicts_at_node(
    index: TraceIndex,
    node: int,
    producers: Producers | None = None,
    cancelled: Callable[[], bool] = bool,
) -> tuple[SavedTensorConflict, ...]:
    """The values that a node saved and that were changed later. See `conflicts_of_error`."""
    producers = producers or Producers(index)
    found: list[SavedTensorConflict] = []
    for slot in index.saved.get(node, ()):
        tensor = slot.item.tensor
        history = None if tensor is None else version_history(index, tensor, producers, cancelled)
        saved = None if history is None or tensor is None else history.of(tensor)
        if history is None or tensor is None or saved is None:
            continue
        if saved + 1 < len(history.versions):
            found.append(
                SavedTensorConflict(
                    node=node,
                    name=slot.item.name,
                    tensor=tensor,
                    saved=saved,
                    history=history,
                )
            )
    return tuple(found)
