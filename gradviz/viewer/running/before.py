"""The run that was shown before the current one, available for comparison."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gradviz.model.inputs import Offer


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """A previous run whose trace still exists.

    Attributes:
        path: The trace.
        title: The title of the run.
        offer: What was run; None for an opened file.
    """

    path: Path
    title: str
    offer: Offer | None
