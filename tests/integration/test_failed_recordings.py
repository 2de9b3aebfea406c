"""How a recorded program, or only its recording, ended: the exit code and the trace tell."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from gradviz.catalogue.messages import say
from gradviz.cli import record_program
from gradviz.cli.main import main
from gradviz.host.program import RecordedProgram
from gradviz.model.step import ErrorStep, PassEndStep
from gradviz.store.reader import open_trace
from tests.fork_server import ForkServer
from tests.integration.test_program_process import RUN_PROGRAM, recorded
from tests.sweeps import paired

TRACE = "run.gradviz"
BEGINS = """
import os, shutil, signal, sys
import torch
torch.ones(2, requires_grad=True).exp().sum().backward()
"""
FILES = (
    BEGINS
    + """
def files():
    return [each for each in os.listdir() if each.startswith("run.gradviz") and "-" not in each]
"""
)
DAMAGES = """
for each in files():
    for ending in ("-wal", "-shm"):
        os.remove(each + ending)
    with open(each, "r+b") as file:
        file.write(bytes(200))
os._exit(CODE)
"""
CHANGES = """
for each in files():
    os.truncate(each + "-wal", 0)
torch.ones(2, requires_grad=True).exp().sum().backward()
sys.exit(CODE)
"""

Result = tuple[int, str, str]
Recorder = Callable[[str], Result]


@pytest.fixture
def record(
    tmp_path: Path,
    fork_server: ForkServer | None,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Recorder:
    """Record a program into `TRACE`; returns the exit code and what was printed."""
    if fork_server is None:
        pytest.skip("needs forks")
    folder = tmp_path / "folder"
    said = ["", ""]

    def run(program: RecordedProgram, *, trace: Path, **_: object) -> int:
        words = recorded(trace.absolute(), Path(program.name))
        with fork_server.start(RUN_PROGRAM, words) as child:
            said[:] = child.stdout.read().decode(), child.stderr.read().decode()
            code = child.wait()
        assert code is not None
        return code

    # Instead of ending this process by a signal.
    monkeypatch.setattr("gradviz.host.program.end_like", lambda code: code)
    monkeypatch.setattr("gradviz.host.program.run_program", run)

    def record(source: str) -> Result:
        program = tmp_path / "program.py"
        program.write_text(source)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        monkeypatch.chdir(folder)
        code = main(["record", "-o", TRACE, str(program)])
        return code, said[0], said[1] + capfd.readouterr().err

    return record


def ending(path: str) -> tuple[str, str]:
    with open_trace(Path(path), repair=True) as reader:
        trace = reader.trace()
    assert len(trace.steps) >= 5
    assert trace.outcome is not None
    return trace.outcome.kind, trace.outcome.message


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("for each in files(): os.remove(each)\nsys.exit(CODE)", "was removed or renamed"),
        ("shutil.rmtree(os.getcwd()); sys.exit(CODE)", "cannot be written: No such file or"),
        ("shutil.rmtree(os.getcwd()); os._exit(CODE)", "cannot be written: No such file or"),
        (DAMAGES, "is not a gradviz trace."),
        (CHANGES, "changed the trace file"),
    ],
    ids=["removed", "no folder", "no folder at exit", "unreadable", "changed"],
)
def test_the_exit_code_tells_that_only_the_recording_failed(
    source: str, words: str, record: Recorder
) -> None:
    for code, expected in ((0, 2), (3, 3)):
        found, _, err = record(FILES + source.replace("CODE", str(code)))
        assert found == expected
        lines = err.splitlines()
        assert all(line.startswith("gradviz: ") for line in lines)
        assert len([line for line in lines if words in line]) == 1
        assert not Path(f"{TRACE}-lock").exists()


def test_one_rank_does_not_end_the_others(
    record: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The launcher of a distributed program ends all processes if one exits with another code."""
    for name in ("RANK", "LOCAL_RANK"):
        monkeypatch.setenv(name, "0")
    for name in ("WORLD_SIZE", "LOCAL_WORLD_SIZE"):
        monkeypatch.setenv(name, "2")
    code, _, err = record(BEGINS + "shutil.rmtree(os.getcwd())")
    assert code == 0
    assert "cannot be written" in err


@pytest.mark.parametrize(
    ("source", "code", "kind", "message"),
    [
        (
            "os.kill(os.getpid(), signal.SIGTERM)",
            -15,
            "stopped",
            "Crashed with SIGTERM (its own code or another process terminated it).",
        ),
        (
            "signal.signal(signal.SIGINT, signal.SIG_DFL); os.kill(os.getpid(), signal.SIGINT)",
            -2,
            "stopped",
            "Canceled.",
        ),
        (
            "os._exit(7)",
            7,
            "stopped",
            "The code ended its own process with exit code 7 before it was done.",
        ),
        ("sys.exit(7)", 7, "failed", "SystemExit: 7"),
        ("", 0, "finished", ""),
    ],
)
def test_the_trace_tells_how_the_program_ended(
    source: str, code: int, kind: str, message: str, record: Recorder
) -> None:
    assert record(BEGINS + source)[0] == code
    assert ending(TRACE) == (kind, message)


