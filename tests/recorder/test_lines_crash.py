"""A process that dies leaves its lines up to then; the last is unfinished."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gradviz.model.inside import ExecutedLine, StageRecord
from gradviz.store.reader import open_trace
from tests.fork_server import ForkedChild, ForkServer

CHILD = """
import ctypes, os, sys, torch
from pathlib import Path
from gradviz.recorder.options import RecordingOptions
from gradviz.recorder.recording import Recording
from gradviz.store.writer import TraceWriter
from tests.builders import ORIGIN

class Dies(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        one = grad * 1
        two = one * 2
        {deed}
        return two

with Recording(TraceWriter(Path(sys.argv[1]), ORIGIN), RecordingOptions(level="all")):
    Dies.apply(torch.ones(3, requires_grad=True)).sum().backward()
"""


def child(
    tmp_path: Path, deed: str, server: ForkServer | None
) -> tuple[subprocess.Popen[bytes] | ForkedChild, Path, Path]:
    script, trace = tmp_path / "dies.py", tmp_path / "t.gradviz"
    script.write_text(CHILD.replace("{deed}", deed))
    root = Path(__file__).parents[2]
    if server is not None:
        return server.start(script.read_text(), [str(trace)], path=str(script)), script, trace
    process = subprocess.Popen(
        [sys.executable, str(script), str(trace)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=root,
        env={**os.environ, "PYTHONFAULTHANDLER": "0", "PYTHONPATH": str(root)},
    )
    return process, script, trace


def backward_of(trace: Path) -> StageRecord:
    with open_trace(trace) as reader:
        found = [part for each in reader.trace().insides if (part := each.part("backward"))]
    return found[-1]


def names(line: ExecutedLine) -> list[str]:
    return [item.name for item in line.changes]


@pytest.mark.parametrize("deed", ["os.abort()", "ctypes.string_at(0)", "os._exit(3)"])
def test_the_line_that_killed_the_process_is_there(
    deed: str, tmp_path: Path, fork_server: ForkServer | None
) -> None:
    process, script, trace = child(tmp_path, deed, fork_server)
    process.communicate()
    assert process.returncode != 0
    part = backward_of(trace)
    first = script.read_text().splitlines().index("        one = grad * 1") + 1
    assert [line.location.line for line in part.lines] == [first, first + 1, first + 2]
    assert [names(line) for line in part.lines] == [["one"], ["two"], []]
    assert [line.finished for line in part.lines] == [True, True, False]
    assert not part.finished


def test_an_endless_loop_leaves_its_lines(tmp_path: Path, fork_server: ForkServer | None) -> None:
    deed = "n = 0; print('ready', flush=True)\n        while True:\n            n += 1"
    process, _, trace = child(tmp_path, deed, fork_server)
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(0.5)
    process.kill()
    process.communicate()
    part = backward_of(trace)
    loop = part.lines[3:]
    assert len(loop) > 50
    assert {line.location.line for line in loop} == {loop[0].location.line, loop[1].location.line}
    texts = [item.text for line in loop for item in line.changes]
    assert texts[:3] == ["1", "2", "3"]
    assert [line.finished for line in part.lines[:-1]] == [True] * (len(part.lines) - 1)
    assert not part.lines[-1].finished or part.more_lines > 0
