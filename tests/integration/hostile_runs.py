"""Runs user files through the pool and keeps each ending and trace."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gradviz.host.job_ending import JobEnding
from gradviz.host.limits import Limits
from gradviz.host.pool import ChildPool
from gradviz.model.inputs import InputSpec, Offer, RunSubject
from gradviz.model.inside import RecordingLevel
from gradviz.model.trace import Trace
from gradviz.model.validation.trace_rules import validate
from gradviz.protocol.messages import RunRequest
from gradviz.store.reader import open_trace

FILES = Path(__file__).parents[1] / "data" / "hostile"
AT_ONCE = 3
WAIT_S = 90.0


@dataclass(frozen=True)
class Case:
    """A Function of a file and the expected ending of its run.

    Attributes:
        file: In the folder of hostile files.
        name: Of the Function.
        kind: Of the ending.
        words: A part of the sentence.
        steps: Least number of steps in the trace.
        printed: A part of what the trace has as printed.
        limits: For the run.
        size: Number of elements of its input.
    """

    file: str
    name: str
    kind: str
    words: str = ""
    steps: int = 1
    printed: str = ""
    limits: Limits = field(default_factory=lambda: Limits(time_s=60.0, memory_bytes=4 << 30))
    size: int = 2


@dataclass(frozen=True)
class Outcome:
    """The result of a case: its ending, and its trace if there is one."""

    ending: JobEnding
    trace: Trace | None


def offer_of(file: str, name: str, size: int = 2) -> Offer:
    spec = InputSpec(name="x", shape=(size,), fill="given", requires_grad=True)
    path = str(FILES / file)
    return Offer(subject=RunSubject(path=path, name=name), title=name, inputs=(spec,))


def run_all(
    cases: Sequence[Case], folder: Path, level: RecordingLevel = "nodes"
) -> dict[str, Outcome]:
    """Run each case in its own child, a few at a time; all children have exited afterwards."""
    free = threading.Semaphore(AT_ONCE)
    endings: dict[str, list[JobEnding]] = {case.name: [] for case in cases}

    with ChildPool(keep_spare=False) as pool:
        jobs = []
        for case in cases:
            assert free.acquire(timeout=WAIT_S)
            path = folder / case.name / "run.gradviz"
            path.parent.mkdir()

            def on_end(ending: JobEnding, name: str = case.name) -> None:
                endings[name].append(ending)
                free.release()

            offer = offer_of(case.file, case.name, case.size)
            request = RunRequest(offer=offer, trace=str(path), level=level)
            jobs.append(pool.start(request, limits=case.limits, on_end=on_end))
        for job in jobs:
            assert job.wait(WAIT_S) is not None
    assert [name for name, sentence in endings.items() if len(sentence) != 1] == []
    return {
        name: Outcome(ending=sentence[0], trace=read(folder / name / "run.gradviz"))
        for name, sentence in endings.items()
    }


def read(path: Path) -> Trace | None:
    """The trace, which has to be valid; None if there is none."""
    if not path.exists():
        return None
    with open_trace(path, live=True) as reader:
        trace = reader.trace()
    assert validate(trace) == []
    return trace


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
