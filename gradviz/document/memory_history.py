"""The versions of a tensor's memory as a document."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import cast

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.memory.memory_regions import overlaps
from gradviz.analysis.memory.memory_versions import (
    MemoryVersion,
    VersionHistory,
    version_history,
)
from gradviz.analysis.memory.saved_conflicts import conflicts_of_error
from gradviz.analysis.position.trace_position import op_at
from gradviz.analysis.provenance.producers import Producers
from gradviz.analysis.revealed_trace import RevealedTrace
from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.catalogue.numbers import number_text
from gradviz.document.document import Document, Field, Row
from gradviz.document.tag import DocumentLink
from gradviz.model.step import ErrorStep
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.text.memory_versions import line_of_write, version_sentence
from gradviz.text.position_names import position_location
from gradviz.text.saved_conflicts import conflict_sentence

_SHOWN = 6
"""Number of elements shown in a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryHistory:
    """Version history of a tensor's memory.

    Attributes:
        index: The trace.
        tensor: The tensor that was asked about.
        history: Its versions; None if its memory is unknown.
        clashes: Sentences on the in-place changes that torch's error is about.
    """

    index: TraceIndex
    tensor: int
    history: VersionHistory | None
    clashes: tuple[str, ...] = ()

    def document(self, number: int, revealed: RevealedTrace) -> Document:
        """Return a row for each version in revealed steps; those after a step are muted."""
        versions = () if self.history is None else self.history.versions
        shown = [at for at, each in enumerate(versions) if revealed.shows(each.place.step)]
        now = None if self.history is None else self.history.at(number)

        def row(key: Hashable) -> Row:
            return self._row(versions[cast("int", key)], cast("int", key), now)

        titles = (
            "",
            say("versions.version"),
            say("versions.step"),
            say("versions.line"),
            say("versions.made_by"),
            say("versions.what_happened"),
            say("versions.elements"),
        )
        return Document(titles=titles, keys=shown, row=row)

    def _row(self, version: MemoryVersion, at: int, now: int | None) -> Row:
        index, write, place = self.index, version.write, version.place
        line = position_location(index, place) if write is None else line_of_write(index, write)
        seen = version.how not in ("unseen", "counter", "given")
        op = op_at(index, place)
        marks = [
            say("versions.now") if at == now else "",
            say("versions.saved") if version.saves else "",
            say("versions.selected") if self.tensor in version.tensors and at != now else "",
        ]
        texts = (
            "–" if version.counter is None else str(version.counter),
            format_count(place.step),
            "" if line is None or not seen else str(line.line),
            version.name if op is None else op.name,
            version_sentence(index, version),
        )
        elements = elements_text(index.tensor.bare(version.tensor), index.value(version.tensor))
        is_late = now is None or at > now
        mark = Field(
            text=" · ".join(filter(None, marks)),
            strong=True,
            tone="muted" if is_late else "accent",
        )
        rest = [Field(text=text, tone="muted" if is_late else "plain") for text in texts]
        fields = (mark, *rest, Field(text=elements, tone=rest[0].tone, mono=True))
        return Row(fields=fields, link=DocumentLink(place=place), is_now=at == now)


def memory_history(
    index: TraceIndex, producers: Producers, tensor: int, cancelled: Callable[[], bool]
) -> MemoryHistory:
    """Return the version history of a tensor; has to read all ops."""
    history = version_history(index, tensor, producers, cancelled)
    if history is None:
        return MemoryHistory(index=index, tensor=tensor, history=None)
    asked = index.tensor.bare(tensor)
    last = index.trace.steps[-1] if len(index.trace.steps) else None
    clashes = conflicts_of_error(index, last, cancelled) if isinstance(last, ErrorStep) else ()
    sentences = [
        conflict_sentence(index, clash)
        for clash in clashes
        if overlaps(index.tensor.bare(clash.slot.item.tensor or 0), asked)
    ]
    return MemoryHistory(index=index, tensor=tensor, history=history, clashes=tuple(sentences))


def elements_text(record: TensorRecord, value: TensorValue | None) -> str:
    """Return the first elements in brackets; empty if not all elements were stored."""
    if value is None or record.content != "whole":
        return ""
    flat = value.array().reshape(-1)
    texts = [number_text(each) for each in flat[:_SHOWN].tolist()]
    if not record.shape:
        return texts[0]
    if flat.size > _SHOWN:
        texts.append("…")
    return f"[{', '.join(texts)}]"
