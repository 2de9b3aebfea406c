"""A process that dies at any moment leaves a valid trace of everything before."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gradviz.model.step import ForwardStep, NodeStep
from gradviz.store.reader import open_trace
from tests.fork_server import ForkedChild, ForkServer

ROOT = Path(__file__).parents[2]
CHILD = """
import os, sys, torch
from pathlib import Path
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.recording import Recording
from gradviz.store.writer import TraceWriter
from tests.builders import ORIGIN
from tests.recorder.programs import PROGRAMS, leaf

class Dies(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, where):
        ctx.where = where
        print("in forward")
        if where == "forward":
            os.abort()
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        print("in backward")
        if ctx.where == "op":
            torch.ops.gradviz_test.die(grad * 2)
        os.abort()

library = torch.library.Library("gradviz_test", "DEF")
library.define("die(Tensor x) -> Tensor")
library.impl("die", lambda x: os.abort(), "CPU")

level = "ops" if sys.argv[2] == "op" else "nodes"
with Recording(TraceWriter(Path(sys.argv[1]), ORIGIN), RecordingOptions(level=level)):
    if sys.argv[2] == "loop":
        print("ready", flush=True)
        while True:
            for name in ("dirty", "double_backward", "hooks", "python_threads"):
                PROGRAMS[name]()
    Dies.apply(leaf(3), sys.argv[2]).sum().backward()
"""


def start(
    path: Path, where: str, server: ForkServer | None = None
) -> subprocess.Popen[bytes] | ForkedChild:
    return run_code(CHILD, [str(path), where], server)


def run_code(
    code: str, arguments: list[str], server: ForkServer | None
) -> subprocess.Popen[bytes] | ForkedChild:
    if server is not None:
        return server.start(code, arguments)
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        env={**os.environ, "PYTHONFAULTHANDLER": "0"},
    )


@pytest.mark.parametrize("where", ["forward", "backward"])
def test_the_step_that_killed_the_process_is_there(
    tmp_path: Path, where: str, fork_server: ForkServer | None
) -> None:
    path = tmp_path / "t.gradviz"
    start(path, where, fork_server).communicate()
    with open_trace(path) as reader:
        trace = reader.trace()
    last = trace.steps[-1]
    assert isinstance(last, ForwardStep if where == "forward" else NodeStep)
    assert last.finished is False
    assert trace.outcome is None
    if isinstance(last, NodeStep):
        assert [item.name for item in last.received] == ["grad"]
    else:
        assert [item.name for item in last.inputs] == ["x", "where"]


def test_the_op_that_killed_the_process_is_there(
    tmp_path: Path, fork_server: ForkServer | None
) -> None:
    path = tmp_path / "t.gradviz"
    child = start(path, "op", fork_server)
    child.communicate()
    assert child.returncode is not None
    assert child.returncode < 0
    with open_trace(path) as reader:
        trace = reader.trace()
    last = trace.insides[len(trace.insides) - 1]
    assert last.id == trace.steps[-1].number
    (part,) = last.parts
    assert (part.stage, part.finished) == ("backward", False)
    told = [(op.name, op.finished) for op in part.ops]
    assert told == [("aten::mul", True), ("gradviz_test::die", False)]


@pytest.mark.parametrize(("delay_s", "real"), [(0.02, 0), (0.11, 1), (0.23, 0), (0.4, 0)])
def test_killed_at_any_moment(
    tmp_path: Path, delay_s: float, real: bool, fork_server: ForkServer | None
) -> None:
    path = tmp_path / "t.gradviz"
    child = start(path, "loop", None if real else fork_server)
    assert child.stdout is not None
    child.stdout.readline()
    time.sleep(delay_s)
    child.kill()
    child.communicate()
    with open_trace(path) as reader:
        reader.trace()


LONG = """
import sys, torch
from pathlib import Path
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.recording import Recording
from gradviz.store.writer import TraceWriter
from tests.builders import ORIGIN

x = y = torch.ones(1, requires_grad=True)
with Recording(TraceWriter(Path(sys.argv[1]), ORIGIN), RecordingOptions()):
    x = y * 2
for _ in range(120_000):
    y = y * 1.0001
node = y.grad_fn
while node is not None:
    node = node.next_functions[0][0] if node.next_functions else None
del y
print("freed", flush=True)
"""


def test_a_long_graph_is_freed_after_its_nodes_were_visited(
    tmp_path: Path, fork_server: ForkServer | None
) -> None:
    with run_code(LONG, [str(tmp_path / "t.gradviz")], fork_server) as process:
        assert process.stdout is not None
        assert process.stdout.read() == b"freed\n"
