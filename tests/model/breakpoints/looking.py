"""Looks for breakpoints in hand-written traces."""

from __future__ import annotations

from gradviz.model.breakpoints.look import Look
from gradviz.model.index import index_of
from gradviz.model.places import Key, Place
from gradviz.model.trace import Trace
from tests.viewer.traces import MemoryReader, Pairs


def look(trace: Trace, pairs: Pairs) -> Look:
    reader = MemoryReader(trace, pairs)
    return Look(index_of(reader.trace(), reader.value))


def keys(places: tuple[Place, ...]) -> list[Key]:
    return [place.key for place in places]
