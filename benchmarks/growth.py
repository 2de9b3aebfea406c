"""CPU time to open and draw the recorded graphs of transformers of 1,000 to 100,000 nodes."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.line import Line, Timing, seconds_of
from benchmarks.pictures import recorded
from gradviz.analysis.index.trace_index import index_reader
from gradviz.drawing.content.graph_builder import drawn_graph
from gradviz.store.reader import open_trace

SIZES = {"E3": 1_000, "E4": 10_000, "E5": 100_000}
RUNS = 5
MOST_GROWTH = 13.0
"""Limit for ten times the nodes; linear growth is 10, and larger traces fit the CPU caches less."""


def lines() -> Iterator[Line]:
    """Yields the times of each size against those of ten times fewer nodes."""
    before: tuple[Timing, Timing] | None = None
    for name, size in SIZES.items():
        with tempfile.TemporaryDirectory() as folder:
            times = _times(recorded(name, Path(folder)))
        for at, work in enumerate(("open", "draw")):
            yield Line(
                name=f"{work} a transformer of {size:,} nodes",
                ours=times[at],
                peer="" if before is None else "ten times fewer nodes",
                peers=None if before is None else before[at],
                bar=None if before is None else MOST_GROWTH,
            )
        before = times


def _times(path: Path) -> tuple[Timing, Timing]:
    """Measures opening a trace with its index, and then drawing its graph."""
    indexing = [seconds_of(lambda: _open(path)) for _ in range(RUNS)]
    with open_trace(path) as reader:
        index = index_reader(reader)
        drawing = [seconds_of(lambda: drawn_graph(index)) for _ in range(RUNS)]
    return Timing.of(indexing), Timing.of(drawing)


def _open(path: Path) -> None:
    with open_trace(path) as reader:
        index_reader(reader)
