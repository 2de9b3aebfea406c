"""Letters that tensors with shared memory have in common, to reveal views and aliases."""

from __future__ import annotations

import numpy as np

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.provenance.tensor_lineage import TensorLineage
from gradviz.document.tag import Tag
from gradviz.model.tensor import TensorRecord
from gradviz.viewer.translation import translate

_LETTERS = 26
_MOST_NAMES = 6


class StorageLetters:
    """The letters of a trace's shared storages, and the tensors that have each letter."""

    def __init__(self, index: TraceIndex | None, lineage: TensorLineage | None = None) -> None:
        """Assign a letter to each storage that more than one recorded tensor has.

        Args:
            index: The trace; None for no letters.
            lineage: Names of the tensors; without it, tags name no tensors.
        """
        storages = np.zeros(0, np.int64) if index is None else index.tensors.storages
        tensors = storages if index is None else index.tensors.ids
        order = np.argsort(storages, kind="stable")
        self._storages, self._tensors = storages[order], tensors[order]
        known, uses = np.unique(storages, return_counts=True)
        # 0 stands for an unknown storage.
        self._shared = known[(uses > 1) & (known != 0)]
        self._lineage = lineage

    def letter(self, record: TensorRecord) -> str:
        """The letter of a tensor's memory; empty if no other tensor shares it."""
        storage = record.storage or 0
        place = int(np.searchsorted(self._shared, storage))
        is_shared = place < len(self._shared) and self._shared[place] == storage
        return letter(place) if is_shared else ""

    def _names(self, storage: int) -> list[tuple[str, int]]:
        """Names of some tensors with a storage, and the steps in which they first occur."""
        if self._lineage is None:
            return []
        low, high = np.searchsorted(self._storages, (storage, storage + 1)).tolist()
        names: dict[tuple[str, int], None] = {}
        for tensor in self._tensors[low:high].tolist():
            first = self._lineage.first(tensor)
            if first is not None:
                names[first.name, first.step] = None
            if len(names) > _MOST_NAMES:
                break
        return list(names)

    def tag(self, record: TensorRecord) -> Tag | None:
        """The tag for a tensor's memory; None if no other tensor shares it."""
        mark = self.letter(record)
        if not mark or record.storage is None:
            return None
        text = translate("TensorView", "Memory {mark}: tensors with the same letter share memory.")
        names = self._names(record.storage)
        if len(names) > 1:
            text = translate("TensorView", "Memory {mark} is shared by {names}.")
        if len(names) > _MOST_NAMES:
            text = translate("TensorView", "Memory {mark} is shared by {names} and others.")
        one = translate("TensorView", "{name} (step {number})")
        entries = [one.format(name=name, number=number) for name, number in names[:_MOST_NAMES]]
        joined = ", ".join(entries)
        return Tag(mark, "plain", text.format(mark=mark, names=joined), storage=record.storage)


def letter(place: int) -> str:
    """A, B, … Z, AA, AB, … for 0, 1, …."""
    rest, last = divmod(place, _LETTERS)
    return (letter(rest - 1) if rest else "") + chr(ord("A") + last)
