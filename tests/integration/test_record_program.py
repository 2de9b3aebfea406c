"""A recorded program does what it does without gradviz, and its trace is complete."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from gradviz.analysis.index.trace_index import index_reader
from gradviz.analysis.received_gradients import received_gradients
from gradviz.cli.main import main
from gradviz.model.settings.rank import Rank
from gradviz.model.step import ErrorStep, OptimizerStep, PassBeginStep, PassEndStep
from gradviz.model.trace import Trace
from gradviz.store.reader import open_trace
from tests.sweeps import thinned

ROOT = Path(__file__).parents[2]
RECORD = ("-m", "gradviz", "record")

PROGRAM = """
from __future__ import annotations
import argparse, atexit, multiprocessing, os, pickle, sys, threading, traceback, warnings
from pathlib import Path

print(__name__, __file__, __package__, __spec__ and __spec__.name, type(__loader__).__name__)
if __name__ == "__main__":
    print(sys.argv, sys.orig_argv[-2:], sys.path, sorted(globals()), os.getcwd())
    print(sys.flags, sys.warnoptions, sys.stdout.write_through)
    print(sys.modules.keys() & {"torch", "numpy"})
from .sibling import scale

if __name__ != "__mp_main__":  # that of the pool needs only the function below
    import torch

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x ** 3

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            if x.numel() == 5:
                raise ValueError("five")
            return 3 * grad * x ** 2

    class Rows(torch.utils.data.Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, place):
            return torch.full((3,), float(place)).mul_(2)

def double(x):
    return 2 * x

def train():
    torch.manual_seed(int(sys.stdin.readline()))
    layer = torch.nn.Linear(3, 3)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.01)
    for rows in torch.utils.data.DataLoader(Rows(), batch_size=2, num_workers=1):
        optimizer.zero_grad()
        loss = Cube.apply(scale(layer(rows))).sum()
        loss.backward()
        optimizer.step()
        print(f"{loss.item():.17g}", flush=True)
    return layer

def last_pass():
    x = torch.ones(2, requires_grad=True)
    print(torch.autograd.grad(Cube.apply(x).sum(), x))
    with arguments.out as file:
        file.write("written\\n")

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=argparse.FileType("w"), default="-")
    arguments = parser.parse_args()
    atexit.register(last_pass)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(double, [1, 2]))
    layer = train()
    child = os.fork()
    if not child:
        Cube.apply(torch.ones(2, requires_grad=True)).sum().backward()
        sys.exit(3)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), threading.active_count())
    print(pickle.loads(pickle.dumps(double)) is double, sys.stdin.read(), isinstance(0, int))
    warnings.warn("careful", stacklevel=1)
    os.chdir(os.path.dirname(os.path.abspath(__file__)))
    Path("numbers").write_bytes(pickle.dumps([each.tolist() for each in layer.parameters()]))
    print("to stderr", file=sys.stderr)
    fail = Cube.apply(scale(torch.ones(5, requires_grad=True))).sum().backward
    thread = threading.Thread(target=fail, name="failing")
    thread.start()
    thread.join()
    try:
        torch.nn.Sequential(layer)(torch.ones(5))
    except RuntimeError:
        traceback.print_exc()
    try:
        torch.ones(2, requires_grad=True).backward()
    except RuntimeError as error:
        traceback.print_exc()
        print(traceback.format_tb(error.__traceback__), traceback.format_stack())
        Cube.apply(scale(torch.ones(5, requires_grad=True))).sum().backward()
"""


def start(
    words: tuple[str, ...], folder: Path, stdin: int = subprocess.DEVNULL
) -> subprocess.Popen[str]:
    # A terminal of the person who runs the tests must not take part.
    return subprocess.Popen(
        [sys.executable, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def outcome(words: tuple[str, ...], folder: Path, stdin: str = "") -> tuple[int, str, str]:
    return end_of(start(words, folder, subprocess.PIPE), stdin)


def end_of(process: subprocess.Popen[str], stdin: str = "") -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a process; if it does not end, what it has written."""
    try:
        out, err = process.communicate(stdin, timeout=120)
    except subprocess.TimeoutExpired as error:
        # Launchers and gradviz end what they have started then.
        os.killpg(process.pid, signal.SIGTERM)
        pytest.fail(f"did not end\nstdout: {error.output!r}\nstderr: {error.stderr!r}")
    return process.returncode, out, err


def expect_code(expected: int, ended: tuple[int, str, str]) -> tuple[str, str]:
    """Stdout and stderr of an ended process, which a failed test shows if the code is another."""
    code, out, err = ended
    assert code == expected, f"ended with {code}\nstdout: {out}\nstderr: {err}"
    return out, err


