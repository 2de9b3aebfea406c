"""Hostile user code: each run ends with one message and keeps its trace."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import psutil
import pytest

from gradviz.gallery.registry import offer_of as offer_of_scene
from gradviz.gallery.registry import scene
from gradviz.host.limits import Limits
from gradviz.host.pool import run_blocking
from gradviz.model.check_settings import CheckSettings
from gradviz.model.step import ErrorStep, MissingStep, NodeStep, PassEndStep
from gradviz.protocol.messages import (
    CheckRequest,
    Described,
    DescribeRequest,
    JobMessage,
    RunRequest,
)
from tests.fork_server import ForkServer, forked_workers
from tests.integration import test_hostile_programs
from tests.integration.hostile_runs import FILES, Case, Outcome, offer_of, read, run_all
from tests.sweeps import thinned

SHORT = Limits(time_s=1.5, memory_bytes=None)
# Python counts as blocked after 1.5 s without a sign of life.
BLOCKED = Limits(time_s=2.5, memory_bytes=None)
SHORT_TRACE = Limits(time_s=60.0, memory_bytes=None, trace_bytes=1 << 20)
SMALL = Limits(time_s=60.0, memory_bytes=1 << 30)
DONE = "forward is done"

exits = partial(Case, "process_exits.py")
raises = partial(Case, "exceptions.py")
process = partial(Case, "process_changes.py")
python = partial(Case, "python_changes.py")
traces = partial(Case, "trace_changes.py")
output = partial(Case, "endless_output.py")
memory = partial(Case, "memory.py")

CASES = [
    Case(
        "many_steps.py",
        "many_steps",
        "trace_full",
        "Stopped at the limit of 1 MiB for the size of a trace.",
        100,
        "back",
        SHORT_TRACE,
        size=3,
    ),
    Case("loop.py", "Loop", "timed_out", "in forward (loop.py, line ", 1, "before the", SHORT),
    Case(
        "loop_in_c.py", "LoopInC", "timed_out", "had blocked Python for", 5, "before the", BLOCKED
    ),
    exits("Abort", "crashed", "SIGABRT (the code called abort) in backward", 5, DONE),
    exits("Segfault", "crashed", "(invalid memory access) in backward (process_exits.py", 5, DONE),
    exits("KillItself", "crashed", "Killed by SIGKILL, sent by", 5, DONE),
    exits("HardExit", "exited", "exit code 7", 5, DONE),
    exits("HardExitZero", "exited", "exit code 0", 5, DONE),
    exits("SysExit", "failed", "called sys.exit(3) in backward (process_exits.py", 6, DONE),
    exits("Interrupt", "failed", "KeyboardInterrupt in backward (process_exits.py", 6, DONE),
    raises("InForward", "failed", "ValueError in forward (exceptions.py, line 10): no"),
    raises("InBackward", "failed", "KeyError in backward (exceptions.py, line 20)", 6),
    raises("WrongCount", "failed", "incorrect number of gradients", 6),
    raises("WrongShape", "failed", "invalid gradient at index 0 - got [7]", 6),
    raises("RaisesUnspeakable", "failed", "Unspeakable in forward (exceptions.py"),
    raises(
        "RaisesUnreadable",
        "failed",
        "Unreadable in backward (exceptions.py, line 66): no attributes.",
        6,
    ),
    raises("Recursion", "failed", "RecursionError in forward (exceptions.py"),
    raises("RaisesInDel", "finished", "", 7, "not even in peace"),
    raises("NotDifferentiable", "failed", "the output has dtype int64"),
    output("Prints", "finished", "", 7, "spam and eggs"),
    output("Writes", "finished", "", 7),
    output("ChildWrites", "finished", "", 7),
    memory("AtOnce", "failed", "RuntimeError in forward (memory.py", 1, "", SMALL),
    memory("BitByBit", "out_of_memory", "GiB of memory", 1, "here it goes", SMALL),
    memory("SharedByForks", "finished", "", 7, "", SMALL),
    process("ClosesStreams", "failed", "the code closed its file", 5, "the last"),
    process("ReadsInput", "finished", "", 7, "read: ''"),
    process("Forks", "finished", "", 7, "parent"),
    *(
        process(name, "finished", "", 7)
        for name in (
            *("ReplacesStreams", "ChangesFolder", "PatchesModules", "LeavesThreads"),
            *("LeavesProcesses", "WaitsForAllChildren", "SignalsItsParent"),
        )
    ),
    process("KillsItsParent", "crashed", "Killed by SIGKILL, sent by", 5),
    process("ClosesAllFiles", "exited", "closed all file descriptors", 5),
    *(
        python(name, "finished", "", 7)
        for name in (
            *("PatchesEncoder", "PatchesBuiltins", "PatchesTime", "PatchesThreads"),
            *("RemovesFolder", "ClearsEnvironment", "ClearsModules", "LimitsFiles"),
            *("HidesTorchUtils", "HidesTorchModules"),
            *("BlocksSignals", "CollectorCallbacks", "Audits", "ReplacesHooks", "TinyStack"),
            *("ClosesStandardStreams", "SwapsStreams", "ReplacesStreamsBadly"),
            *("KeepsOddObjects", "LeavesMode", "ForkRaises"),
        )
    ),
    *(
        traces(name, "failed", "or another process changed the trace file", 5)
        for name in ("TruncatesTheLog", "DeletesTheLog", "TruncatesTheTrace", "TruncatesTheIndex")
    ),
    traces("ClosesTheLog", "failed", "the code closed its file descriptor", 5),
    traces("ClosesManyFiles", "exited", "closed all file descriptors", 5),
    python("LimitsFileSize", "failed", "at most 1 bytes (RLIMIT_FSIZE).", 5),
    python("SuspendsItself", "timed_out", "such as SIGSTOP, had suspended", 5),
    python("Alarm", "crashed", "SIGALRM (its alarm or timer ran out)", 5),
    python(
        "SignalsItsGroup", "crashed", "SIGTERM (its own code or another process terminated it)", 5
    ),
    python("NoFaultHandler", "crashed", "SIGSEGV (invalid memory access).", 5),
    python("Traces", "failed", "ZeroDivisionError in <lambda> (python_ch", 6),
    python("LongWord", "failed", "ValueError in backward (python_ch", 6, "www"),
    python("LongName", "failed", "EEE... in backward (python_changes.py", 6),
    python("AwkwardName", "failed", "Awkward in backward (python_changes.py", 6),
    python("ReturnsAwkwardTensor", "failed", "RuntimeError in __torch_func", 3),
    python("ExitsInThread", "exited", "exit code 3 before it was done.", 5),
]
NAMES = [case.name for case in CASES]
# They are about processes, streams or memory of the worker, so the worker is not forked.
REAL = {"ClosesStreams", "AtOnce", "BitByBit", "SharedByForks"}


class _Outcomes(dict[str, Outcome]):
    """Outcomes of the cases by name, each of which runs when it is first asked for."""

    def __init__(self, folder: Path, fork_server: ForkServer | None) -> None:
        super().__init__()
        self._folder, self._fork_server = folder, fork_server

    def __missing__(self, name: str) -> Outcome:
        case = CASES[NAMES.index(name)]
        with nullcontext() if name in REAL else forked_workers(self._fork_server):
            self.update(run_all([case], self._folder))
        return self[name]


# Not all at once: the tests of this file are shared out among the processes of a run.
@pytest.fixture(scope="module")
def outcomes(
    tmp_path_factory: pytest.TempPathFactory, fork_server: ForkServer | None
) -> dict[str, Outcome]:
    return _Outcomes(tmp_path_factory.mktemp("hostile"), fork_server)


@pytest.mark.parametrize("case", thinned(CASES), ids=NAMES)
def test_one_message_and_all_that_was_recorded(case: Case, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[case.name]
    assert outcome.ending.kind == case.kind, outcome.ending
    assert case.words in outcome.ending.sentence
    assert "\n" not in outcome.ending.sentence
    assert len(outcome.ending.sentence) < 400
    assert len(outcome.ending.stderr) <= 1 << 16
    assert outcome.trace is not None
    assert len(outcome.trace.steps) >= case.steps
    assert case.printed in "".join(text.text for text in outcome.trace.console)
    troubles = [each for each in outcome.trace.findings if each.code == "recorder_trouble"]
    # What these programs do to Python makes recording fail, which their traces say.
    assert not troubles or case.name in ("PatchesBuiltins", "Recursion", "TinyStack")


def test_a_dead_run_has_no_outcome_and_an_unfinished_step(outcomes: dict[str, Outcome]) -> None:
    for name in ("Abort", "Segfault", "HardExit", "LoopInC"):
        trace = outcomes[name].trace
        assert trace is not None
        assert trace.outcome is None
        last = trace.steps[-1]
        assert isinstance(last, NodeStep)
        assert not last.finished


def test_a_step_that_cannot_be_recorded_has_a_placeholder(outcomes: dict[str, Outcome]) -> None:
    for name in ("PatchesBuiltins", "TinyStack"):
        trace = outcomes[name].trace
        assert trace is not None
        # Of the tiny stack, enough is left for the step, though not for all that it returned.
        is_missing = any(isinstance(step, MissingStep) for step in trace.steps)
        assert is_missing == (name == "PatchesBuiltins"), name
        assert any(each.code == "recorder_trouble" for each in trace.findings), name


def test_the_line_in_which_it_ended(tmp_path: Path) -> None:
    chosen = [each for each in CASES if each.name in ("Loop", "LoopInC", "Segfault", "Recursion")]
    outcomes = run_all(chosen, tmp_path, level="all")
    for case in chosen:
        outcome = outcomes[case.name]
        assert outcome.ending.kind == case.kind, outcome.ending
        assert outcome.trace is not None
        parts = [part for inside in outcome.trace.insides for part in inside.parts if part.lines]
        last = parts[-1].lines[-1]
        text = (FILES / case.file).read_text().splitlines()[last.location.line - 1]
        assert last.finished is (parts[-1].more_lines > 0), text
        assert not parts[-1].finished
    assert len(parts[-1].lines) > 50


def test_an_exception_is_the_last_step_and_the_outcome(outcomes: dict[str, Outcome]) -> None:
    for name in ("SysExit", "InForward", "InBackward", "WrongCount", "WrongShape"):
        trace = outcomes[name].trace
        assert trace is not None
        assert isinstance(trace.steps[-1], ErrorStep)
        assert trace.outcome is not None
        assert trace.outcome.kind == "failed"
        assert trace.outcome.message == outcomes[name].ending.sentence


def test_a_gigabyte_of_prints_is_cut_and_counted(outcomes: dict[str, Outcome]) -> None:
    trace = outcomes["Prints"].trace
    assert trace is not None
    assert isinstance(trace.steps[-1], PassEndStep)
    kept = sum(len(text.text) for text in trace.console)
    assert kept <= 1_000_000
    assert sum(cut.characters for cut in trace.cuts) + kept > 1 << 29
    assert outcomes["Prints"].ending.code == 0


def test_what_a_fork_does_is_not_recorded(outcomes: dict[str, Outcome]) -> None:
    trace = outcomes["Forks"].trace
    assert trace is not None
    assert "child" not in "".join(text.text for text in trace.console)


def test_left_processes_are_gone(outcomes: dict[str, Outcome]) -> None:
    assert outcomes["LeavesProcesses"].ending.kind == "finished"
    sleeper = [sys.executable, "-c", "import time; time.sleep(301)"]
    assert [p.pid for p in psutil.process_iter(["cmdline"]) if p.info["cmdline"] == sleeper] == []


def test_a_trace_that_is_deleted_while_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRACE_FOLDER", str(tmp_path / "DeletesTheTrace"))
    case = Case("process_changes.py", "DeletesTheTrace", "failed")
    outcome = run_all([case], tmp_path)[case.name]
    assert outcome.ending.kind == "failed"
    assert "was removed or renamed while it was being written" in outcome.ending.sentence


def test_a_check_of_code_that_hides_torch(tmp_path: Path, fork_server: ForkServer | None) -> None:
    offer = offer_of("python_changes.py", "HidesTorchModules")
    request = CheckRequest(
        offer=offer, trace=str(tmp_path / "run.gradviz"), settings=CheckSettings(auto_cast=True)
    )
    with forked_workers(fork_server):
        ending = run_blocking(request, limits=Limits(time_s=60.0, memory_bytes=None))
    assert (ending.kind, ending.sentence) == ("finished", "")


def test_the_next_run_works(outcomes: dict[str, Outcome], tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    ending = run_blocking(RunRequest(offer=offer_of_scene(scene("linear")), trace=str(path)))
    assert (ending.kind, ending.sentence) == ("finished", "")
    trace = read(path)
    assert trace is not None
    assert trace.outcome is not None
    assert trace.outcome.kind == "finished"


ODD_CLASS = """
class Odd(type):
    def __getattribute__(cls, name):
        raise ValueError(name)

