"""The last lines of ``gradviz record`` say what it has found, in a terminal and through a pipe."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.programs import run_program

PROGRAM = """\
import torch

weight = torch.ones(3, requires_grad=True)
loss = (weight * 2).detach().sum()
loss.backward()
"""


def plain_run(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run without a terminal."""
    return run_program(command)


def in_terminal(*command: str) -> str:
    process, terminal = pty.fork()
    if process == 0:
        os.execv(command[0], command)
    found = b""
    # Reading raises an error after the other end is closed.
    try:
        while more := os.read(terminal, 4096):
            found += more
    except OSError:
        pass
    os.waitpid(process, 0)
    os.close(terminal)
    return found.decode().replace("\r\n", "\n")


def test_findings_and_options_of_the_program_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cut.py").write_text(PROGRAM)
    record = (sys.executable, "-m", "gradviz", "record")
    told = in_terminal(*record, "-o", "run.gradviz", "cut.py", "--passes=1:2", "--lr", "1")
    *_, found, guide, passed, recorded = told.splitlines()
    assert found.startswith("gradviz: 1 error: backward can't start at loss")
    assert "detach (line 4)" in found
    assert "gradviz guide " in guide
    assert passed.startswith("gradviz: Passed to cut.py: --passes=1:2. Options of gradviz come")
    assert "gradviz run.gradviz" in recorded


@pytest.mark.sweep
def test_a_program_without_problems_gets_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.py").write_text(PROGRAM.replace(".detach()", ""))
    told = in_terminal(sys.executable, "-m", "gradviz", "record", "-o", "run.gradviz", "good.py")
    (line,) = told.splitlines()
    assert line.startswith("gradviz: Recorded")


def test_a_pipe_gets_the_same_lines_on_stderr(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.py").write_text(PROGRAM.replace(".detach()", "") + "print(loss.item())\n")
    record = [sys.executable, "-m", "gradviz", "record", "-o", "run.gradviz", "good.py"]
    ended = run_program(record, check=True)
    assert ended.stdout == "6.0\n"
    (line,) = ended.stderr.splitlines()
    assert line.startswith("gradviz: Recorded")


def test_options_are_named_if_the_program_refuses_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("parses.py").write_text("import argparse\nargparse.ArgumentParser().parse_args()\n")
    record = [sys.executable, "-m", "gradviz", "record", "parses.py", "--passes", "1:20"]
    ended = run_program(record)
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1].startswith("gradviz: Passed to parses.py: --passes 1:20.")
