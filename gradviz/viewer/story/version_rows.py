"""Versions of a tensor's memory, prepared for the table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gradviz.model.index import Index
from gradviz.model.makings import Makings
from gradviz.model.place_names import location_of
from gradviz.model.places import Place, op_at
from gradviz.model.step import ErrorStep
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.model.version_words import clash_sentence, version_sentence
from gradviz.model.versions import History, Version, clashes_of, history_of
from gradviz.viewer.sights import Sight
from gradviz.viewer.tensor_view.numbers import short_number

_SHOWN = 6
"""Number of elements shown in a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow:
    """One version of a tensor's memory.

    Attributes:
        counter: Torch's version counter, as text; a dash if unknown.
        step: Number of the step.
        line: Line number in the user's code, as text; may be empty.
        op: Name of the op that created it; may be empty.
        sentence: How it was created and what saved it.
        elements: The first elements, as text.
        saved: Whether it is saved for backward.
        asked: Whether it is the version that was asked about.
        place: Position where it was created.
        tensor: Id of a tensor with this content.
    """

    counter: str
    step: int
    line: str
    op: str
    sentence: str
    elements: str
    saved: bool
    asked: bool
    place: Place
    tensor: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Chronicle:
    """Version history of a tensor's memory.

    Attributes:
        sight: The tensor that was asked about.
        history: Its versions; None if its memory is unknown.
        rows: One row for each version.
        clashes: Sentences on the in-place changes that torch's error is about.
    """

    sight: Sight
    history: History | None
    rows: tuple[VersionRow, ...]
    clashes: tuple[str, ...]


def chronicle_of(
    index: Index, makings: Makings, sight: Sight, cancelled: Callable[[], bool]
) -> Chronicle:
    """Return the version history of a tensor as rows; has to read all ops."""
    history = history_of(index, sight.tensor, makings, cancelled)
    if history is None:
        return Chronicle(sight=sight, history=None, rows=(), clashes=())
    rows = tuple([_row(index, version, sight.tensor) for version in history.versions])
    last = index.trace.steps[-1] if len(index.trace.steps) else None
    clashes = clashes_of(index, last, makings, cancelled) if isinstance(last, ErrorStep) else ()
    return Chronicle(
        sight=sight,
        history=history,
        rows=rows,
        clashes=tuple(
            [
                clash_sentence(index, clash)
                for clash in clashes
                if clash.history.storage == history.storage
            ]
        ),
    )


def _row(index: Index, version: Version, asked: int) -> VersionRow:
    location = location_of(index, version.place)
    seen = version.how not in ("unseen", "counter", "given")
    op = op_at(index, version.place)
    return VersionRow(
        counter="–" if version.counter is None else str(version.counter),
        step=version.place.step,
        line="" if location is None or not seen else str(location.line),
        op=version.name if op is None else op.name,
        sentence=version_sentence(index, version),
        elements=elements_text(index.tensor.bare(version.tensor), index.value(version.tensor)),
        saved=bool(version.saves),
        asked=asked in version.tensors,
        place=version.place,
        tensor=version.tensor,
    )


def elements_text(record: TensorRecord, value: TensorValue | None) -> str:
    """Return the first elements in brackets; empty if not all elements were stored."""
    if value is None or record.content != "whole":
        return ""
    flat = value.array().reshape(-1)
    texts = [short_number(each) for each in flat[:_SHOWN].tolist()]
    if not record.shape:
        return texts[0]
    if flat.size > _SHOWN:
        texts.append("…")
    return f"[{', '.join(texts)}]"
