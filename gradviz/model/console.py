"""What the run printed, tied to the steps in which it did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Stream = Literal["stdout", "stderr"]
Activity = Literal["run", "check"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleText:
    """Text as it was written, in one or several lines.

    Attributes:
        id: Number in the trace, in order of writing.
        step: The step during which it was written; None outside of any.
        stream: Where it was written to.
        activity: ``check`` for what a Jacobian check's evaluations print.
        text: As written, line ends included.
    """

    id: int
    step: int | None
    stream: Stream
    activity: Activity
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleCut:
    """How much was written beyond the budget and is not kept.

    Attributes:
        activity: What was writing; one cut for each.
        characters: Number of characters that were dropped.
        lines: Number of line ends among them.
    """

    activity: Activity
    characters: int
    lines: int
