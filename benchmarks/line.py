"""A benchmark result: our time, the peer's time, their ratio and the limit."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The result of one benchmark.

    Attributes:
        name: What was measured.
        ours_s: Our time in seconds (CPU or wall time, depending on the benchmark).
        peer: Name of the peer; empty if there is none.
        peer_s: The peer's time in seconds; None if the limit is an absolute time.
        bar: Upper limit of the ratio, or of our time in seconds if there is no peer.
    """

    name: str
    ours_s: float
    peer: str
    peer_s: float | None
    bar: float

    @property
    def measured(self) -> float:
        """The ratio to the peer, or our time in seconds if there is no peer."""
        return self.ours_s if self.peer_s is None else self.ours_s / self.peer_s

    def text(self) -> str:
        """Formats the result as one line."""
        state = "ok" if self.measured <= self.bar else "OVER LIMIT"
        if self.peer_s is None:
            against, ratio, bar = "-", "-", f"{1000 * self.bar:.0f} ms"
        else:
            against = f"{1000 * self.peer_s:.2f} ms ({self.peer})"
            ratio, bar = f"{self.measured:.2f}", f"{self.bar:g}"
        ours = f"{1000 * self.ours_s:.2f} ms"
        return (
            f"{self.name:<52} {ours:>12}  {against:<40} ratio {ratio:>6}  limit {bar:>6}  {state}"
        )


def median_cpu(work: Callable[[], object], *, seconds: float = 2.0, runs: int = 5) -> float:
    """Measures the median CPU time of one call in seconds, over all threads of this process.

    Args:
        work: Callable to measure. If ``runs`` is more than 1, it is called once to warm up.
        seconds: Minimum duration of the measurement.
        runs: Minimum number of calls.
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
    """Measures the median wall time of one call in seconds."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)
