"""Letters that tensors with shared memory have in common, to reveal views and aliases."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.provenance.tensor_lineage import TensorLineage
from gradviz.model.tensor import TensorRecord
from gradviz.viewer.translation import translate
from gradviz.viewer.widgets.pill import Tag

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
        self._letters = {} if index is None else storage_letters(index)
        self._names: dict[int, list[tuple[str, int]]] = defaultdict(list)
        if index is None or lineage is None:
            return
        shared = np.isin(index.tensors.storages, list(self._letters))
        tensors, storages = index.tensors.ids[shared], index.tensors.storages[shared]
        for tensor, storage in zip(tensors.tolist(), storages.tolist(), strict=True):
            first = lineage.first.get(tensor)
            if first is not None:
                self._names[storage].append((first.name, first.step))

    def letter(self, record: TensorRecord) -> str:
        """The letter of a tensor's memory; empty if no other tensor shares it."""
        return "" if record.storage is None else self._letters.get(record.storage, "")

    def tag(self, record: TensorRecord, name: str = "") -> Tag | None:
        """The tag for a tensor's memory; None if no other tensor shares it.

        Args:
            record: The record of the tensor.
            name: Name that the tensor is shown under.
        """
        mark = self.letter(record)
        if not mark or record.storage is None:
            return None
        text = translate("TensorView", "Memory {mark}: tensors with the same letter share memory.")
        names = list(dict.fromkeys(self._names.get(record.storage, ())))
        if len(names) > 1:
            text = translate("TensorView", "Memory {mark} is shared by {names}.")
        if len(names) > _MOST_NAMES:
            text = translate("TensorView", "Memory {mark} is shared by {names} and others.")
        one = translate("TensorView", "{name} (step {number})")
        entries = [one.format(name=name, number=number) for name, number in names[:_MOST_NAMES]]
        joined = ", ".join(entries)
        return Tag(mark, "plain", text.format(mark=mark, names=joined), storage=record.storage)


def storage_letters(index: TraceIndex) -> dict[int, str]:
    """Map each storage that more than one record has to a letter."""
    storages, uses = np.unique(index.tensors.storages, return_counts=True)
    # 0 stands for an unknown storage.
    shared = storages[(uses > 1) & (storages != 0)].tolist()
    return {storage: letter(place) for place, storage in enumerate(shared)}


def letter(place: int) -> str:
    """A, B, … Z, AA, AB, … for 0, 1, …."""
    rest, last = divmod(place, _LETTERS)
    return (letter(rest - 1) if rest else "") + chr(ord("A") + last)
