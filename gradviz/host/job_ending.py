"""Outcome of a job as a value with one sentence for people."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

from gradviz.catalogue.messages import say
from gradviz.catalogue.templates import MESSAGES
from gradviz.model.trace import Outcome

EndingCode = Literal[
    "cancelled",
    "timed_out",
    "timed_out_in_c",
    "silent",
    "suspended",
    "out_of_memory",
    "trace_full",
    "crashed",
    "killed",
    "killed_by_process",
    "killed_for_memory",
    "exited",
    "bug",
    "pipe_lost",
    "not_started",
    "slow_start",
    "no_message",
]

_WITH_PLACE = frozenset({"crashed", "out_of_memory", "silent", "timed_out", "timed_out_in_c"})
"""Codes with another sentence for a known place."""


def ending_sentence(code: EndingCode, place: CodeLine | None = None, **values: str) -> str:
    """Format the sentence of a code, with the place if the code has a variant for it."""
    if place is None or code not in _WITH_PLACE:
        return say(f"ending.{code}", **values)
    file = PurePath(place.path).name
    return say(f"ending.{code}.at", file=file, line=place.line, function=place.function, **values)


def signal_meaning(signal_name: str) -> str:
    """Meaning of a signal in a few words."""
    key = f"signal.{signal_name}"
    return say(key if key in MESSAGES else "signal.other")


def seconds_text(seconds: float) -> str:
    """Format a time: ``0.5 s``, ``10 s``, ``2 min``."""
    if seconds >= 120 and seconds % 60 == 0:
        return say("quantity.minutes", count=seconds / 60)
    return say("quantity.seconds", count=seconds)


def byte_size_text(count: int) -> str:
    """Format a number of bytes in the units in which limits are set: ``1.2 GiB``."""
    for unit, power in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        size = count / (1 << power)
        if size >= 1:
            return f"{size:.0f} {unit}" if size >= 100 else f"{size:.3g} {unit}"
    return say("quantity.bytes", count=count)


EndingKind = Literal[
    "finished",
    "failed",
    "cancelled",
    "timed_out",
    "out_of_memory",
    "trace_full",
    "crashed",
    "exited",
]
UserLimit = Literal["time", "memory", "trace"]
"""A limit of `Limits` that users set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeLine:
    """A line of the user's code.

    Attributes:
        path: The file.
        line: Line number, from 1.
        function: Name of the function around it; empty if unknown.
    """

    path: str
    line: int
    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEnding:
    """How a job ended; in every case the trace has everything recorded until then.

    Attributes:
        kind: ``finished`` is success; ``failed`` is reported by the child itself (an exception, a
            file that cannot be loaded); ``crashed`` is death by a signal; ``exited`` is an
            unrequested exit, such as ``os._exit``.
        sentence: Message for people; empty for ``finished``.
        place: Where it happened, for ``failed``, ``timed_out``, ``out_of_memory`` and ``crashed``,
            if known.
        signal: For ``crashed``, the name of the signal, such as ``SIGSEGV``; else empty.
        code: The process's exit code, negative for a signal; None if it never started.
        stderr: End of the child's stderr, terminal escapes included.
        limit: The limit that stopped it, if any.
    """

    kind: EndingKind
    sentence: str
    place: CodeLine | None = None
    signal: str = ""
    code: int | None = None
    stderr: str = ""
    limit: UserLimit | None = None

    @property
    def outcome(self) -> Outcome:
        """Outcome for the trace of a job that has not finished."""
        kind: Literal["failed", "stopped"] = "failed" if self.kind == "failed" else "stopped"
        return Outcome(kind=kind, message=self.sentence, duration_ns=0)
