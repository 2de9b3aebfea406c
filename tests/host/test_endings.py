"""How children end, and what is said of it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gradviz.host.crash_location import code_line_in_stacks, last_line
from gradviz.host.ending_diagnosis import EndedChild, diagnose_ending
from gradviz.host.job_ending import CodeLine, byte_size_text, seconds_text
from gradviz.host.limits import LimitReached
from gradviz.host.process import environment
from gradviz.protocol.messages import Finished
from tests.programs import run_program

# The user's line in stacks written by faulthandler.


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
    run = run_program([sys.executable, str(file)])
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


# How a job's ending is derived from facts, and which fact takes precedence.


STACK = 'Current thread 1 (most recent call first):\n  File "/u.py", line 7 in backward\n'
STOP = LimitReached(kind="timed_out", code="timed_out", values=(("limit", "10 s"),))


def test_the_message_of_the_child_takes_precedence() -> None:
    done = Finished(activity="run")
    ending = diagnose_ending(EndedChild(finished=done, cancelled=True, stop=STOP, code=-9))
    assert (ending.kind, ending.sentence, ending.code) == ("finished", "", -9)


def test_a_limit_comes_before_a_late_cancel() -> None:
    ending = diagnose_ending(
        EndedChild(stop=STOP, cancelled=True, code=-9, path="/u.py", stacks=STACK)
    )
    assert ending.kind == "timed_out"
    assert ending.place is not None
    assert ending.place.line == 7


def test_a_crash_names_signal_and_line() -> None:
    ending = diagnose_ending(EndedChild(code=-6, path="/u.py", stacks=STACK))
    assert ending.kind == "crashed"
    assert ending.signal == "SIGABRT"
    assert ending.sentence == (
        "Crashed with SIGABRT (the code called abort) in backward (u.py, line 7)."
    )


def test_a_signal_without_a_name() -> None:
    assert "signal 40" in diagnose_ending(EndedChild(code=-40)).sentence


def test_numbers_for_people() -> None:
    assert [seconds_text(each) for each in (0.5, 10, 90, 120, 150)] == [
        "0.5 s",
        "10 s",
        "90 s",
        "2 min",
        "150 s",
    ]
    sizes = (12, 1536, 800 << 20, 1023 << 20, 1_234_567_890)
    assert [byte_size_text(each) for each in sizes] == [
        "12 bytes",
        "1.5 KiB",
        "800 MiB",
        "1023 MiB",
        "1.15 GiB",
    ]


def test_a_damaged_folder_of_packages_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = tmp_path / "site-packages"
    loop.symlink_to(loop)
    monkeypatch.setattr("site.getsitepackages", lambda: [str(loop)])
    assert environment()["PYTHONPATH"].endswith(str(Path(__file__).parents[2]))


def test_the_environment_is_ours_without_qt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    monkeypatch.setenv("MY_OWN", "kept")
    found = environment()
    assert not [name for name in found if name.startswith("QT_")]
    assert found["MY_OWN"] == "kept"
    assert found["PYTHONUNBUFFERED"] == "1"
