"""Runs that one child repeats with other values: each is as a run in a process of its own."""

from __future__ import annotations

import queue
import sys
from collections.abc import Iterator
from pathlib import Path
from time import monotonic, sleep

import numpy as np
import pytest
import torch

from gradviz.host.job import ChildJob
from gradviz.host.job_ending import JobEnding
from gradviz.host.limits import Limits
from gradviz.host.pool import ChildPool
from gradviz.model.check_settings import CheckSettings
from gradviz.model.inputs import InputSpec, Offer, RunSubject
from gradviz.model.jacobian_report import JacobianReport
from gradviz.model.step import AccumulateStep
from gradviz.model.tensor import TensorValue
from gradviz.model.what_if import InputTarget
from gradviz.model.what_if_values import change_between
from gradviz.protocol.messages import Described, JobMessage, Ran, RunRequest
from gradviz.store.reader import open_trace

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="a child stays only where it can be forked"),
    pytest.mark.usefixtures("warm_workers"),
]

FILE = """
import os
import signal
import time
import torch

weight = torch.tensor([3.0, 4.0], requires_grad=True)

def product(x):
    if x[0] == 13:
        raise ValueError("thirteen")
    if x[0] == 14:
        os.kill(os.getpid(), signal.SIGKILL)
    if x[0] == 15:
        time.sleep(60)
    return (x * x * weight).sum()
"""
RECORDED = [2.0, 1.0]


class Child:
    """Repeats the runs of a file."""

    def __init__(self, pool: ChildPool, folder: Path) -> None:
        (folder / "own.py").write_text(FILE)
        self._pool, self._folder = pool, folder
        self.heard: queue.Queue[JobMessage | JobEnding] = queue.Queue()
        self._job: ChildJob | None = None
        self._count = 0

    def run(
        self, first: float, time_s: float = 60.0, check: CheckSettings | None = None
    ) -> Ran | JobEnding:
        self._count += 1
        spec = InputSpec(
            name="x",
            kind="tensor",
            shape=(2,),
            dtype="float32",
            requires_grad=True,
            fill="values",
            values=tuple(RECORDED),
        )
        subject = RunSubject(path=str(self._folder / "own.py"), name="product")
        old, new = (
            TensorValue(dtype="float32", shape=(2,), data=np.float32(each).tobytes())
            for each in (RECORDED, [first, RECORDED[1]])
        )
        change = change_between(InputTarget(position=0, name="x"), old, new)
        request = RunRequest(
            offer=Offer(subject=subject, title="product", inputs=(spec,)),
            trace=str(self._folder / f"{self._count}.gradviz"),
            changes=() if change is None else (change,),
            check=check,
            stays=True,
        )
        if self._job is None:
            kept = Limits(time_s=time_s, memory_bytes=4 << 30)
            self._job = self._pool.start(
                request, limits=kept, on_message=self.heard.put, on_end=self.heard.put
            )
        else:
            self._job.run_next(request)
        while isinstance(heard := self.heard.get(timeout=60), Described):
            pass
        assert isinstance(heard, Ran | JobEnding)
        return heard

    def reports(self) -> tuple[JacobianReport, ...]:
        with open_trace(self._folder / f"{self._count}.gradviz") as reader:
            return reader.trace().reports

    def gradients(self) -> dict[str, list[float]]:
        with open_trace(self._folder / f"{self._count}.gradviz") as reader:
            trace = reader.trace()
            names = {node.id: node.variable_name for node in trace.nodes}
            return {
                names[step.node]: reader.value(step.total.tensor).array().tolist()
                for step in trace.steps
                if isinstance(step, AccumulateStep)
            }


@pytest.fixture
def child(tmp_path: Path) -> Iterator[Child]:
    with ChildPool(keep_spare=False) as pool:
        yield Child(pool, tmp_path)


def expected(first: float) -> dict[str, list[float]]:
    x = torch.tensor([first, RECORDED[1]], requires_grad=True)
    weight = torch.tensor([3.0, 4.0], requires_grad=True)
    (x * x * weight).sum().backward()
    assert x.grad is not None
    assert weight.grad is not None
    return {"x": x.grad.tolist(), "weight": weight.grad.tolist()}


def test_each_run_has_the_gradients_of_torch_and_nothing_of_the_run_before(
    child: Child, tmp_path: Path
) -> None:
    for value in (2.0, 2.5, -7.0, 2.0):
        ran = child.run(value)
        assert isinstance(ran, Ran), ran
        assert not ran.problem
        assert child.gradients() == expected(value)
    # What the child records to warm up, after each of these runs, goes.
    until = monotonic() + 30
    while {each.suffix for each in tmp_path.iterdir()} != {".py", ".gradviz"}:
        assert monotonic() < until
        sleep(0.05)


def test_a_run_is_checked_with_its_changes_if_that_is_asked(child: Child) -> None:
    settings = CheckSettings(eps=1e-2, battery=False)
    for value in (2.5, -7.0):
        ran = child.run(value, check=settings)
        assert isinstance(ran, Ran), ran
        (report,) = child.reports()
        assert report.eps == 1e-2
        (curve, *_) = [each for each in report.function_curves if each.row == 0]
        assert curve.points[curve.at] == value
        assert curve.values[curve.at] == 3 * value**2 + 4
        assert curve.analytical[curve.at] == 6 * value
        assert child.gradients() == expected(value)
    child.run(1.0)
    assert not child.reports()


def test_a_run_that_raises_is_told_and_the_next_one_runs(child: Child) -> None:
    failed = child.run(13.0)
    assert isinstance(failed, Ran)
    assert "thirteen" in failed.problem
    assert failed.line == 11
    assert child.run(3.0) == Ran(trace=failed.trace.replace("1.gradviz", "2.gradviz"))
    assert child.gradients() == expected(3.0)


def test_a_run_that_ends_its_process_ends_the_child_with_a_reason(child: Child) -> None:
    child.run(2.0)
    ended = child.run(14.0)
    assert isinstance(ended, JobEnding)
    assert ended.kind != "finished"
    assert ended.sentence


@pytest.mark.sweep
def test_the_time_limit_is_for_each_run_and_not_for_waiting(child: Child) -> None:
    assert isinstance(child.run(2.0, time_s=3.0), Ran)
    # The child waits meanwhile, for longer than a run may take.
    with pytest.raises(queue.Empty):
        child.heard.get(timeout=3.5)
    assert isinstance(child.run(2.5), Ran)
    ended = child.run(15.0)
    assert isinstance(ended, JobEnding)
    assert ended.kind == "timed_out"
