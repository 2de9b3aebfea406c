"""Limits on the time and memory of a child process."""

from __future__ import annotations

from dataclasses import dataclass, field

import psutil


def half_of_memory() -> int:
    """Half of this machine's memory, in bytes."""
    return part_of_memory(50)


def part_of_memory(percent: int) -> int:
    """A percentage of this machine's memory, in bytes."""
    return int(psutil.virtual_memory().total) * percent // 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a child may use for one request; None means no limit.

    Attributes:
        time_s: Wall time from the moment the child takes the request; importing torch is not
            counted.
        memory_bytes: Resident memory of the child and all its descendants.
        silence_s: How long Python may send no heartbeat, for example because C code holds the GIL.
        start_s: Wall time to import torch.
    """

    time_s: float | None = 120.0
    memory_bytes: int | None = field(default_factory=half_of_memory)
    silence_s: float | None = None
    start_s: float = 300.0
