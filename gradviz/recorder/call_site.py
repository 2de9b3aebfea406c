"""Location of a torch call in the source, with the names of its arguments there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gradviz.model.source import Location
from gradviz.recorder.expressions import names_at
from gradviz.recorder.reruns import is_rerun
from gradviz.recorder.sources import Sources, caller


@dataclass(slots=True)
class CallSite:
    """A call in the source.

    Attributes:
        names: Names of the positional arguments, as returned by `names_at`.
        targets: Names that its result is assigned to.
        location: The line; None if unknown.
        rerun: Whether a checkpoint runs it again.
    """

    names: tuple[str, ...]
    targets: tuple[str, ...]
    location: Location | None
    rerun: bool = False


def call_site(sources: Sources, function: Any, args: tuple[Any, ...]) -> CallSite:
    """Find the call that is being recorded. Call with the log's lock held."""
    frame = caller()
    names, targets = names_at(function, frame, args)
    return CallSite(names, targets, sources.at(frame), is_rerun(frame))
