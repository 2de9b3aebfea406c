"""The letter that tensors of one memory share, so that views and aliases are seen."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import QCoreApplication

from gradviz.model.index import Index
from gradviz.model.tensor import TensorRecord
from gradviz.viewer.pill import Tag

_LETTERS = 26


def storage_letters(index: Index) -> dict[int, str]:
    """A letter for each storage that more than one record has; a lone one would say nothing."""
    uses = Counter(record.storage for record in index.trace.tensors if record.storage is not None)
    shared = sorted(storage for storage, count in uses.items() if count > 1)
    return {storage: letter(place) for place, storage in enumerate(shared)}


def letter(place: int) -> str:
    """A, B, ... Z, AA, AB ... for 0, 1, ..."""
    rest, last = divmod(place, _LETTERS)
    return (letter(rest - 1) if rest else "") + chr(ord("A") + last)


def storage_tag(record: TensorRecord, letters: dict[int, str]) -> Tag | None:
    """The mark of a tensor's memory; None where no other tensor has that memory."""
    mark = letters.get(record.storage) if record.storage is not None else None
    if mark is None:
        return None
    text = QCoreApplication.translate(
        "TensorView", "Memory {mark}: tensors with the same letter share their memory."
    )
    return Tag(mark, "plain", text.format(mark=mark))
