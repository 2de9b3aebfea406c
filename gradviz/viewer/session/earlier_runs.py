"""The original run with which a changed run is compared."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.model.inputs import Offer
from gradviz.store.reader import TraceReader


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviousRun:
    """A previous run whose trace still exists.

    Attributes:
        path: The trace.
        title: The title of the run.
        offer: What was run; None for an opened file.
    """

    path: Path
    title: str
    offer: Offer | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Baseline:
    """A run without changes; its trace stays open while the changed run is shown.

    Attributes:
        reader: Its open trace.
        index: The trace with its indexes.
        offer: What was run.
    """

    reader: TraceReader
    index: TraceIndex
    offer: Offer
