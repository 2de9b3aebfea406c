"""Something worth telling about a run: a broken rule, or trouble while recording."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gradviz.model.source import Location

Severity = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing found.

    Attributes:
        id: Number in the trace.
        code: Stable word for programs, like ``silent_reduction``.
        severity: How much it matters.
        message: One sentence for people.
        step: Where it was found; None where it belongs to no step.
        node: The node it is about, if any.
        location: The line of the source that it is about; None if there is none, or not known.
        argument: Which argument of a Function, or value that its ``backward`` returned, it is
            about; None for none.
    """

    id: int
    code: str
    severity: Severity
    message: str
    step: int | None
    node: int | None
    location: Location | None = None
    argument: int | None = None
