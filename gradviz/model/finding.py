"""Findings about a run: a broken rule, or a problem while recording."""

from typing import Literal

from gradviz.model.codec import Natural, TraceRecord
from gradviz.model.source import Location

Severity = Literal["info", "warning", "error"]


class Finding(TraceRecord, frozen=True, kw_only=True):
    """Something that a run did wrong, or that is worth knowing about it.

    Attributes:
        id: Number in the trace.
        code: Stable identifier for programs, such as ``silent_reduction``.
        severity: How serious it is.
        message: One sentence for people.
        step: Step in which it was found; None if it belongs to no step.
        node: Node it concerns, if any.
        location: Source line it concerns; None if there is none or it is unknown.
        argument: Index of the Function's argument, or of the value that its ``backward`` returned;
            None if it concerns neither.
    """

    id: Natural
    code: str
    severity: Severity
    message: str
    step: Natural | None
    node: Natural | None
    location: Location | None = None
    argument: Natural | None = None
