"""Programs at the borders of their process, whose traces the second process writes."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gradviz.model.codec import encode
from gradviz.model.settings.recording_scope import (
    ALL_PASSES,
    SAMPLED_PASSES,
    PassRange,
    RecordingScope,
)
from gradviz.model.step import PassEndStep
from gradviz.model.validation.trace_rules import validate
from gradviz.store.reader import open_trace
from tests.fork_server import ForkServer
from tests.integration.test_program_process import ROOT, RUN_PROGRAM
from tests.store.trace_facts import facts

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="one process writes elsewhere")

Ended = tuple[int | None, str, str]

RUN_PLAIN = "import runpy, sys; del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"
ONE_PROCESS = "from gradviz.store import writer; writer.start_writer = lambda *_, **__: None\n"
# It notes each start beside the trace.
TWO_PROCESSES = """
import os
from pathlib import Path
from gradviz.store import writer
from gradviz.store.writer_process import WriterProcess
def start(self, place, *more, start=WriterProcess.start, **named):
    start(self, place, *more, **named)
    with Path(f"{place}.started").open("a") as file:
        file.write("x")
WriterProcess.start = start
writer._ROWS_BEFORE = 0
os.sched_getaffinity = lambda _: {0, 1}
"""

TRAIN = """
import torch

def train(name, passes, say=print):
    # A fork cannot use threads that its parent has started.
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(40, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
    for number in range(passes):
        loss = model(torch.ones(4, 40)).square().mean()
        model.zero_grad()
        loss.backward()
        say(name, number, f"{loss.item():.17g}")
        with torch.no_grad():
            for each in model.parameters():
                each -= 0.1 * each.grad
    return loss.item()
"""

TASKS = """
import asyncio
import torch

async def train(name):
    x = torch.ones(3, requires_grad=True)
    for number in range(20):
        loss = (x * number).exp().sum()
        await asyncio.sleep(0)
        loss.backward()
        await asyncio.sleep(0)
        print(name, number, x.grad.tolist())

async def run():
    timer = asyncio.create_task(asyncio.sleep(60))
    await asyncio.gather(train("a"), train("b"))
    await asyncio.to_thread(lambda: torch.ones(2, requires_grad=True).exp().sum().backward())
    child = await asyncio.create_subprocess_exec("/bin/echo", "child", stdout=-1)
    print(await child.communicate(), child.returncode)
    timer.cancel()
    try:
        await timer
    except asyncio.CancelledError:
        print("cancelled")

asyncio.run(run())
"""

LOADER = f"""{TRAIN}
import sys

class Rows(torch.utils.data.Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, place):
        if place == 4:
            raise ValueError("row 4")
        x = torch.full((3,), float(place), requires_grad=True)
        return torch.autograd.grad(x.exp().sum(), x)[0]

if __name__ == "__main__":
    train("before", 3)
    how = {{"multiprocessing_context": sys.argv[1], "num_workers": 2}}
    try:
        for row in torch.utils.data.DataLoader(Rows(), **how):
            weight = torch.ones(3, requires_grad=True)
            (weight * row).sum().backward()
            print(weight.grad.tolist())
    except ValueError as error:
        print(str(error).splitlines()[-1])
    train("after", 3)
"""

CHILDREN = f"""{TRAIN}
import multiprocessing, os, sys

def work(queue, number):
    queue.put(train(number, 5, lambda *_: None))
    if number:
        os._exit(4)

if __name__ == "__main__":
    start = multiprocessing.get_context(sys.argv[1])
    train("before", 3)
    queue = start.SimpleQueue()
    children = [start.Process(target=work, args=(queue, each)) for each in range(2)]
    for each in children:
        each.start()
    train("during", 3)
    print([queue.get() for _ in children])
    for each in children:
        each.join()
    print([each.exitcode for each in children])
    train("after", 3)
    sys.exit(5)
"""

DAEMON = f"""{TRAIN}
import os, sys
train("before", 3)
reading, writing = os.pipe()
if os.fork():
    os.close(writing)
    print(os.read(reading, 100), flush=True)
    os._exit(7)
os.setsid()
if os.fork():
    os._exit(0)
for each in os.listdir("/dev/fd"):
    if int(each) != writing:
        try:
            os.close(int(each))
        except OSError:
            pass
for _ in range(3):
    os.open(os.devnull, os.O_RDWR)
os.write(writing, repr(train("daemon", 3)).encode())
"""

CLOSES = f"""{TRAIN}
import os
train("before", 3)
os.closerange(3, 256)
kept = [os.open(os.devnull, os.O_RDWR) for _ in range(50)]
train("after", 3)
for each in kept:
    os.close(each)
"""

NAN = """
import torch
weight = torch.ones(64, 64, requires_grad=True)
for number in range(40):
    weight.grad = None
    x = torch.ones(64, 64)
    if number == 30:
        x[5, 7] = float("nan")
    (weight * x).sum().backward()
print(number)
"""

THREADS = f"""{TRAIN}
import threading
losses = {{}}
def run(name):
    losses[name] = train(name, 40, lambda *_: None)
threads = [threading.Thread(target=run, args=(each,)) for each in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
print(sorted(losses))
"""

RANK = """
import os, sys
os.environ.update(WORLD_SIZE="2", MASTER_ADDR="localhost")
os.environ["RANK"], os.environ["MASTER_PORT"] = sys.argv[1:]
import torch
import torch.distributed as dist
dist.init_process_group("gloo")
x = torch.ones(40, 40, requires_grad=True)
for number in range(10):
    (x * (dist.get_rank() + number)).sum().backward()
    dist.all_reduce(x.grad)
print(x.grad[0, 0].item())
dist.barrier()
dist.destroy_process_group()
"""


def start(server: ForkServer | None, code: str, *words: str) -> Any:
    """A process with some code as its program; a fresh one without a server."""
    if server is not None:
        return server.start(code, words)
    return subprocess.Popen(
        [sys.executable, "-c", code, *words],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def end_of(child: Any) -> Ended:
    with child:
        out, err = child.stdout.read().decode(), child.stderr.read().decode()
        # Said where the end takes more than a second, as on a busy machine.
        return child.wait(), out, re.sub(r"The rest of the run is being written .*%\.\n", "", err)


def recorded(
    trace: Path, program: Path, *words: str, scope: RecordingScope | None = None
) -> tuple[str, ...]:
    text = json.dumps(encode(scope or RecordingScope()))
    return str(ROOT), str(trace), "nodes", "1000000", text, "script", str(program), *words


def is_written_by_two(trace: Path) -> bool:
    return Path(f"{trace}.started").exists()


def contents(path: Path) -> list[Any]:
    """Everything in a trace; printed text as a whole, as it is cut where it was flushed."""
    with open_trace(path) as reader:
        trace = reader.trace()
        found = facts(trace)
        del found["origin"]["created"]
        printed = "".join(each.text for each in trace.console)
        return [{**found, "console": printed}, *reader.blobs([each.id for each in trace.tensors])]


def passes_of(path: Path) -> list[int | None]:
    with open_trace(path) as reader:
        steps = reader.trace().steps
        return [each.pass_id for each in steps if isinstance(each, PassEndStep)]


@pytest.mark.parametrize(
    ("source", "words", "forks"),
    [
        pytest.param(TASKS, (), True, id="asyncio"),
        pytest.param(LOADER, ("fork",), True, id="loader"),
        pytest.param(LOADER, ("spawn",), False, id="loader-spawn", marks=pytest.mark.sweep),
        pytest.param(CHILDREN, ("fork",), True, id="children"),
        pytest.param(CHILDREN, ("spawn",), False, id="children-spawn", marks=pytest.mark.sweep),
    ],
)
def test_a_program_ends_as_it_would_and_its_trace_is_that_of_one_process(
    source: str, words: tuple[str, ...], forks: bool, tmp_path: Path, fork_server: ForkServer | None
) -> None:
    server = fork_server if forks else None
    program, one, two = (tmp_path / name for name in ("program.py", "one", "two"))
    program.write_text(source)
    plain = end_of(start(server, RUN_PLAIN, str(program), *words))
    assert plain[2] == ""
    for before, trace in ((ONE_PROCESS, one), (TWO_PROCESSES, two)):
        run = start(server, before + RUN_PROGRAM, *recorded(trace, program, *words))
        assert end_of(run) == plain
    assert (is_written_by_two(one), is_written_by_two(two)) == (False, True)
    assert contents(two) == contents(one)


@pytest.mark.parametrize(
    ("source", "reason"),
    [(DAEMON, ""), (CLOSES, "closed its file descriptor")],
    ids=["daemon", "closes"],
)
def test_a_program_that_leaves_its_trace(
    source: str, reason: str, tmp_path: Path, fork_server: ForkServer | None
) -> None:
    """What it has done until then is there."""
    program, trace = tmp_path / "program.py", tmp_path / "run.gradviz"
    program.write_text(source)
    plain = end_of(start(fork_server, RUN_PLAIN, str(program)))
    run = start(fork_server, TWO_PROCESSES + RUN_PROGRAM, *recorded(trace, program))
    code, out, err = end_of(run)
    assert (code, out) == plain[:2]
    assert reason in err
    assert passes_of(trace) == [1, 2, 3]
    assert is_written_by_two(trace)


def test_the_pass_in_which_nan_appears_is_the_last_one(
    tmp_path: Path, fork_server: ForkServer | None
) -> None:
    program, trace = tmp_path / "program.py", tmp_path / "run.gradviz"
    program.write_text(NAN)
    words = recorded(trace, program, scope=RecordingScope(until="nan"))
    assert end_of(start(fork_server, TWO_PROCESSES + RUN_PROGRAM, *words)) == (0, "39\n", "")
    assert is_written_by_two(trace)
    assert passes_of(trace) == list(range(1, 32))
    with open_trace(trace) as reader:
        found = reader.trace()
    counts = [each.statistics.nans for each in found.tensors if each.statistics is not None]
    # The factor, the product and the gradient.
    assert [each for each in counts if each] == [1, 1, 1]
    assert found.scope.stopped == "nan"


@pytest.mark.parametrize("passes", [ALL_PASSES, SAMPLED_PASSES], ids=["all", "sampled"])
def test_threads_that_train(
    passes: PassRange, tmp_path: Path, fork_server: ForkServer | None
) -> None:
    program, trace = tmp_path / "program.py", tmp_path / "run.gradviz"
    program.write_text(THREADS)
    words = recorded(trace, program, scope=RecordingScope(passes=passes))
    assert end_of(start(fork_server, TWO_PROCESSES + RUN_PROGRAM, *words)) == (0, "[0, 1]\n", "")
    assert is_written_by_two(trace)
    with open_trace(trace) as reader:
        found = reader.trace()
    assert validate(found) == []
    assert len(passes_of(trace)) == 80 if passes is ALL_PASSES else found.scope.run_passes == 80


def test_each_rank_has_a_second_process(tmp_path: Path, fork_server: ForkServer | None) -> None:
    program = tmp_path / "program.py"
    program.write_text(RANK)
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = str(free.getsockname()[1])
    traces = [tmp_path / f"{rank}.gradviz" for rank in range(2)]
    code = TWO_PROCESSES + RUN_PROGRAM
    runs = [
        start(fork_server, code, *recorded(trace, program, str(rank), port))
        for rank, trace in enumerate(traces)
    ]
    ended = [end_of(each) for each in runs]
    assert ended == [(0, ended[0][1], "")] * 2
    for trace in traces:
        assert is_written_by_two(trace)
        assert passes_of(trace) == list(range(1, 11))
