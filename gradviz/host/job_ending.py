"""Outcome of a job as a value with one sentence for people."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

EndingCode = Literal[
    "cancelled",
    "timed_out",
    "timed_out_in_c",
    "silent",
    "out_of_memory",
    "crashed",
    "killed",
    "exited",
    "bug",
    "pipe_lost",
    "not_started",
    "slow_start",
    "no_message",
]

_SENTENCES: dict[EndingCode, str] = {
    "cancelled": "Cancelled.",
    "timed_out": "Stopped at the time limit of {limit}.",
    "timed_out_in_c": "Stopped at the time limit of {limit}; C code had "
    "blocked Python for {silent}.",
    "silent": "Stopped because C code had blocked Python for {silent}.",
    "out_of_memory": "Stopped because it used {used} of memory; the limit is {limit}.",
    "crashed": "Crashed with {signal} ({meaning}).",
    "killed": "Killed by the system (SIGKILL), most likely because memory ran out.",
    "exited": "The code ended its own process with exit code {exit_code} before it was done.",
    "bug": "gradviz itself failed: {reason}. Please report this with the details.",
    "pipe_lost": "Stopped because the code closed all files, including the pipe to the window.",
    "not_started": "The child process could not start: {reason}.",
    "slow_start": "Stopped because importing torch took longer than {limit}.",
    "no_message": "Stopped because the child process sent an invalid message: {reason}.",
}

_SENTENCES_WITH_PLACE: dict[EndingCode, str] = {
    "timed_out": "Stopped at the time limit of {limit}, in {function} ({file}, line {line}).",
    "timed_out_in_c": "Stopped at the time limit of {limit}, in {function} ({file}, line {line}); "
    "C code that it called had blocked Python for {silent}.",
    "silent": "Stopped in {function} ({file}, line {line}) because C code that it called had "
    "blocked Python for {silent}.",
    "out_of_memory": "Stopped in {function} ({file}, line {line}) because it used "
    "{used} of memory; the limit is {limit}.",
    "crashed": "Crashed with {signal} ({meaning}) in {function} ({file}, line {line}).",
}

SIGNAL_MEANINGS = {
    "SIGABRT": "the code called abort",
    "SIGSEGV": "invalid memory access",
    "SIGBUS": "invalid memory access",
    "SIGFPE": "invalid integer operation, such as division by zero",
    "SIGILL": "an instruction that this processor does not support",
    "SIGTERM": "another process terminated it",
}


def ending_sentence(code: EndingCode, place: CodeLine | None = None, **values: str) -> str:
    """Format the sentence of a code, with the place if the code has a variant for it."""
    if place is None or code not in _SENTENCES_WITH_PLACE:
        return _SENTENCES[code].format(**values)
    return _SENTENCES_WITH_PLACE[code].format(
        file=PurePath(place.path).name, line=place.line, function=place.function, **values
    )


def signal_meaning(signal_name: str) -> str:
    """Meaning of a signal in a few words."""
    return SIGNAL_MEANINGS.get(signal_name, "a signal ended the process")


def seconds_text(seconds: float) -> str:
    """Format a time: ``0.5 s``, ``10 s``, ``2 min``."""
    if seconds >= 120 and seconds % 60 == 0:
        return f"{seconds / 60:.0f} min"
    return f"{seconds:.3g} s"


def byte_size_text(count: int) -> str:
    """Format a number of bytes: ``1.2 GB``."""
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if count >= factor:
            return f"{count / factor:.3g} {unit}"
    return f"{count} bytes"


EndingKind = Literal[
    "finished", "failed", "cancelled", "timed_out", "out_of_memory", "crashed", "exited"
]


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeLine:
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
class JobEnding:
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
    place: CodeLine | None = None
    signal: str = ""
    code: int | None = None
    stderr: str = ""
