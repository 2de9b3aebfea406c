"""The process that runs and records a program, when it changes Python or cannot write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradviz.cli.main import main
from gradviz.host.program import RecordedProgram
from gradviz.model.codec import encode
from gradviz.model.settings.recording_scope import RecordingScope
from gradviz.store.reader import open_trace
from tests.fork_server import ForkServer

ROOT = Path(__file__).parents[2]
PATCHED_PYTHON = ROOT / "tests" / "data" / "hostile" / "python_changes.py"
RUN_PROGRAM = "from gradviz.worker.program.entry import main; main()"


def recorded(trace: Path, program: Path, *arguments: str) -> tuple[str, ...]:
    """Arguments of a process that runs and records a program."""
    scope = json.dumps(encode(RecordingScope()))
    own = (str(ROOT), str(trace), "nodes", "1000000", scope)
    return (*own, "script", str(program), *arguments)


def test_a_program_that_changes_python_ends_as_without_recording(
    tmp_path: Path, fork_server: ForkServer | None
) -> None:
    if fork_server is None:
        pytest.skip("needs forks")
    for name in ("PatchesTime", "ClearsModules", "TinyStack"):
        trace = tmp_path / f"{name}.gradviz"
        with fork_server.start(RUN_PROGRAM, recorded(trace, PATCHED_PYTHON, name)) as program:
            assert program.stdout.read() == b"end of program\n"
            assert program.wait() == 0
        with open_trace(trace) as reader:
            assert len(reader.trace().steps) == 7


def test_the_reason_why_nothing_could_be_written_is_said_once(
    tmp_path: Path,
    fork_server: ForkServer | None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if fork_server is None:
        pytest.skip("needs forks")
    program, trace = tmp_path / "program.py", tmp_path / "run.gradviz"
    program.write_text("print('end of program')")
    said = []

    def run(program: RecordedProgram, *, trace: Path, **_: object) -> int:
        # Instead of a full disk, which would leave nothing.
        trace.write_text("something else")
        with fork_server.start(RUN_PROGRAM, recorded(trace, Path(program.name))) as child:
            said.append(child.stderr.read().decode())
            code = child.wait()
        trace.unlink()
        assert code is not None
        return code

    monkeypatch.setattr("gradviz.host.program.run_program", run)
    assert main(["record", "-o", str(trace), str(program)]) == 2
    assert said == [f"gradviz: {trace} already exists.\n"]
    assert capsys.readouterr().err == ""
    assert list(tmp_path.iterdir()) == [program]
