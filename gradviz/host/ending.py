"""How a job ended, as a value with one sentence for people."""

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
        line: From 1.
        function: Name of the function around it.
    """

    path: str
    line: int
    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How a job ended. Whatever it was, what was recorded until then is in the trace.

    Attributes:
        kind: ``finished`` went well; ``failed`` is told by the child itself (an exception, a file
            that cannot be loaded); ``crashed`` is death by a signal; ``exited`` is an exit that
            nobody asked for, like ``os._exit``.
        sentence: For people; empty for ``finished``.
        place: Where it happened, for ``timed_out``, ``out_of_memory`` and ``crashed``, if known.
        signal: Name of the signal, like ``SIGSEGV``, for ``crashed``, else empty.
        code: The process's exit code, negative for a signal; None if it never started.
        stderr: The last of what the child wrote to stderr, terminal escapes included.
    """

    kind: EndingKind
    sentence: str
    place: Place | None = None
    signal: str = ""
    code: int | None = None
    stderr: str = ""
