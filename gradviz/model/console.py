"""Output that the run printed, with the steps in which it was printed."""

from typing import Literal

from gradviz.model.codec import Natural, TraceRecord

Stream = Literal["stdout", "stderr"]
ConsoleActivity = Literal["run", "check"]


class ConsoleText(TraceRecord, frozen=True, kw_only=True):
    """A piece of printed text, one or more lines.

    Attributes:
        id: Number in the trace, in order of writing.
        step: Step during which it was written; None outside of steps.
        stream: Stream it was written to.
        activity: ``check`` for output from the evaluations of a Jacobian check.
        text: The text as written, including line ends.
    """

    id: Natural
    step: Natural | None
    stream: Stream
    activity: ConsoleActivity
    text: str


class ConsoleCut(TraceRecord, frozen=True, kw_only=True):
    """How much output exceeded the limit and was dropped.

    Attributes:
        activity: What was writing; one record for each.
        characters: Number of dropped characters.
        lines: Number of line ends among them.
    """

    activity: ConsoleActivity
    characters: Natural
    lines: Natural
