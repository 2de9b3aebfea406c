"""The child that reads a file also works on its first example: the file is loaded once."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from gradviz.cli.main import main

Captured = pytest.CaptureFixture[str]

FILE = """
import os, time, torch

with open(__file__ + ".log", "a") as log:
    print(os.getpid(), file=log)
print("loaded")

class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, gradient):
        return 2 * ctx.saved_tensors[0] * gradient

net = torch.nn.Linear(2, 2).double()
drawn = torch.randn(2, dtype=torch.float64, requires_grad=True)
EXAMPLES = {Square: (drawn,), "net": (drawn,)}
"""
FIRST = FILE.replace(', "net": (drawn,)', "")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "own.py"
    path.write_text(FILE)
    return path


def loads(path: Path) -> int:
    """How often a file has been loaded, each time in a process of its own."""
    pids = Path(f"{path}.log").read_text().split()
    assert len(set(pids)) == len(pids)
    assert str(os.getpid()) not in pids
    return len(pids)


@pytest.mark.parametrize(
    ("command", "count"),
    [
        (["check", "own.py:Square"], 1),
        (["check", "own.py:Square", "--order", "both"], 2),
        (["check", "own.py"], 2),
        (["check", "own.py:net", "own.py:Square"], 4),
        (["record", "own.py:net", "-o", "net.gradviz"], 1),
        (["steps", "own.py:Square"], 1),
        (["export", "own.py:Square", "-o", "graph.dot"], 1),
        (["export", "own.py:Square", "--tab", "jacobians", "-o", "jacobians.svg"], 1),
        (["doctor", "own.py:Square"], 1),
        (["doctor", "own.py"], 2),
        (["compare", "own.py:Square", "own.py:Square"], 2),
    ],
)
def test_a_file_is_loaded_once_for_each_work(
    file: Path, command: Sequence[str], count: int, capsys: Captured
) -> None:
    assert main(command) == 0, capsys.readouterr()
    assert loads(file) == count


def test_a_check_after_reading_reports_what_a_check_reports(file: Path, capsys: Captured) -> None:
    documents = []
    # The second example is read first, and then checked in a child of its own.
    for text, at in ((FIRST, None), (FIRST.replace("{S", "{net: (drawn,), S"), 1)):
        file.write_text(text)
        assert main(["check", "own.py", "--format", "json", "--seed", "5"]) == 0
        document = json.loads(capsys.readouterr().out)
        documents.append(document if at is None else document[at])
        assert documents[-1].pop("duration_ns") > 0
    assert "loaded" in json.dumps(documents[0])
    assert documents[0] == documents[1]


def test_a_file_that_is_checked_for_a_figure_needs_one_example(
    file: Path, capsys: Captured
) -> None:
    assert main(["check", "own.py", "-o", "checks.svg"]) == 2
    assert not Path("checks.svg").exists()
    assert loads(file) == 1
    file.write_text(FIRST)
    assert main(["check", "own.py", "-o", "checks.svg"]) == 0
    assert Path("checks.svg").exists()


def test_each_part_of_the_work_has_the_whole_time(file: Path, capsys: Captured) -> None:
    slow = "time.sleep(2)\n"
    file.write_text(FIRST.replace("        ctx.save", f"        {slow}        ctx.save") + slow)
    assert main(["record", "own.py:Square", "--time-limit", "3.75", "-o", "run.gradviz"]) == 0
    assert main(["record", "own.py:Square", "--time-limit", "1", "-o", "run.gradviz"]) == 2
    assert "1 s" in capsys.readouterr().err
