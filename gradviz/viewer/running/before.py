"""The run that a window has shown before the present one, to stand beside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from gradviz.model.inputs import Offer


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """A run whose trace is still there.

    Attributes:
        path: The trace.
        title: Of the run, for people.
        offer: What made it; None for an opened file.
    """

    path: Path
    title: str
    offer: Offer | None
