"""Outcome of a job as a value with one sentence for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

EndingKind = Literal[
    "finished", "failed", "cancelled", "timed_out", "out_of_memory", "crashed", "exited"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A line of the user's code.

    Attributes:
        path: The file.
        line: Line number, from 1.
        function: Name of the function around it.
    """

    path: str
    line: int
    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a job ended; in every case the trace has everything recorded until then.

    Attributes:
        kind: ``finished`` is success; ``failed`` is reported by the child itself (an exception, a
            file that cannot be loaded); ``crashed`` is death by a signal; ``exited`` is an
            unrequested exit, such as ``os._exit``.
        sentence: Message for people; empty for ``finished``.
        place: Where it happened, for ``timed_out``, ``out_of_memory`` and ``crashed``, if known.
        signal: For ``crashed``, the name of the signal, such as ``SIGSEGV``; else empty.
        code: The process's exit code, negative for a signal; None if it never started.
        stderr: End of the child's stderr, terminal escapes included.
    """

    kind: EndingKind
    sentence: str
    place: Place | None = None
    signal: str = ""
    code: int | None = None
    stderr: str = ""