def without_notes(ended: tuple[int, str, str]) -> tuple[int, str, str]:
    """Exit code, stdout and stderr of a recorded program without what gradviz adds at the end."""
    code, out, err = ended
    own, notes, said = err.partition("gradviz: ")
    assert notes, "gradviz has said nothing"
    assert "Open it with: gradviz" in said
    assert all(line.startswith("gradviz: ") for line in f"{notes}{said}".splitlines())
    return code, out, own


def trace_of(path: Path) -> Trace:
    with open_trace(path) as reader:
        return reader.trace()


def test_everything_is_as_in_a_plain_run(tmp_path: Path) -> None:
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "sibling.py").write_text("def scale(x):\n    return x * 0.5\n")
    (package / "train.py").write_text(PROGRAM)
    program = ("-m", "pkg.train")
    python = ("-u", "-B", "-W", "once::UserWarning")
    plain = outcome((*python, *program), tmp_path, "7\nrest")
    numbers = (package / "numbers").read_bytes()
    (package / "numbers").unlink()
    recorded = outcome((*python, *RECORD, "--level", "lines", *program), tmp_path, "7\nrest")
    assert without_notes(recorded) == plain
    assert plain[0] == 1
    assert plain[1].endswith("written\n")
    assert "ValueError: five" in plain[2]
    assert (package / "numbers").read_bytes() == numbers
    assert {each.name for each in tmp_path.iterdir()} == {"pkg", "pkg.train.gradviz"}
    trace = trace_of(tmp_path / "pkg.train.gradviz")
    kinds = [type(each) for each in trace.steps]
    assert (kinds.count(PassBeginStep), kinds.count(OptimizerStep)) == (4, 2)
    error = trace.steps[-1]
    assert isinstance(error, ErrorStep)
    assert (error.exception, error.message, error.stage) == ("ValueError", "five", "backward")
    assert {Path(each.path).name for each in trace.sources} == {"train.py", "sibling.py"}
    assert all("worker" not in each.path for each in error.traceback)


ENDS = """
import os, sys
how = sys.argv[1]
print(__name__, __file__, type(__loader__).__name__, sorted(globals()), os.getcwd())
print(sys.argv, sys.orig_argv[1:], sys.path, input())
if how == "parse":
    import argparse
    argparse.ArgumentParser().parse_args(["--bad"])
if how == "error":
    raise LookupError("nothing") from KeyError("cause")
sys.exit({"zero": 0, "text": "some text"}[how])
"""


@pytest.mark.parametrize("how", ["parse", "error", "zero", "text"])
def test_a_program_without_torch_ends_as_in_a_plain_run(how: str, tmp_path: Path) -> None:
    (tmp_path / "ends.py").write_text(ENDS)
    code, out, err = outcome(("ends.py", how), tmp_path, "typed")
    if code == 0:
        err += "gradviz: ends.py recorded no use of autograd, so no trace was written.\n"
    assert outcome((*RECORD, "ends.py", how), tmp_path, "typed") == (code, out, err)
    assert [each.name for each in tmp_path.iterdir()] == ["ends.py"]


WAITS = """
import gc
import time
import torch
torch.ones(2, requires_grad=True).exp().sum().backward()
try:
    print(len(gc.get_objects()), flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    print("interrupted")
    raise
"""


@pytest.mark.parametrize("number", thinned([signal.SIGINT, signal.SIGTERM]))
def test_a_signal_ends_the_program_and_keeps_the_trace(
    number: signal.Signals, tmp_path: Path
) -> None:
    (tmp_path / "waits.py").write_text(WAITS)
    (tmp_path / "waits.gradviz").write_text("taken")
    process = start((*RECORD, "waits.py"), tmp_path)
    assert process.stdout is not None
    # The garbage collector scans the program's objects, and not those of torch.
    assert int(process.stdout.readline()) < 20_000
    process.send_signal(number)
    out, err = expect_code(-number, end_of(process))
    assert out == ("interrupted\n" if number == signal.SIGINT else "")
    *before, last = err.splitlines()
    assert "in waits-2.gradviz. Open it with: gradviz waits-2.gradviz" in last
    shown = [line for line in before if line.startswith("  File")]
    assert len(shown) == (number == signal.SIGINT)
    assert (tmp_path / "waits.gradviz").read_text() == "taken"
    kinds = [type(each).__name__ for each in trace_of(tmp_path / "waits-2.gradviz").steps]
    assert "PassEndStep" in kinds