def test_the_trace_tells_why_the_recording_ended(record: Recorder) -> None:
    assert record(FILES + CHANGES.replace("CODE", "0"))[0] == 2
    kind, message = ending(TRACE)
    assert kind == "stopped"
    assert "changed the trace file" in message


def test_a_reason_that_could_not_be_written_is_not_made_up(record: Recorder) -> None:
    # As on a full disk, where the file of the reason stays empty.
    emptied = "open(f'{files()[0]}.gradviz-failed', 'x').close()"
    assert record(FILES + emptied + CHANGES.replace("CODE", "0"))[0] == 2
    assert ending(TRACE) == (
        "stopped",
        "The rest of the run could not be written to the trace, as on a full disk.",
    )


def test_a_signal_waits_until_the_trace_is_complete(
    record: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the end of a program, such as that by the first Ctrl+C, its trace is replaced."""
    record(BEGINS)
    older = Path(TRACE).read_bytes()
    find_facts = vars(record_program)["_facts"]

    def interrupted(*words: object, **options: object) -> object:
        signal.raise_signal(signal.SIGINT)
        return find_facts(*words, **options)

    monkeypatch.setattr(record_program, "_facts", interrupted)
    assert main(["record", "-o", TRACE, str(tmp_path / "program.py")]) == 130
    assert [each.name for each in Path().iterdir()] == [TRACE]
    assert Path(TRACE).read_bytes() != older
    assert ending(TRACE) == ("finished", "")


@pytest.mark.parametrize(
    ("line", "is_refused"),
    [
        ("torch.ones(3).sum().backward()", True),
        ("torch.ones(3, requires_grad=True).view(2, 2)", True),
        ("torch.nn.Linear(3, 2)(torch.ones(4))", True),
        ("raise ValueError('no')", False),
        ("torch.nn.Module()(1) if None else int('one')", False),
    ],
)
def test_what_torch_refuses_is_in_a_trace(line: str, is_refused: bool, record: Recorder) -> None:
    code, _, err = record(f"import torch\n{line}\n")
    assert code == 1
    assert Path(TRACE).exists() == is_refused
    if is_refused:
        with open_trace(Path(TRACE)) as reader:
            (step,) = reader.trace().steps
        assert isinstance(step, ErrorStep)
        assert f"{step.exception}: {step.message}" in err.splitlines()


PURGES = """
import sys
import torch
torch.ones(2, requires_grad=True).exp().sum().backward()
for each in list(sys.modules):
    if f"{{each}}.".startswith("{purged}."):
        del sys.modules[each]
class Triple(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 3
    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * 3
x = torch.ones(2, requires_grad=True)
Triple.apply(x).sum().backward()
print(x.grad.tolist())
"""
NESTS = """
import gradviz
try:
    with gradviz.record("inner.gradviz"):
        raise AssertionError
except RuntimeError as error:
    print(error)
"""


@pytest.mark.parametrize(("adds", "purged"), paired(["", NESTS], ["gradviz", "torch.nn"]))
def test_a_program_that_purges_modules_is_recorded(
    record: Recorder, purged: str, adds: str
) -> None:
    """A second recording in it says that there is one, and leaves the first one intact."""
    code, out, err = record(PURGES.format(purged=purged) + adds)
    assert (code, "Traceback" in err) == (0, False), err
    said = out.splitlines()
    assert said[0] == "[3.0, 3.0]"
    assert said[1:] == ([say("recording.around")] if adds else [])
    with open_trace(Path(TRACE)) as reader:
        trace = reader.trace()
    assert trace.outcome is not None
    assert trace.outcome.kind == "finished"
    assert len([each for each in trace.steps if isinstance(each, PassEndStep)]) == 2
    assert [call.function for call in trace.calls] == ["Triple"]
    assert [each.message for each in trace.findings if each.code == "recorder_trouble"] == []


HAS_BUG = """
import torch
from gradviz.recorder.patching import torch_wrappers

names = {}
exec(compile("def bug(*_, **__): raise KeyError('ours')", torch_wrappers.__file__, "exec"), names)
torch_wrappers.TorchWrappers._op_recording = names["bug"]
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
Twice.apply(torch.ones(2, requires_grad=True))
"""


def test_a_bug_of_the_recorder_that_ends_a_program_is_told_as_such(record: Recorder) -> None:
    _, _, err = record(HAS_BUG)
    sentence = say("recording.bug", error="KeyError: 'ours'")
    assert sentence in err.splitlines()
    assert "torch_wrappers.py" in err
    with open_trace(Path(TRACE)) as reader:
        trace = reader.trace()
    assert isinstance(trace.steps[-1], ErrorStep)
    assert (trace.steps[-1].message, trace.steps[-1].location) == (sentence, None)
    assert trace.outcome is not None
    assert trace.outcome.message == sentence
