"""Tags of what a document tells, and where it leads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gradviz.analysis.position.trace_position import TracePosition

PillTone = Literal[
    "plain", "accent", "leaf", "saved", "output", "forward", "backward", "ok", "warning", "error"
]
"""The meaning of a tag, which sets its color."""


@dataclass(frozen=True, slots=True)
class DocumentLink:
    """Where a row, a field or a tag leads.

    Attributes:
        step: Number of a step; None for other targets.
        node: Id of a node; None for other targets.
        place: A place within a step; None for other targets.
        history: Number of a tensor whose history to show; None for other targets.
    """

    step: int | None = None
    node: int | None = None
    place: TracePosition | None = None
    history: int | None = None


@dataclass(frozen=True, slots=True)
class Tag:
    """A word or two beside a name, such as a role, a count or a storage.

    Attributes:
        text: One or two words.
        tone: The meaning that sets its color.
        tip: A sentence for the tooltip and screen readers; may be empty.
        jump: The target of a click; None if it cannot be clicked.
        storage: Number of the storage it represents; None for other pills.
    """

    text: str
    tone: PillTone = "plain"
    tip: str = ""
    jump: DocumentLink | None = None
    storage: int | None = None
