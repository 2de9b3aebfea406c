"""Cost of recording: one training step while recording, relative to the same step alone.

Measures the CPU time of the whole process, including the writer.
"""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_args

import torch

from benchmarks.line import Line, median_cpu, wall
from benchmarks.workloads import WORKLOADS, Step
from gradviz.model.inputs import Offer, RunSubject
from gradviz.model.inside import RecordingLevel
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.recording import Recording
from gradviz.store.writer import TraceWriter
from gradviz.worker.prepared_call import origin_of

ORIGIN = origin_of(
    Offer(subject=RunSubject(scene="benchmark"), title="Benchmark", inputs=()), "cpu"
)
BARS = {"W1": 5.0, "W2": 5.0, "W3": 1.5, "W4": 1.8, "W5": 4.0}
WITH_OPS = {"W3": 2.0, "W4": 2.5}
WITH_SAVED = {"W3": 1.8, "W4": 2.0, "W5": 4.0}


def lines() -> Iterator[Line]:
    """Yields results for empty recordings, for the workloads, and against plain hooks."""
    # A warm child process does the same before it runs any code.
    gc.freeze()
    for level in get_args(RecordingLevel):
        yield _empty(level)
    for name, bar in BARS.items():
        yield _recorded(name, bar, saved=False)
    for name, bar in WITH_SAVED.items():
        yield _recorded(name, bar, saved=True)
    for name, bar in WITH_OPS.items():
        yield _recorded(name, bar, saved=False, level="ops")
    yield _against_hooks()


def _recorded(name: str, bar: float, *, saved: bool, level: RecordingLevel = "nodes") -> Line:
    torch.manual_seed(0)
    step = WORKLOADS[name]()
    before = median_cpu(step)
    ours = _inside_recording(
        step, RecordingOptions(saved=saved, pass_console_on=False, level=level)
    )
    plain = (before + median_cpu(step)) / 2
    what = "with saved tensors" if saved else "nodes and gradients"
    if level != "nodes":
        what = "with inner ops"
    return Line(name=f"record {name}, {what}", ours_s=ours, peer="plain", peer_s=plain, bar=bar)


def _inside_recording(step: Step, options: RecordingOptions) -> float:
    """Measures the CPU seconds of one step while recording, including writing and flushing."""
    with tempfile.TemporaryDirectory() as folder:
        writer = TraceWriter(Path(folder) / "run.gradviz", ORIGIN)
        with Recording(writer, options) as recording:

            def recorded() -> None:
                step()
                recording.flush()

            seconds = median_cpu(recorded)
        writer.close()
    return seconds


def _empty(level: RecordingLevel) -> Line:
    def record_nothing() -> None:
        with tempfile.TemporaryDirectory() as folder:
            writer = TraceWriter(Path(folder) / "run.gradviz", ORIGIN)
            start = time.perf_counter()
            with Recording(writer, RecordingOptions(level=level)):
                pass
            times.append(time.perf_counter() - start)
            writer.close()

    times: list[float] = []
    wall(record_nothing, runs=20)
    return Line(
        name=f"start and stop an empty recording of {level}",
        ours_s=sorted(times)[len(times) // 2],
        peer="",
        peer_s=None,
        bar=0.005,
    )


def _against_hooks() -> Line:
    """Compares recording 10,000 nodes with hooks on each node that clone each gradient."""
    step = WORKLOADS["W6"]()
    ours = _inside_recording(step, RecordingOptions(saved=False, pass_console_on=False))
    hooks_by_step = median_cpu(_hooked(step))
    return Line(
        name="record W6 (10,000 nodes)",
        ours_s=ours,
        peer="hooks and clones",
        peer_s=hooks_by_step,
        bar=2,
    )


def _hooked(step: Step) -> Callable[[], None]:
    """Wraps the step so that a prehook and a hook on every node clone the gradients."""
    plain_backward = torch.Tensor.backward

    def backward(root: torch.Tensor) -> None:
        kept: list[torch.Tensor] = []

        def keep(gradients: tuple[torch.Tensor | None, ...]) -> None:
            kept.extend(each.clone() for each in gradients if each is not None)

        seen, waiting = set(), [root.grad_fn]
        while waiting:
            node = waiting.pop()
            if node is None or node in seen:
                continue
            seen.add(node)
            node.register_prehook(keep)
            node.register_hook(lambda made, _incoming: keep(made))
            waiting += [each for each, _ in node.next_functions]
        plain_backward(root)

    def hooks_by_step() -> None:
        torch.Tensor.backward = backward  # type: ignore[method-assign,assignment]
        try:
            step()
        finally:
            torch.Tensor.backward = plain_backward  # type: ignore[method-assign]

    return hooks_by_step
