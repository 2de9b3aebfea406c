"""The run with which a changed one is compared: its trace stays open as long as that is shown."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.model.index import Index
from gradviz.model.inputs import Offer
from gradviz.store.reader import TraceReader


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Baseline:
    """A run without changes.

    Attributes:
        reader: Its open trace.
        index: The trace with its look-ups.
        offer: What made it.
    """

    reader: TraceReader
    index: Index
    offer: Offer
