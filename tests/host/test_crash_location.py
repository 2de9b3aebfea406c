"""The user's line in stacks written by faulthandler."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gradviz.host.crash_location import code_line_in_stacks, last_line
from gradviz.host.job_ending import CodeLine

CRASH = """
import faulthandler, ctypes
faulthandler.enable()
def forward():
    ctypes.string_at(0)
def outer():
    forward()
outer()
"""


@pytest.mark.parametrize("name", ["crash.py", 'grün "x" \U0001f600.py'])
def test_the_innermost_line_of_the_file(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text(CRASH)
    run = subprocess.run(
        [sys.executable, str(file)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == -11
    place = code_line_in_stacks(run.stderr, str(file))
    assert place == CodeLine(path=str(file), line=5, function="forward")


def test_a_scene_is_known_by_its_folder() -> None:
    text = (
        "Current thread 0x1 (most recent call first):\n"
        '  File "/lib/torch/x.py", line 9 in apply\n'
        '  File "/site/gradviz/gallery/scenes/linear.py", line 17 in forward\n'
        '  File "/site/gradviz/worker/run.py", line 3 in run\n'
    )
    place = code_line_in_stacks(text, "")
    assert place is not None
    assert (place.line, place.function) == (17, "forward")
    assert code_line_in_stacks(text, "/other.py") is None


def test_a_traceback_that_the_user_printed_is_no_stack() -> None:
    text = 'Traceback (most recent call last):\n  File "/u.py", line 3, in forward\n'
    assert code_line_in_stacks(text, "/u.py") is None


def test_the_last_stack_counts() -> None:
    def stack(line: int) -> str:
        return f'Thread 1 (most recent call first):\n  File "/u.py", line {line} in f\n'

    place = code_line_in_stacks(
        stack(1) + stack(2) + "Thread 2 (most recent call first):\n", "/u.py"
    )
    assert place is not None
    assert place.line == 2


def test_last_line() -> None:
    assert last_line("a\nImportError: no torch.\n\n") == "ImportError: no torch"
    assert last_line(" \n") == "no reason given"
