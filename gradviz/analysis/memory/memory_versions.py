"""History of a tensor's memory: its versions, what created them, and which were saved."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import Literal

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.memory.memory_regions import elements_differ, layout_of, overlaps
from gradviz.analysis.memory.memory_writes import MemoryWrite, memory_writes
from gradviz.analysis.position.trace_position import TracePosition
from gradviz.analysis.provenance.producers import Producers
from gradviz.model.tensor import TensorRecord

VersionCause = Literal[
    "made", "given", "op", "call", "dirty", "accumulate", "optimizer", "unseen", "counter"
]
"""How a version came about: ``made``: the tensor was created; ``given``: it already existed; one of
`WriteKind`; ``unseen``: something unrecorded changed it; ``counter``: only torch's counter moved.
"""


class VersionSave(Struct, frozen=True, kw_only=True):
    """A value that a node saved for backward.

    Attributes:
        node: The node.
        step: Number of the forward step that created the node; None if unknown.
        name: Name of the value in the node.
    """

    node: int
    step: int | None
    name: str


class MemoryVersion(Struct, frozen=True, kw_only=True):
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
        write: What wrote it; None if that was not recorded, and for ``made`` and ``given``.
    """

    tensor: int
    counter: int | None
    counted: bool
    how: VersionCause
    name: str
    place: TracePosition
    saves: tuple[VersionSave, ...]
    tensors: frozenset[int]
    write: MemoryWrite | None = None


class VersionHistory(Struct, frozen=True, kw_only=True):
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
    """Builds the history from the tensors that overlap with one, in recorded order."""

    def __init__(
        self, index: TraceIndex, tensor: int, producers: Producers, writes: tuple[MemoryWrite, ...]
    ) -> None:
        self._index = index
        self._makings = producers
        self._tensor = index.tensor.bare(tensor)
        self._by_after = {write.after: write for write in writes if write.after is not None}
        # By layout: the last tensor in the current state.
        self._current: dict[object, TensorRecord] = {}
        self._found: list[MemoryVersion] = []
        firsts = sorted((number, step) for number, _, step in producers.in_order())
        self._firsts = [number for number, _ in firsts]
        self._first_steps = [step for _, step in firsts]

    def take(self, record: TensorRecord) -> None:
        """Add a version if the tensor has a different state than the last one."""
        layout = layout_of(record)
        # A tensor without elements overlaps with nothing.
        if layout != layout_of(self._tensor) and not overlaps(self._tensor, record):
            return
        changed = any(elements_differ(self._index, each, record) for each in self._current.values())
        moved = self._has_moved(record, self._current.get(layout))
        write = self._by_after.get(record.id)
        is_write = write is not None and (changed or moved or write.kind in ("op", "call"))
        if changed or is_write:
            # What is known of other layouts of this memory is now out of date.
            self._current.clear()
        if not self._found:
            self._begin(record)
        elif write is not None and is_write:
            counted = write.call is None or write.call.counted
            self._add(record, write.kind, write.name, write.place, counted=counted)
        elif changed:
            counted = record.version is not None and moved
            self._add(record, "unseen", "", self._place(record.id), counted=counted)
        elif moved:
            self._add(record, "counter", "", self._place(record.id), counted=True)
        else:
            self._merge(record)
        self._current[layout] = record

    def _has_moved(self, record: TensorRecord, before: TensorRecord | None) -> bool:
        """Whether torch's counter has moved; another layout may have a counter of its own."""
        if before is None or before.version is None or record.version is None:
            return False
        counter = self._found[-1].counter
        return record.version > max(before.version, counter or 0)

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
            given = self._by_after[record.id].before
            before = None if given is None else self._index.tensor.bare(given).version
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
                write=self._by_after.get(record.id) if how not in ("unseen", "counter") else None,
            )
        )

    def _merge(self, record: TensorRecord) -> None:
        last = self._found[-1]
        asked, held = layout_of(self._tensor), layout_of(self._index.tensor.bare(last.tensor))
        better = layout_of(record) == asked != held
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
