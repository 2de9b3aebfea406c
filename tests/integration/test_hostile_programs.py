"""Programs that replace, move or interrupt their own process: one true sentence for each."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.cli.main import main
from gradviz.host.limits import Limits
from gradviz.host.program import RecordedProgram
from gradviz.store.reader import open_trace
from tests.fork_server import ForkServer
from tests.integration.hostile_runs import FILES, Case, run_all
from tests.integration.test_program_process import RUN_PROGRAM, recorded
from tests.sweeps import thinned

FILE = "own_process.py"
BLOCKED = Limits(time_s=2.0, memory_bytes=None)
DONE = ("finished", "")
CHANGED = "or another process changed the trace file"
LOCKED = "cannot be written: database is locked."

# The case of a run in a child process; then for the same code as a program: its exit code, and the
# outcome in its trace.
CASES = [
    (Case(FILE, "Executes", "exited", "exit code 5 before", 5), 5, ("stopped", "exit code 5")),
    (Case(FILE, "ParentExits", "exited", "exit code 6 before", 5), 6, ("stopped", "exit code 6")),
    (
        Case(FILE, "RaisesQuit", "failed", "Quit in backward (own_process.py, line ", 6),
        1,
        ("failed", "Quit: enough"),
    ),
    (
        Case(FILE, "CyclicCauses", "failed", "): both (2 sub-exceptions).", 6),
        1,
        ("failed", "ExceptionGroup: both"),
    ),
    (
        Case(FILE, "InterruptsMain", "failed", "KeyboardInterrupt in backward (own_pro", 6),
        -2,
        ("failed", "KeyboardInterrupt"),
    ),
    (Case(FILE, "HoldsTheTrace", "failed", LOCKED, 1), 2, ("stopped", LOCKED)),
    (Case(FILE, "MovesTheLog", "finished", "", 7), 0, DONE),
    (Case(FILE, "RenamesTheTrace", "failed", "was removed or renamed while", 0), 2, None),
    (Case(FILE, "CopiesOverTheTrace", "failed", CHANGED, 5), 2, ("stopped", CHANGED)),
    (
        Case(FILE, "LimitsTime", "crashed", "SIGXCPU (it reached its limit of CPU time).", 5),
        -24,
        ("stopped", "Crashed with SIGXCPU"),
    ),
    (Case(FILE, "FullStream", "finished", "", 7), 1, ("failed", "No space left on device")),
    (
        Case(FILE, "LeavesItsGroup", "timed_out", "in backward (own_process.py", 5, "", BLOCKED),
        None,
        None,
    ),
    (Case(FILE, "DumpsLater", "exited", "exit code 1 before", 5), 1, ("stopped", "exit code 1")),
    (
        Case(FILE, "Profiles", "failed", "ZeroDivisionError in profile (own_process.py", 6),
        1,
        ("failed", "ZeroDivisionError"),
    ),
    (Case(FILE, "PatchesAutograd", "finished", "", 7), 0, DONE),
]


@pytest.mark.parametrize("case", thinned(each for each, _, _ in CASES), ids=lambda case: case.name)
def test_a_run_ends_with_one_sentence(case: Case, tmp_path: Path) -> None:
    found = run_all([case], tmp_path)[case.name]
    assert (found.ending.kind, "\n" in found.ending.sentence) == (case.kind, False)
    assert case.words in found.ending.sentence
    assert (found.trace is None) == (case.name == "RenamesTheTrace")
    assert len(found.trace.steps if found.trace else ()) >= case.steps


@pytest.mark.parametrize(
    ("case", "code", "outcome"),
    [each for each in CASES if each[1] is not None],
    ids=lambda value: value.name if isinstance(value, Case) else "",
)
def test_a_program_ends_as_it_would_and_its_trace_says_how(
    case: Case,
    code: int,
    outcome: tuple[str, str] | None,
    tmp_path: Path,
    fork_server: ForkServer | None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if fork_server is None:
        pytest.skip("needs forks")
    said = []

    def run(program: RecordedProgram, *, trace: Path, **_: object) -> int:
        words = recorded(trace, Path(program.name), *program.arguments)
        with fork_server.start(RUN_PROGRAM, words) as child:
            # A fork that goes on has the same stream.
            said.append("" if case.name == "ParentExits" else child.stderr.read().decode())
            ended = child.wait()
        assert ended is not None
        return ended

    monkeypatch.setattr("gradviz.host.program.end_like", lambda code: code)
    monkeypatch.setattr("gradviz.host.program.run_program", run)
    path = tmp_path / "run.gradviz"
    assert main(["record", "-o", str(path), str(FILES / case.file), case.name]) == code
    own = [line for line in said[0].splitlines() if line.startswith("gradviz:")]
    # Only what the program itself could not say.
    assert len(own) == (code == 2)
    assert all(case.words in line for line in own)
    told = capsys.readouterr().err
    assert (told != "") == (outcome is not None or code < 0)
    assert all(line.startswith("gradviz: ") for line in told.splitlines())
    assert path.exists() == (outcome is not None)
    if outcome is not None:
        with open_trace(path) as reader:
            found = reader.trace().outcome
        assert found is not None
        assert found.kind == outcome[0]
        assert outcome[1] in found.message
    assert not list(tmp_path.glob("*-lock"))