@pytest.mark.sweep
def test_only_a_last_line_on_stderr_tells_of_the_recording(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    (tmp_path / "test_ones.py").write_text(
        "import torch\n\n\ndef test_ones():\n"
        "    torch.ones(2, requires_grad=True).sum().backward()\n"
    )
    process = start((*RECORD, "-m", "pytest", "-q", "-p", "no:cacheprovider"), tmp_path)
    out, err = expect_code(0, end_of(process))
    (line,) = err.splitlines()
    assert line.startswith("gradviz: Recorded 5 steps of 1 backward pass")
    assert out.splitlines()[-1].startswith("1 passed in ")


TRAINS = """
import sys
import torch

torch.manual_seed(0)
layer = torch.nn.Linear(2, 2)
for number in range(6):
    layer.zero_grad()
    loss = layer(torch.ones(3, 2)).exp().sum()
    loss.backward()
    # The first optimizer would import torch._dynamo, which takes as long as torch.
    with torch.no_grad():
        for each in layer.parameters():
            each -= 0.1 * each.grad
    print(f"{loss.item():.17g}")
print(layer.weight.tolist(), file=sys.stderr)
sys.exit(3)
"""


TRAINS_IN_THREADS = """
import threading
import torch

def train():
    model = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(80):
        optimizer.zero_grad()
        model(torch.ones(2, 4)).square().sum().backward()
        optimizer.step()

threads = [threading.Thread(target=train) for _ in range(2)]
for each in threads:
    each.start()
for each in threads:
    each.join()
print("done")
"""


@pytest.mark.parametrize("attempt", range(3))
def test_two_threads_that_train(attempt: int, tmp_path: Path) -> None:
    """The recording pauses and goes on in one thread while the other one runs on."""
    (tmp_path / "trains.py").write_text(TRAINS_IN_THREADS)
    assert without_notes(outcome((*RECORD, "trains.py"), tmp_path)) == (0, "done\n", "")
    (path,) = tmp_path.glob("*.gradviz")
    with open_trace(path) as reader:
        scope = reader.scope()
    kept = scope.kept
    assert scope.run_passes == 160
    assert all(first <= last for first, last in kept)
    assert list(kept) == sorted(kept)


@pytest.mark.sweep
def test_a_part_of_a_program(tmp_path: Path) -> None:
    (tmp_path / "trains.py").write_text(TRAINS)
    plain = outcome(("trains.py",), tmp_path)
    limits = (
        "--only",
        "Linear",
        "--until",
        "loss < -1",
        "--max-size",
        "1G",
        "--no-values",
        "--no-source",
    )
    recorded = outcome((*RECORD, "--passes", "2:3", *limits, "trains.py"), tmp_path)
    assert without_notes(recorded) == plain
    assert plain[0] == 3
    trace = trace_of(tmp_path / "trains.gradviz")
    assert (trace.scope.first_pass, trace.scope.last_pass, trace.scope.run_passes) == (2, 3, 6)
    assert {each.pass_id for each in trace.steps} == {None, 2, 3}
    assert (trace.scope.until, trace.scope.max_bytes, trace.scope.stopped) == (
        "loss < -1",
        1 << 30,
        "",
    )
    assert trace.sources == ()
    assert {each.content for each in trace.tensors} == {"metadata"}


RANKS = """
import os
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

def write(line):
    os.write(1, line.encode())  # At once, because both ranks have the same stdout.

dist.init_process_group("gloo")
rank = dist.get_rank()
layer = torch.nn.Linear(2, 1, bias=False, dtype=torch.float64)
with torch.no_grad():
    layer.weight.fill_(1.0)
model = DistributedDataParallel(layer)
other = torch.nn.Linear(2, 1, bias=False, dtype=torch.float64)
viewed = DistributedDataParallel(other, gradient_as_bucket_view=True)
x = torch.tensor([[1.0, 2.0]], dtype=torch.float64) * (rank + 1)
with model.no_sync():
    model(x).sum().backward()
write(f"{rank} {layer.weight.grad.tolist()}\\n")
model(x).sum().backward()
write(f"{rank} {layer.weight.grad.tolist()}\\n")
viewed(x).sum().backward()
write(f"{rank} {other.weight.grad.tolist()}\\n")
dist.barrier()  # A rank that ends closes connections that another may still use.
dist.destroy_process_group()
"""


def run_with_torchrun(folder: Path) -> str:
    launch = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2")
    return expect_code(0, outcome((*launch, *RECORD, "ranks.py"), folder))[0]


def run_each_rank(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run what torchrun runs, without its own process, which imports torch once more."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    shared = {"MASTER_ADDR": "localhost", "MASTER_PORT": str(port), "WORLD_SIZE": "2"}
    for name, value in {**shared, "LOCAL_WORLD_SIZE": "2", "OMP_NUM_THREADS": "1"}.items():
        monkeypatch.setenv(name, value)
    started = []
    for number in "01":
        monkeypatch.setenv("RANK", number)
        monkeypatch.setenv("LOCAL_RANK", number)
        started.append(start((*RECORD, "ranks.py"), folder))
    # Of all, as one rank may fail because another has failed.
    ended = [end_of(each) for each in started]
    assert [code for code, _, _ in ended] == [0, 0], ended
    return "".join(out for _, out, _ in ended)


@pytest.mark.sweep
@pytest.mark.parametrize("torchrun", [False, True])
def test_each_rank_of_a_distributed_program_has_a_trace(
    torchrun: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ranks.py").write_text(RANKS)
    out = run_with_torchrun(tmp_path) if torchrun else run_each_rank(tmp_path, monkeypatch)
    # Without synchronization the local gradient, then the mean of both local sums.
    lines = ["0 [[1.0, 2.0]]", "1 [[2.0, 4.0]]", "0 [[3.0, 6.0]]", "1 [[3.0, 6.0]]"]
    # torch averages in the memory of such a gradient, which counts no version.
    lines += ["0 [[1.5, 3.0]]", "1 [[1.5, 3.0]]"]
    assert sorted(out.splitlines()) == sorted(lines)
    names = {"ranks.py", "ranks-rank0.gradviz", "ranks-rank1.gradviz"}
    assert {each.name for each in tmp_path.iterdir()} == names
    for number in range(2):
        with open_trace(tmp_path / f"ranks-rank{number}.gradviz") as reader:
            index = index_reader(reader)
            trace = index.trace
            ends = [each for each in trace.steps if isinstance(each, PassEndStep)]
            items = [each.item for end in ends for each in received_gradients(index, end)]
            values = [reader.value(each.tensor) for each in items if each.tensor is not None]
        lists = [each.array().tolist() for each in values if each is not None]
        local = [[number + 1.0, 2.0 * (number + 1)]]
        assert lists == [local, [[3.0, 6.0]], [[1.5, 3.0]]]
        # The last one may have been averaged before its own step could read it.
        assert [len(end.totals) for end in ends[:2]] == [0, 1]
        assert trace.scope.rank == Rank(number=number, count=2)
        assert trace.outcome is not None
        assert trace.outcome.kind == "finished"


def test_arguments_that_do_not_fit_a_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.py"
    script.write_text("")
    assert main(["record", "--device", "cpu", str(script)]) == 2
    assert "--device requires a scene or FILE.py:NAME" in capsys.readouterr().err
    assert main(["record", "no.py", "--device", "cpu"]) == 2
    assert "no.py does not exist" in capsys.readouterr().err
    notes = tmp_path / "notes"
    notes.write_text("hello")
    assert main(["record", "-o", str(notes), str(script)]) == 2
    assert notes.read_text() == "hello"
    assert main(["record", "--budget", "much", str(script)]) == 2
    assert "much is not a size like 64M or 2G" in capsys.readouterr().err
    assert main(["record", "--passes", "5:3", str(script)]) == 2
    assert "5:3 is not a range of passes like 3, 3:5 or last:2" in capsys.readouterr().err
    assert main(["record", "--until", "loss is big", str(script)]) == 2
    assert "loss is big is not nan, inf or a comparison" in capsys.readouterr().err
    for option in (
        ("--only", "x"),
        ("--until", "nan"),
        ("--no-source",),
    ):
        assert main(["record", *option, "linear"]) == 2
        assert f"{option[0]} requires a program" in capsys.readouterr().err


UNDER_TORCH_FUNC = """
import torch
class Refusing(torch.autograd.Function):
    @staticmethod
    def forward(x):
        raise KeyError("refused")
    @staticmethod
    def setup_context(ctx, inputs, output):
        pass
torch.func.grad(Refusing.apply)(torch.ones(()))
"""


@pytest.mark.sweep
def test_a_traceback_through_torch_func_is_as_in_a_plain_run(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(UNDER_TORCH_FUNC)
    plain = outcome(("own.py",), tmp_path)
    recorded = outcome((*RECORD, "own.py"), tmp_path)
    assert "KeyError" in plain[2]
    assert recorded[2].startswith(plain[2])
