"""Decision whether a child has exceeded a limit, from numbers alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gradviz.host.ending import Place
from gradviz.host.limits import Limits
from gradviz.host.sentences import Code, duration, sentence, size

SILENT_AFTER_S = 1.5
"""Seconds without a heartbeat after which Python is blocked; four are sent per second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """Measurements of a child at one moment.

    Attributes:
        running_s: Seconds since it took the request.
        silent_s: Seconds since its last message.
        resident_bytes: Resident memory of the child and its descendants.
    """

    running_s: float
    silent_s: float
    resident_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Decision to kill a child.

    Attributes:
        kind: Kind of the resulting `Ending`.
        code: Code of the sentence.
        values: Values for the sentence.
    """

    kind: Literal["timed_out", "out_of_memory"]
    code: Code
    values: tuple[tuple[str, str], ...]

    def sentence(self, place: Place | None) -> str:
        """Format the sentence, with the place if it is known."""
        return sentence(self.code, place, **dict(self.values))


def decide(limits: Limits, sign: Sign) -> Stop | None:
    """Find the exceeded limit, if any; memory first, as it is the most urgent."""
    if limits.memory_bytes is not None and sign.resident_bytes > limits.memory_bytes:
        values = (("used", size(sign.resident_bytes)), ("limit", size(limits.memory_bytes)))
        return Stop(kind="out_of_memory", code="out_of_memory", values=values)
    silent = ("silent", duration(sign.silent_s))
    if limits.time_s is not None and sign.running_s > limits.time_s:
        in_c = sign.silent_s > SILENT_AFTER_S
        limit = ("limit", duration(limits.time_s))
        return Stop(
            kind="timed_out",
            code="timed_out_in_c" if in_c else "timed_out",
            values=(limit, silent) if in_c else (limit,),
        )
    if limits.silence_s is not None and sign.silent_s > limits.silence_s:
        return Stop(kind="timed_out", code="silent", values=(silent,))
    return None
