"""Output that the run printed, with the steps in which it was printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Stream = Literal["stdout", "stderr"]
ConsoleActivity = Literal["run", "check"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleText:
    """A piece of printed text, one or more lines.

    Attributes:
        id: Number in the trace, in order of writing.
        step: Step during which it was written; None outside of steps.
        stream: Stream it was written to.
        activity: ``check`` for output from the evaluations of a Jacobian check.
        text: The text as written, including line ends.
    """

    id: int
    step: int | None
    stream: Stream
    activity: ConsoleActivity
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleCut:
    """How much output exceeded the limit and was dropped.

    Attributes:
        activity: What was writing; one record for each.
        characters: Number of dropped characters.
        lines: Number of line ends among them.
    """

    activity: ConsoleActivity
    characters: int
    lines: int
