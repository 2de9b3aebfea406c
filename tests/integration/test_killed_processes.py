"""Killed children leave readable traces; a killed window leaves no process."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gradviz.host.limits import Limits
from gradviz.host.pool import ChildPool
from gradviz.model.trace import Trace
from gradviz.model.validation.trace_rules import validate
from gradviz.protocol.messages import RunRequest
from gradviz.store.errors import TraceError
from gradviz.store.finalize import finalize_trace
from gradviz.store.reader import open_trace
from tests.integration.hostile_runs import is_alive, offer_of, read

FREE = Limits(time_s=None, memory_bytes=None)


def wait_for(path: Path) -> None:
    """Wait until the writer has turned the empty file into a trace."""
    until = time.monotonic() + 100
    while time.monotonic() < until:
        try:
            if read(path) is not None:
                return
        except TraceError:
            pass
        time.sleep(0.002)
    pytest.fail(f"{path} was not made")


def values(path: Path) -> tuple[Trace, list[bytes | None]]:
    """The whole trace with the bytes of every tensor."""
    with open_trace(path) as reader:
        trace = reader.trace()
        kept = [reader.value(tensor.id) for tensor in trace.tensors]
    assert validate(trace) == []
    return trace, [None if value is None else value.data for value in kept]


@pytest.mark.parametrize("deaths", [7, pytest.param(20, marks=pytest.mark.sweep)])
def test_killed_at_random_moments(deaths: int, tmp_path: Path) -> None:
    """What a reader saw before the kill is still there afterwards, also in a copied file."""
    moments = random.Random(7)
    lengths = []
    with ChildPool() as pool:
        for number in range(deaths):
            path = tmp_path / f"{number}.gradviz"
            request = RunRequest(offer=offer_of("many_steps.py", "many_steps", 3), trace=str(path))
            job = pool.start(request, limits=FREE)
            wait_for(path)
            time.sleep(moments.uniform(0.0, 0.5))
            while number == 0 and not _is_long(path):
                time.sleep(0.1)
            seen = read(path) if number % 2 else None
            job.cancel()
            assert job.wait(10) is not None
            lengths.append(_check_death(path, tmp_path / "elsewhere", seen))
    assert max(lengths) > 100


def _is_long(path: Path) -> bool:
    trace = read(path)
    return trace is not None and len(trace.steps) > 100


def _check_death(path: Path, elsewhere: Path, seen: Trace | None) -> int:
    dead = values(path)
    if seen is not None:
        assert len(dead[0].steps) >= len(seen.steps)
        assert dead[0].tensors[: len(seen.tensors)] == seen.tensors
    assert dead[0].outcome is None
    finalize_trace(path)
    assert sorted(path.parent.glob(path.name + "*")) == [path]
    elsewhere.mkdir(exist_ok=True)
    shutil.copy(path, elsewhere / "copy.gradviz")
    path.unlink()
    assert values(elsewhere / "copy.gradviz") == dead
    return len(dead[0].steps)


WINDOW = """
import json, os, sys, time
from gradviz.host.limits import Limits
from gradviz.host.pool import ChildPool
from gradviz.protocol.messages import RunRequest
from tests.integration.hostile_runs import offer_of
pool = ChildPool()
file, name, folder = sys.argv[1:]
request = RunRequest(offer=offer_of(file, name), trace=folder + "/t.gradviz")
pool.start(request, limits=Limits(time_s=None, memory_bytes=None))
print("started", flush=True)
time.sleep(300)
"""

LEAVES = """
import subprocess, sys, time
import torch

def leaves(x):
    sleeper = [sys.executable, "-c", "import time; time.sleep(302)"]
    subprocess.Popen(sleeper)
    time.sleep(300)

EXAMPLES = {leaves: (torch.ones(2, requires_grad=True),)}
"""


def marked(mark: str) -> dict[int, str]:
    """Processes that descend from a window, by the mark in their environment."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                environment = (folder / "environ").read_bytes().split(b"\0")
                if f"GRADVIZ_TEST={mark}".encode() in environment and is_alive(int(folder.name)):
                    found[int(folder.name)] = (folder / "cmdline").read_text().replace("\0", " ")
            except OSError:
                continue
    return found


@pytest.mark.real_workers
@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
@pytest.mark.parametrize(
    "how",
    [
        pytest.param("python loop", marks=pytest.mark.sweep),
        "loop in C",
        "a process of its own",
        pytest.param("idle spare", marks=pytest.mark.sweep),
    ],
)
def test_nothing_outlives_a_killed_window(tmp_path: Path, how: str) -> None:
    leaves = tmp_path / "leaves.py"
    leaves.write_text(LEAVES)
    file, name = {
        "python loop": ("loop.py", "Loop"),
        "loop in C": ("loop_in_c.py", "LoopInC"),
        "a process of its own": (str(leaves), "leaves"),
        "idle spare": ("exceptions.py", "InForward"),
    }[how]
    mark = f"{os.getpid()}-{time.monotonic_ns()}"
    window = subprocess.Popen(
        [sys.executable, "-c", WINDOW, file, name, str(tmp_path)],
        stdin=subprocess.DEVNULL,
        env={**os.environ, "GRADVIZ_TEST": mark},
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    )
    assert window.stdout is not None
    try:
        assert window.stdout.readline() == b"started\n"
        _wait_until_it_works(tmp_path / "t.gradviz", mark, sleeper="process" in how)
        alive = marked(mark)
        assert len(alive) >= 3, json.dumps(alive)
        window.kill()
        until = time.monotonic() + 20
        while (alive := marked(mark)) and time.monotonic() < until:
            time.sleep(0.02)
        assert alive == {}
    finally:
        window.kill()
        window.communicate()
        for pid in marked(mark):
            os.kill(pid, signal.SIGKILL)


def _wait_until_it_works(path: Path, mark: str, *, sleeper: bool) -> None:
    wait_for(path)
    until = time.monotonic() + 100
    while time.monotonic() < until:
        trace = read(path)
        enough = trace is not None and (trace.steps or trace.sources)
        if sleeper:
            enough = any("sleep(302)" in command for command in marked(mark).values())
        if enough:
            break
        time.sleep(0.05)
    time.sleep(1.0)
