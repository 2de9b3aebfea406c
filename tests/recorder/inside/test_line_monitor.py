"""``sys.monitoring`` reports the lines of ``sys.settrace`` and disturbs no other tool."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gradviz.recorder.inside.line_monitor import MONITORS, LineMonitor
from tests.recorder import line_subject
from tests.recorder.line_backends import is_library, monitored, plain, traced

NEWER = ("python3.12", "python3.13", "python3.14")


def run(python: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [python, "-m", "tests.recorder.line_backends"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[3],
    )


@pytest.mark.skipif(sys.version_info < (3, 12), reason="this Python has no sys.monitoring")
def test_monitoring_in_this_python() -> None:
    result = run(sys.executable)
    assert result.stdout.startswith("the same"), result.stderr


@pytest.mark.parametrize("name", NEWER)
def test_monitoring_in_others(name: str) -> None:
    """Needs no torch, so that any Python can run it."""
    python = shutil.which(name)
    if python is None or run_version(python) != 0:
        pytest.skip(f"there is no {name}")
    result = run(python)
    assert result.stdout.startswith("the same"), result.stderr


def run_version(python: str) -> int:
    return subprocess.run(
        [python, "--version"], stdin=subprocess.DEVNULL, capture_output=True, check=False
    ).returncode


def reported(work: Callable[[], object]) -> list[tuple[Any, ...]]:
    """What the backend of this Python reports."""
    if not MONITORS:
        return traced(work)
    monitor = LineMonitor(is_library)
    monitor.install()
    try:
        return monitored(monitor, work)
    finally:
        monitor.remove()


def test_the_backend_reports_every_statement_that_runs() -> None:
    found = reported(line_subject.main)
    assert [each for each in found if each[0] == "runs"] == plain()
    entered = [each for each in found if each[0] == "enters"]
    left = [each for each in found if each[0] == "leaves"]
    assert len(entered) == len(left) > 30
    assert {each[2] for each in left} == {"returned", "yielded", "raised"}


def test_a_generator_that_goes_on_is_distinguished() -> None:
    found = reported(lambda: list(line_subject.pieces(1)))
    assert [each[2] for each in found if each[0] == "enters"] == [False, True, True]
    assert [each[2:] for each in found if each[0] == "leaves"] == [
        *(("yielded", 1), ("yielded", 2), ("returned", "NoneType")),
    ]
