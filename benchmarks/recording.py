"""Cost of recording: one training step while recording, relative to the same step alone.

Measures the CPU time of the whole process, including the writer. "Record" is what ``gradviz
record`` does, saved tensors included. Each run is a recording of its own with two steps; a plain
step runs before it. The first step of a recording is also compared with the later ones, and the
first step of a process, from importing gradviz to the complete trace, with the same step alone.
Training steps are recorded as a whole, from an empty file to a complete one.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import get_args

import torch

from benchmarks.line import Line, Timing, seconds_of, wall
from benchmarks.workloads import WORKLOADS, Step, training_step
from gradviz.model.inputs import Offer, RunSubject
from gradviz.model.inside import RecordingLevel
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.recording import Recording
from gradviz.store.writer import TraceWriter
from gradviz.worker.prepared_call import origin_of

ORIGIN = origin_of(
    Offer(subject=RunSubject(scene="benchmark"), title="Benchmark", inputs=()), "cpu"
)
BARS = {"W1": 5.0, "W2": 5.0, "W3": 1.6, "W4": 2.2, "W5": 6.0}
WITHOUT_SAVED = BARS | {"W3": 1.5, "W4": 1.8, "W5": 4.0}
WITH_OPS = {"W3": 2.5, "W4": 4.0}
FIRST_OVER_LATER = {"W3": 2.0, "W4": 2.0}
FIRST_STEPS = 3
MOST_RUNS = 200
TRAINING_STEPS = 1_000
TRAINING_RUNS = 5


def lines() -> Iterator[Line]:
    """Yields results for empty recordings, for the workloads, and against plain hooks."""
    # A warm child process does the same before it runs any code.
    gc.freeze()
    for level in get_args(RecordingLevel):
        yield _empty(level)
    for name, bar in BARS.items():
        yield _first_step(name)
        yield _recorded(f"record {name}, later steps", name, bar, RecordingOptions())
    for name, bar in FIRST_OVER_LATER.items():
        yield _first_over_later(name, bar)
    for name, bar in WITHOUT_SAVED.items():
        unsaved = RecordingOptions(saved=False)
        yield _recorded(f"record {name} without saved tensors", name, bar, unsaved)
    for name, bar in WITH_OPS.items():
        yield _recorded(f"record {name} with ops", name, bar, RecordingOptions(level="ops"))
    yield _against_hooks()
    yield _training()


def _first_step(name: str) -> Line:
    """Compares the first step of a process that imports gradviz and records with a plain one."""
    ours, plain = [], []
    for _ in range(FIRST_STEPS):
        plain.append(_in_new_process(name, "plain"))
        ours.append(_in_new_process(name, "recorded"))
    return Line(
        name=f"record {name}, first step of a process",
        ours=Timing.of(ours),
        peer="plain",
        peers=Timing.of(plain),
        bar=None,
    )


def _first_over_later(name: str, bar: float) -> Line:
    """Compares the first step of recordings with their later ones."""
    torch.manual_seed(0)
    step = WORKLOADS[name]()
    step()
    first, later = [], []
    for _ in range(5):
        seconds = _recorded_steps(step, RecordingOptions(), 3)
        first.append(seconds[0])
        later += seconds[1:]
    return Line(
        name=f"record {name}, first step of a recording",
        ours=Timing.of(first),
        peer="later steps",
        peers=Timing.of(later),
        bar=bar,
    )


def _in_new_process(name: str, how: str) -> float:
    command = [sys.executable, "-m", "benchmarks.first_step", name, how]
    return float(
        subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
        ).stdout
    )


def _recorded(title: str, name: str, bar: float, options: RecordingOptions) -> Line:
    torch.manual_seed(0)
    ours, plain = _beside(WORKLOADS[name](), options, WORKLOADS[name]())
    return Line(name=title, ours=ours, peer="plain", peers=plain, bar=bar)


def _beside(
    step: Step, options: RecordingOptions, peer: Step, *, seconds: float = 2.0, runs: int = 5
) -> tuple[Timing, Timing]:
    """Measures the second step of recordings and a peer in turn, after a warm-up of both."""
    peer()
    _recorded_steps(step, options, 1)
    ours, theirs = [], []
    until = time.perf_counter() + seconds
    while (time.perf_counter() < until or len(ours) < runs) and len(ours) < MOST_RUNS:
        theirs.append(seconds_of(peer))
        ours.append(_recorded_steps(step, options, 2)[1])
    return Timing.of(ours), Timing.of(theirs)


def _recorded_steps(step: Step, options: RecordingOptions, count: int) -> list[float]:
    """Measures each step of a new recording, including writing and flushing."""
    with tempfile.TemporaryDirectory() as folder:
        writer = TraceWriter(Path(folder) / "run.gradviz", ORIGIN)
        with Recording(writer, options) as recording:

            def recorded() -> None:
                step()
                recording.flush()

            seconds = [seconds_of(recorded) for _ in range(count)]
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
    name = f"start and stop an empty recording of {level}"
    return Line(name=name, ours=Timing.of(times), bar=0.005)


def _against_hooks() -> Line:
    """Compares recording 10,000 nodes with hooks on each node that clone each gradient."""
    step = WORKLOADS["W6"]()
    ours, hooks = _beside(step, RecordingOptions(), _hooked(step))
    name = "record W6 (10,000 nodes), later steps"
    return Line(name=name, ours=ours, peer="hooks and clones", peers=hooks, bar=2)


def _training() -> Line:
    """Compares 1,000 recorded training steps with the same steps alone."""
    torch.manual_seed(0)
    step = training_step()
    step()
    ours, plain = [], []
    for _ in range(TRAINING_RUNS):
        plain.append(seconds_of(lambda: _repeat(step)))
        ours.append(seconds_of(lambda: _record_repeated(step)))
    return Line(
        name="record 1,000 training steps of a small network",
        ours=Timing.of(ours),
        peer="plain",
        peers=Timing.of(plain),
        bar=5,
    )


def _repeat(step: Step) -> None:
    for _ in range(TRAINING_STEPS):
        step()


def _record_repeated(step: Step) -> None:
    with tempfile.TemporaryDirectory() as folder:
        writer = TraceWriter(Path(folder) / "run.gradviz", ORIGIN)
        with Recording(writer, RecordingOptions()):
            _repeat(step)
        writer.close()


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