class C(metaclass=Odd):
    pass
"""
UNBOUND_PROXY = """
class Proxy:
    def __getattribute__(self, name):
        raise RuntimeError("unbound")

def f(x, y):
    return x

EXAMPLES = {f: (1.0, Proxy())}
"""


@pytest.mark.parametrize(
    ("source", "kind", "words"),
    [
        (ODD_CLASS, "failed", "x.py defines no Function or Module, and declares no inputs."),
        (UNBOUND_PROXY, "failed", "RuntimeError in __getattribute__ (x.py, line 4): unbound."),
        ("while True: pass", "timed_out", "Stopped at the time limit of 1 s"),
        ("import os; os.abort()", "crashed", "SIGABRT"),
        ("import sys; [sys.exit][0](2)", "failed", "called sys.exit(2) (x.py, line 1)."),
        ("x = 1\ny = (", "failed", "x.py, line 2: '(' was never closed."),
        ("import nowhere", "failed", "ModuleNotFoundError (x.py, line 1): No module named 'now"),
        ("x = 1", "failed", "x.py defines no Function or Module, and declares no inputs."),
        ("\0", "failed", "x.py: source code string cannot contain null bytes"),
    ],
)
def test_files_that_cannot_be_described(tmp_path: Path, source: str, kind: str, words: str) -> None:
    (tmp_path / "x.py").write_text(source)
    heard: list[JobMessage] = []
    request = DescribeRequest(path=str(tmp_path / "x.py"))
    limits = Limits(time_s=1.0, memory_bytes=None)
    ending = run_blocking(request, limits=limits, on_message=heard.append)
    assert ending.kind == kind, ending
    assert words in ending.sentence
    assert not [each for each in heard if isinstance(each, Described) and each.offers]


def test_every_hostile_file_is_run() -> None:
    used = {*(case.file for case in CASES), test_hostile_programs.FILE}
    assert {path.name for path in FILES.glob("*.py")} == used
