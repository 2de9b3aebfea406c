"""Limits of a child process: on its time, memory, printed text and trace."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Literal

import psutil

from gradviz.host.job_ending import (
    CodeLine,
    EndingCode,
    UserLimit,
    byte_size_text,
    ending_sentence,
    seconds_text,
)

TIME_S = 120
MEMORY_PERCENT = 50
OUTPUT_CHARACTERS = 1_000_000
TRACE_BYTES = 2 << 30
"""Defaults, for a run in the window: wall time, percent of the machine's memory, and so on."""

SILENT_AFTER_S = 1.5
"""Seconds without a heartbeat after which Python is blocked; four are sent per second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildUsage:
    """Measurements of a child at one moment.

    Attributes:
        running_s: Seconds since it took the request.
        silent_s: Seconds since its last message.
        memory_bytes: Memory of the child and its descendants; what they share counts once.
        trace_bytes: Size of the trace that it writes.
        is_suspended: Whether a signal such as SIGSTOP has suspended it.
    """

    running_s: float
    silent_s: float
    memory_bytes: int
    trace_bytes: int = 0
    is_suspended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitReached:
    """Decision to kill a child.

    Attributes:
        kind: Kind of the resulting `JobEnding`.
        code: Code of the sentence.
        values: Values for the sentence.
        limit: The limit that the user can change; None for another one.
    """

    kind: Literal["timed_out", "out_of_memory", "trace_full"]
    code: EndingCode
    values: tuple[tuple[str, str], ...]
    limit: UserLimit | None = None

    def sentence(self, place: CodeLine | None) -> str:
        """Format the sentence, with the place if it is known."""
        return ending_sentence(self.code, place, **dict(self.values))


def check_limits(limits: Limits, sign: ChildUsage) -> LimitReached | None:
    """Find the exceeded limit, if any; memory first, as it is the most urgent."""
    if limits.memory_bytes is not None and sign.memory_bytes > limits.memory_bytes:
        values = (
            ("used", byte_size_text(sign.memory_bytes)),
            ("limit", byte_size_text(limits.memory_bytes)),
        )
        return LimitReached(
            kind="out_of_memory", code="out_of_memory", values=values, limit="memory"
        )
    if limits.trace_bytes is not None and sign.trace_bytes > limits.trace_bytes:
        size = (("limit", byte_size_text(limits.trace_bytes)),)
        return LimitReached(kind="trace_full", code="trace_full", values=size, limit="trace")
    silent = ("silent", seconds_text(sign.silent_s))
    if sign.is_suspended and sign.silent_s > SILENT_AFTER_S:
        return LimitReached(kind="timed_out", code="suspended", values=(silent,))
    if limits.time_s is not None and sign.running_s > limits.time_s:
        in_c = sign.silent_s > SILENT_AFTER_S
        limit = ("limit", seconds_text(limits.time_s))
        return LimitReached(
            kind="timed_out",
            code="timed_out_in_c" if in_c else "timed_out",
            values=(limit, silent) if in_c else (limit,),
            limit="time",
        )
    if limits.silence_s is not None and sign.silent_s > limits.silence_s:
        return LimitReached(kind="timed_out", code="silent", values=(silent,))
    return None


def memory_percentage(percent: int) -> int:
    """A percentage of this machine's memory, in bytes."""
    return int(psutil.virtual_memory().total) * percent // 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a child may use for one request; None means no limit.

    Attributes:
        time_s: Wall time from the moment the child takes the request; importing torch is not
            counted.
        memory_bytes: Memory of the child and all its descendants. Linux counts what they share
            once; other systems count it for each of them.
        trace_bytes: Size of the trace that it writes, measured about every 0.1 s.
        output_characters: Printed text to store in the trace; the rest is counted.
        silence_s: How long Python may send no heartbeat, for example because C code holds the GIL.
        start_s: Wall time to import torch.
    """

    time_s: float | None = TIME_S
    memory_bytes: int | None = field(default_factory=partial(memory_percentage, MEMORY_PERCENT))
    trace_bytes: int | None = TRACE_BYTES
    output_characters: int = OUTPUT_CHARACTERS
    silence_s: float | None = None
    start_s: float = 300.0
