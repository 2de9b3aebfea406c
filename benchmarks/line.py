"""Benchmark results: our times, the peer's times, their ratio and the limit; or memory used."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Clock = Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Minimum, median and 90th percentile of several runs, in seconds."""

    minimum_s: float
    median_s: float
    ninetieth_s: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Timing:
        """Summarizes the times of single runs."""
        ascending = sorted(seconds)
        return cls(
            minimum_s=ascending[0],
            median_s=statistics.median(ascending),
            ninetieth_s=ascending[math.ceil(0.9 * len(ascending)) - 1],
        )

    def text(self) -> str:
        """Formats the median, the minimum and the 90th percentile in milliseconds."""
        least, most = 1000 * self.minimum_s, 1000 * self.ninetieth_s
        return f"{1000 * self.median_s:.2f} ms (min {least:.2f}, 90 % {most:.2f})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The result of one benchmark.

    Attributes:
        name: What was measured.
        ours: Our CPU or wall time, depending on the benchmark.
        peer: Name of the peer; empty if there is none.
        peers: The peer's time; None if the limit is an absolute time.
        bar: Upper limit of the ratio, or of our time in seconds if there is no peer; None if the
            result is only shown.
    """

    name: str
    ours: Timing
    peer: str = ""
    peers: Timing | None = None
    bar: float | None

    @property
    def measured(self) -> float:
        """The ratio of the medians, or our median in seconds if there is no peer."""
        return self.ours.median_s / (1.0 if self.peers is None else self.peers.median_s)

    def text(self) -> str:
        """Formats the result as one line."""
        against, ratio = "-", "-"
        if self.peers is not None:
            against, ratio = f"{self.peers.text()}, {self.peer}", f"{self.measured:.2f}"
        limit, state = "-", ""
        if self.bar is not None:
            limit = f"{self.bar:g}" if self.peers is not None else f"{1000 * self.bar:.0f} ms"
            state = "ok" if self.measured <= self.bar else "OVER LIMIT"
        row = f"{self.name:<52} {self.ours.text():>42}  {against:<52} ratio {ratio:>6}"
        return f"{row}  limit {limit:>6}  {state}".rstrip()


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryUse:
    """Memory that a process uses, and its limit, in bytes."""

    name: str
    used: int
    limit: int

    def text(self) -> str:
        """Formats both in megabytes."""
        state = "ok" if self.used <= self.limit else "OVER LIMIT"
        return f"{self.name:<52} {self.used / 1e6:.0f} MB  limit {self.limit / 1e6:.0f} MB  {state}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A benchmark, or the peer of one, that could not be measured."""

    name: str
    reason: str

    def text(self) -> str:
        """Formats what is missing and why."""
        return f"{self.name:<52} skipped: {self.reason}"


def seconds_of(work: Callable[[], object], clock: Clock = time.process_time) -> float:
    """Measures one call; by default the CPU time of all threads of this process."""
    start = clock()
    work()
    return clock() - start


def interleaved(
    *works: Callable[[], object],
    clock: Clock = time.process_time,
    seconds: float = 2.0,
    runs: int = 5,
    most_s: float = 120.0,
) -> list[Timing]:
    """Measures callables in turn, so that a change in the machine's load affects all of them.

    Args:
        works: What to measure. If ``runs`` is more than 1, each is called once to warm up.
        clock: Returns seconds: CPU time of this process, or wall time.
        seconds: Minimum duration of the measurement.
        runs: Minimum number of calls of each.
        most_s: No further run starts after this time.
    """
    if runs > 1:
        for work in works:
            work()
    start = time.perf_counter()
    times: list[list[float]] = [[] for _ in works]
    done = 0
    while done < 1000:
        passed = time.perf_counter() - start
        if done and (passed > most_s or (passed > seconds and done >= runs)):
            break
        for kept, work in zip(times, works, strict=True):
            kept.append(seconds_of(work, clock))
        done += 1
    return [Timing.of(kept) for kept in times]


def wall(*works: Callable[[], object], runs: int = 5) -> list[Timing]:
    """Measures the wall time of callables in turn, without a warm-up."""
    times: list[list[float]] = [[] for _ in works]
    for _ in range(runs):
        for kept, work in zip(times, works, strict=True):
            kept.append(seconds_of(work, time.perf_counter))
    return [Timing.of(kept) for kept in times]
