"""The versions of a memory, ready to be listed."""

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
"""So many elements are written in a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow:
    """One row.

    Attributes:
        counter: Torch's version, as text; a dash where it is not known.
        step: Number of the step.
        line: The user's line, as text; may be empty.
        op: What made it; may be empty.
        sentence: How it came about, and who saved it.
        elements: The first ones, as text.
        saved: Whether somebody keeps it for backward.
        asked: Whether it is the one that was asked about.
        place: Where it came about.
        tensor: A tensor that shows it.
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
    """What became of the memory of a tensor.

    Attributes:
        sight: The tensor that was asked about.
        history: Its versions; None where it has no memory of its own.
        rows: One for each version.
        clashes: What torch's error on a change in place is about, as sentences.
    """

    sight: Sight
    history: History | None
    rows: tuple[VersionRow, ...]
    clashes: tuple[str, ...]


def chronicle_of(
    index: Index, makings: Makings, sight: Sight, cancelled: Callable[[], bool]
) -> Chronicle:
    """Finds the versions, and puts them into words; takes as long as reading all ops."""
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
    """The first elements in brackets; empty where none were kept."""
    if value is None or record.content != "whole":
        return ""
    flat = value.array().reshape(-1)
    texts = [short_number(each) for each in flat[:_SHOWN].tolist()]
    if not record.shape:
        return texts[0]
    if flat.size > _SHOWN:
        texts.append("…")
    return f"[{', '.join(texts)}]"
