"""Wall time to draw the first picture of a trace, to open traces, and to step in a long one."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import torch
from msgspec.structs import replace

from benchmarks.line import Line, Skipped, Timing, seconds_of, wall
from benchmarks.recording import ORIGIN
from benchmarks.workloads import WORKLOADS
from gradviz.analysis.index.trace_index import index_reader
from gradviz.drawing.appearance.font_metrics import font_measure
from gradviz.drawing.content.drawn_graph import DrawnGraph
from gradviz.drawing.content.graph_builder import drawn_graph
from gradviz.drawing.content.graph_state import graph_state
from gradviz.drawing.geometry.box_geometry import graph_geometry
from gradviz.drawing.graphviz.layout_engine import lay_out
from gradviz.model.inside import Inside, RecordingLevel
from gradviz.model.step import Step
from gradviz.model.trace import Trace
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.recording import Recording
from gradviz.store.reader import open_trace
from gradviz.store.writer import TraceWriter

BARS = {"W4": 0.5, "W6": 0.1, "W7": 0.1}
LIMIT_S = 60.0


def lines() -> Iterator[Line | Skipped]:
    """Yields results for W4, W6, W7 and W8, for opening W6, and for one of 100,000 steps."""
    missing = _missing_peer()
    if missing:
        yield Skipped(name="torchviz as the peer", reason=missing)
    peer_of_w4: Timing | None = None
    for name, bar in BARS.items():
        title = f"trace to first picture, {name}"
        if missing:
            yield Line(name=title, ours=_first_picture(name), bar=None)
            continue
        ours, peers, note = _first_pictures(name)
        peer_of_w4 = peer_of_w4 or peers
        yield Line(name=title, ours=ours, peer=note, peers=peers, bar=bar)
    w8 = _first_picture("W8")
    yield Line(name="trace to first picture, W8", ours=w8, bar=1.0)
    if peer_of_w4 is not None:
        yield Line(
            name="trace to first picture, W8",
            ours=w8,
            peer="torchviz on W4",
            peers=peer_of_w4,
            bar=1.0,
        )
    name = "open a trace of 10,000 nodes and draw it"
    yield Line(name=name, ours=_first_picture("W6"), bar=1.0)
    yield from _in_a_long_trace()


def _missing_peer() -> str:
    """Returns why torchviz cannot be measured; empty if it can."""
    if find_spec("torchviz") is None:
        return "torchviz is not installed"
    return "" if shutil.which("dot") else "the program dot is not installed"


def _first_picture(name: str) -> Timing:
    with tempfile.TemporaryDirectory() as folder:
        path = recorded(name, Path(folder))
        return wall(lambda: _picture(path), runs=3)[0]


def _first_pictures(name: str) -> tuple[Timing, Timing, str]:
    """Measures both programs in turn; a single run of each where torchviz takes very long."""
    notes: list[str] = []
    times: list[float] = []
    ours: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        path = recorded(name, Path(folder))
        while len(ours) < 3 and sum(times) < LIMIT_S:
            ours.append(seconds_of(lambda: _picture(path), time.perf_counter))
            seconds, note = _torchviz(name)
            times.append(seconds)
            notes.append(note)
    return Timing.of(ours), Timing.of(times), notes[0]


def recorded(name: str, folder: Path, level: RecordingLevel = "nodes") -> Path:
    """Records a step of the workload into a new trace file in the folder."""
    path = folder / "run.gradviz"
    writer = TraceWriter(path, ORIGIN)
    step = WORKLOADS[name]()
    with Recording(writer, RecordingOptions(level=level, pass_console_on=False)):
        step()
    writer.close()
    return path


def _picture(path: Path) -> None:
    with open_trace(path) as reader:
        graph = drawn_graph(index_reader(reader))
        if not isinstance(graph, DrawnGraph):
            raise SystemExit(graph.sentence)
        lay_out(graph, graph_geometry(graph, font_measure()))


def _torchviz(name: str) -> tuple[float, str]:
    """Returns the seconds that torchviz and dot take, at most `LIMIT_S`, and a label."""
    from torchviz import make_dot

    root = _root_of(WORKLOADS[name])
    sys.setrecursionlimit(100_000)
    start = time.perf_counter()
    try:
        source = make_dot(root).source
        subprocess.run(
            ["dot", "-Tsvg"],
            input=source.encode(),
            capture_output=True,
            timeout=LIMIT_S,
            check=True,
        )
    except RecursionError:
        return LIMIT_S, "torchviz, RecursionError"
    except subprocess.TimeoutExpired:
        return LIMIT_S, "torchviz + dot, timed out"
    return time.perf_counter() - start, "torchviz + dot"


def _root_of(workload: Callable[[], Callable[[], object]]) -> torch.Tensor:
    """Returns the tensor on which the workload calls ``backward``; that call is skipped."""
    kept: list[torch.Tensor] = []
    plain = torch.Tensor.backward
    torch.Tensor.backward = lambda root: kept.append(root)  # type: ignore[method-assign,assignment]
    try:
        workload()()
    finally:
        torch.Tensor.backward = plain  # type: ignore[method-assign]
    return kept[0]


def _in_a_long_trace() -> Iterator[Line]:
    """Yields results for opening a trace of 100,000 steps and for the graph state at a step."""
    with tempfile.TemporaryDirectory() as folder:
        path = long_trace(Path(folder), 100_000)
        ours, peers = wall(lambda: _indexed(path), lambda: _parsed(path), runs=3)
        peer = "json.loads of each row"
        yield Line(name="open 100,000 steps", ours=ours, peer=peer, peers=peers, bar=4.0)
        with open_trace(path) as reader:
            index = index_reader(reader)
            graph = drawn_graph(index)
            assert isinstance(graph, DrawnGraph)
            numbers = iter(range(50_000, 60_000))
            (ours,) = wall(lambda: graph_state(index, graph, next(numbers)), runs=50)
    yield Line(name="graph state at one of 100,000 steps", ours=ours, bar=0.016)


def _indexed(path: Path) -> None:
    with open_trace(path) as reader:
        index_reader(reader)


def _parsed(path: Path) -> None:
    """Parses every record: the minimum that any reader has to do."""
    connection = sqlite3.connect(path)
    for table in ("tensor", "node", "edge", "step"):
        for (text,) in connection.execute(f"SELECT json FROM {table} ORDER BY id"):
            json.loads(text)
    connection.close()


def long_trace(folder: Path, count: int, level: RecordingLevel = "nodes") -> Path:
    """Writes a trace of ``count`` steps that repeats the backward pass of W5."""
    path = folder / "long.gradviz"
    with open_trace(recorded("W5", folder, level)) as reader:
        trace = reader.trace()
        writer = TraceWriter(path, trace.origin)
        for tensor in trace.tensors:
            value = reader.value(tensor.id)
            writer.put_tensor(tensor, b"" if value is None else value.data)
    for record in (*trace.nodes, *trace.edges, *trace.sources, *_repeated(trace.steps, count)):
        writer.put(record)
    for inside in _insides_repeated(trace, count):
        writer.put(inside)
    writer.close()
    return path


def trace_of_size(folder: Path, size: int) -> Path:
    """Records a chain of ops on tensors of 4 MB until their values take ``size`` bytes."""
    path = folder / "large.gradviz"
    x = torch.randn(1 << 20, requires_grad=True)
    # Each op leaves two values: the output, which the next op saves, and its gradient.
    count = -(-size // (2 * x.nbytes))
    writer = TraceWriter(path, ORIGIN)
    options = RecordingOptions(budget_bytes=2 * size, whole_elements=x.numel())
    with Recording(writer, options):
        y = x
        for _ in range(count):
            y = y.sin()
        y.sum().backward()
    writer.close()
    return path


def _insides_repeated(trace: Trace, count: int) -> Iterator[Inside]:
    """Yields the contents of the steps that `_repeated` yields."""
    known = {inside.id: inside for inside in trace.insides}
    forward = sum(step.pass_id is None for step in trace.steps)
    backward = len(trace.steps) - forward
    for number in range(1, count + 1):
        again = forward + 1 + (number - forward - 1) % backward
        inside = known.get(number if number <= forward else again)
        if inside is not None:
            yield replace(inside, id=number)


def _repeated(steps: Sequence[Step], count: int) -> Iterator[Step]:
    forward = [step for step in steps if step.pass_id is None]
    backward = [step for step in steps if step.pass_id is not None]
    yield from forward
    for number in range(len(forward) + 1, count + 1):
        round_, at = divmod(number - len(forward) - 1, len(backward))
        yield replace(backward[at], number=number, pass_id=round_ + 1)
