"""Something worth telling about a run: a broken rule, or trouble while recording."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

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
    """

    id: int
    code: str
    severity: Severity
    message: str
    step: int | None
    node: int | None
