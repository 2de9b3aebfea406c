"""From a trace to the first picture, opening a trace, stepping in a long one: wall time."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import torch
from torchviz import make_dot

from benchmarks.line import Line, wall
from benchmarks.recording import ORIGIN
from benchmarks.workloads import WORKLOADS
from gradviz.drawing.drawn import DrawnGraph
from gradviz.drawing.face import faces_of
from gradviz.drawing.font_widths import font_measure
from gradviz.drawing.graph import drawn_graph
from gradviz.drawing.run import lay_out
from gradviz.drawing.state import state_at
from gradviz.model.index import Index, index_of
from gradviz.model.step import PassEndStep
from gradviz.recorder.options import Options
from gradviz.recorder.recording import Recording
from gradviz.store.reader import open_trace
from gradviz.store.writer import TraceWriter

BARS = {"W4": 0.5, "W6": 0.1, "W7": 0.1}
LIMIT_S = 60.0


def lines() -> Iterator[Line]:
    """Yields lines for W4, W6, W7 and W8, for opening W6 and for a step among 100,000."""
    peer_of_w4 = 0.0
    for name, bar in BARS.items():
        peer_s, note = _torchviz(name)
        peer_of_w4 = peer_of_w4 or peer_s
        ours = _first_picture(name)
        yield Line(
            name=f"trace to first picture, {name}", ours_s=ours, peer=note, peer_s=peer_s, bar=bar
        )
    w8 = _first_picture("W8")
    yield Line(name="trace to first picture, W8", ours_s=w8, peer="", peer_s=None, bar=1.0)
    yield Line(name="the same", ours_s=w8, peer="torchviz on W4", peer_s=peer_of_w4, bar=1.0)
    yield Line(
        name="open a trace of 10,000 nodes, to first picture",
        ours_s=_first_picture("W6"),
        peer="",
        peer_s=None,
        bar=1.0,
    )
    yield _one_step_of_many()


def _first_picture(name: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        path = _recorded(name, Path(folder))
        return wall(lambda: _picture(path), runs=3)


def _recorded(name: str, folder: Path) -> Path:
    path = folder / "run.gradviz"
    writer = TraceWriter(path, ORIGIN)
    step = WORKLOADS[name]()
    with Recording(writer, Options(saved=False, pass_console_on=False)):
        step()
    writer.close()
    return path


def _picture(path: Path) -> None:
    with open_trace(path) as reader:
        graph = drawn_graph(index_of(reader.trace(), reader.value))
        if not isinstance(graph, DrawnGraph):
            raise SystemExit(graph.sentence)
        lay_out(graph, faces_of(graph, font_measure()))


def _torchviz(name: str) -> tuple[float, str]:
    """Seconds that torchviz and dot take, at most `LIMIT_S`, and what to call it."""
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
        return LIMIT_S, "torchviz, RecursionError: limit"
    except subprocess.TimeoutExpired:
        return LIMIT_S, "torchviz + dot, over the limit"
    return time.perf_counter() - start, "torchviz + dot"


def _root_of(workload: Callable[[], Callable[[], object]]) -> torch.Tensor:
    """The tensor on which the workload calls ``backward``."""
    kept: list[torch.Tensor] = []
    plain = torch.Tensor.backward
    torch.Tensor.backward = lambda root: kept.append(root)  # type: ignore[method-assign,assignment]
    try:
        workload()()
    finally:
        torch.Tensor.backward = plain  # type: ignore[method-assign]
    return kept[0]


def _one_step_of_many() -> Line:
    """The state of the graph at one step of 100,000; the steps of W5 are repeated to get there."""
    with (
        tempfile.TemporaryDirectory() as folder,
        open_trace(_recorded("W5", Path(folder))) as reader,
    ):
        index = _repeated(index_of(reader.trace(), reader.value), 100_000)
    graph = drawn_graph(index)
    assert isinstance(graph, DrawnGraph)
    numbers = iter(range(50_000, 60_000))
    seconds = wall(lambda: state_at(index, graph, next(numbers)), runs=50)
    return Line(name="one step among 100,000", ours_s=seconds, peer="", peer_s=None, bar=0.016)


def _repeated(index: Index, count: int) -> Index:
    steps = [step for step in index.trace.steps if step.pass_id is not None]
    forward = [step for step in index.trace.steps if step.pass_id is None]
    made = list(forward)
    while len(made) < count:
        number = len([step for step in made if isinstance(step, PassEndStep)]) + 1
        made += [replace(step, pass_id=number) for step in steps]
    numbered = tuple(replace(step, number=at) for at, step in enumerate(made, 1))
    return index_of(replace(index.trace, steps=numbered))
