"""The original run with which a changed run is compared."""

from __future__ import annotations

from dataclasses import dataclass

from gradviz.model.index import Index
from gradviz.model.inputs import Offer
from gradviz.store.reader import TraceReader


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Baseline:
    """A run without changes; its trace stays open while the changed run is shown.

    Attributes:
        reader: Its open trace.
        index: The trace with its indexes.
        offer: What was run.
    """

    reader: TraceReader
    index: Index
    offer: Offer
