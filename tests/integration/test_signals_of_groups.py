"""A recorded program gets each signal once, whether it was sent to its group or to one process."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.programs import run_program
from tests.sweeps import thinned

PROGRAM = """
import signal, sys, time
import torch

came = []
for number in (signal.SIGINT, signal.SIGUSR1, signal.SIGTERM):
    signal.signal(number, lambda number, _: came.append(number))
x = torch.ones(2, requires_grad=True)
(x * x).sum().backward()
print("ready", flush=True)
for count in range(1, int(sys.argv[1]) + 1):
    while len(came) < count:
        time.sleep(0.01)
    print("came", len(came), flush=True)
# Time for one that comes twice.
time.sleep(1)
print("in all", len(came), flush=True)
"""


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    (tmp_path / "a.py").write_text(PROGRAM)
    options = ["-o", str(tmp_path / "a.gradviz")]
    return [sys.executable, "-m", "gradviz", "record", *options, str(tmp_path / "a.py")]


@pytest.mark.parametrize("send", thinned([os.killpg, os.kill]))
def test_a_signal_comes_once(send: Callable[[int, int], None], command: list[str]) -> None:
    # One after another: two that come at the same time may count as one.
    sent = [signal.SIGINT, signal.SIGUSR1, signal.SIGTERM] * 2
    with subprocess.Popen(
        [*command, str(len(sent))],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as recorded:
        assert recorded.stdout is not None
        assert recorded.stdout.readline() == "ready\n"
        for count, number in enumerate(sent, start=1):
            send(recorded.pid, number)
            assert recorded.stdout.readline() == f"came {count}\n", number
        assert recorded.stdout.readline() == f"in all {len(sent)}\n"
    assert recorded.returncode == 0


def test_the_terminals_ctrl_c_comes_once(command: list[str]) -> None:
    process, terminal = pty.fork()
    if process == 0:
        os.execv(command[0], [*command, "1"])
    found = b""
    while b"in all" not in found or not found.endswith(b"\n"):
        found += os.read(terminal, 4096)
        if b"ready" in found and b"\x03" not in found and b"^C" not in found:
            os.write(terminal, b"\x03")
            time.sleep(0.1)
    assert b"in all 1\r\n" in found
    _, status = os.waitpid(process, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 0


def run_in_group(program: str, folder: Path, *words: str) -> str:
    """What a program prints that leads a process group."""
    (folder / "leader.py").write_text(program)
    found = run_program(
        [sys.executable, str(folder / "leader.py"), *words], start_new_session=True, timeout=200
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


WITNESS = """
import os, signal
from gradviz.host.program import GroupWitness

numbers = [signal.SIGUSR1, signal.SIGUSR2]
for number in numbers:
    signal.signal(number, lambda *_: None)
witness = GroupWitness(numbers)
os.killpg(0, signal.SIGUSR1)
print(signal.SIGUSR1 in witness.noted())
os.kill(os.getpid(), signal.SIGUSR1)
print(signal.SIGUSR1 in witness.noted())
witness.close()
"""


def test_the_witness_notes_a_signal_that_comes_while_it_starts(tmp_path: Path) -> None:
    assert run_in_group(WITNESS, tmp_path).split() == ["True", "False"]


EARLY = """
import os, signal, subprocess, sys, time
from pathlib import Path
from gradviz.host import program
from gradviz.model.settings.recording_scope import RecordingScope

folder, sends_before = Path(sys.argv[1]), sys.argv[2] == "before"
start = subprocess.Popen

def started(command, **options):
    is_program = "-c" in command
    child = start(command, **options)
    if not is_program and sends_before:
        os.killpg(0, signal.SIGUSR1)
    if is_program:
        until = time.monotonic() + 60
        while not (folder / "ready").exists() and time.monotonic() < until:
            time.sleep(0.01)
        if not sends_before:
            os.killpg(0, signal.SIGUSR1)
    return child

subprocess.Popen = started
code = program.run_program(
    program.RecordedProgram(name=str(folder / "user.py"), is_module=False, arguments=()),
    trace=folder / "user.gradviz", level="nodes", budget_bytes=1000, scope=RecordingScope(),
)
sys.exit(code)
"""
EARLY_USER = """
import pathlib, signal, time

came = []
signal.signal(signal.SIGUSR1, lambda number, _: came.append(number))
(pathlib.Path(__file__).parent / "ready").touch()
until = time.monotonic() + 60
while not came and time.monotonic() < until:
    time.sleep(0.01)
# Time for another one.
time.sleep(1)
print(len(came))
"""


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_signal_that_comes_while_the_program_starts_comes_once(tmp_path: Path, when: str) -> None:
    (tmp_path / "user.py").write_text(EARLY_USER)
    assert run_in_group(EARLY, tmp_path, str(tmp_path), when) == "1\n"


MANY = """
import os, signal, time
import torch

came = {}
def handler(number, frame):
    came[number] = came.get(number, 0) + 1
for number in (signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGTERM):
    signal.signal(number, handler)
print("ready", flush=True)
for count in range(1, 4):
    until = time.monotonic() + 20
    while time.monotonic() < until and [came.get(each) for each in (2, 10, 12, 15)] != [count] * 4:
        time.sleep(0.01)
    # Time for another one.
    time.sleep(0.3)
    print(*[came.get(each, 0) for each in (2, 10, 12, 15)], flush=True)
"""


@pytest.mark.sweep
def test_signals_that_come_together_each_come_once(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "a.py").write_text(MANY)
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    ) as recorded:
        assert recorded.stdout is not None
        assert recorded.stdout.readline() == "ready\n"
        for count in range(1, 4):
            os.kill(recorded.pid, signal.SIGINT)
            os.killpg(recorded.pid, signal.SIGUSR1)
            os.kill(recorded.pid, signal.SIGUSR2)
            os.killpg(recorded.pid, signal.SIGTERM)
            assert recorded.stdout.readline() == f"{count} {count} {count} {count}\n"
        recorded.terminate()
