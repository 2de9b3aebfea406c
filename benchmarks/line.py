"""One result: ours, the peer's, their ratio and the bar."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One benchmark.

    Attributes:
        name: What was measured.
        ours_s: Our time, in seconds (of CPU or wall, as the name says).
        peer: What it is compared with.
        peer_s: The peer's time; None where the bar is an absolute time.
        bar: The ratio that is to be kept, or a time in seconds where there is no peer.
    """

    name: str
    ours_s: float
    peer: str
    peer_s: float | None
    bar: float

    @property
    def measured(self) -> float:
        """The ratio, or our time where there is no peer."""
        return self.ours_s if self.peer_s is None else self.ours_s / self.peer_s

    def text(self) -> str:
        """The line as it is printed."""
        state = "kept" if self.measured <= self.bar else "NOT YET"
        if self.peer_s is None:
            against, ratio, bar = "-", "-", f"{1000 * self.bar:.0f} ms"
        else:
            against = f"{1000 * self.peer_s:.2f} ms ({self.peer})"
            ratio, bar = f"{self.measured:.2f}", f"{self.bar:g}"
        ours = f"{1000 * self.ours_s:.2f} ms"
        return f"{self.name:<52} {ours:>12}  {against:<40} ratio {ratio:>6}  bar {bar:>6}  {state}"


def median_cpu(work: Callable[[], object], *, seconds: float = 2.0, runs: int = 5) -> float:
    """The median CPU time of one call, of all threads of this process, in seconds.

    Args:
        work: What is measured; called once beforehand where it is measured several times.
        seconds: How long to go on at least.
        runs: How many calls at least.
    """
    if runs > 1:
        work()
    times: list[float] = []
    until = time.perf_counter() + seconds
    while (time.perf_counter() < until or len(times) < runs) and len(times) < 1000:
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return statistics.median(times)


def wall(work: Callable[[], object], runs: int = 5) -> float:
    """The median wall time of one call, in seconds."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)
