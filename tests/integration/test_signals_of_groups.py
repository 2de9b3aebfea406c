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

PROGRAM = """
import signal, sys, time
import torch

came = []
for number in (signal.SIGINT, signal.SIGUSR1, signal.SIGTERM):
    signal.signal(number, lambda number, _: came.append(number))
x = torch.ones(2, requires_grad=True)
(x * x).sum().backward()
print("ready", flush=True)
before = -1
while not came or len(came) != before:
    before = len(came)
    # Time for another one.
    time.sleep(1)
print("came", len(came), flush=True)
"""
SENT = 8
"""More than one, as two signals that come at the same time may count as one."""


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    (tmp_path / "a.py").write_text(PROGRAM)
    options = ["-o", str(tmp_path / "a.gradviz")]
    return [sys.executable, "-m", "gradviz", "record", *options, str(tmp_path / "a.py")]


def to_group(process: int, number: int) -> None:
    os.killpg(process, number)


def to_one(process: int, number: int) -> None:
    os.kill(process, number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGUSR1, signal.SIGTERM])
@pytest.mark.parametrize("send", [to_group, to_one])
def test_a_signal_comes_once(
    send: Callable[[int, int], None], number: signal.Signals, command: list[str]
) -> None:
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as recorded:
        assert recorded.stdout is not None
        assert recorded.stdout.readline() == "ready\n"
        for _ in range(SENT):
            send(recorded.pid, number)
            time.sleep(0.2)
        assert recorded.stdout.readline() == f"came {SENT}\n"
    assert recorded.returncode == 0


def test_the_terminals_ctrl_c_comes_once(command: list[str]) -> None:
    process, terminal = pty.fork()
    if process == 0:
        os.execv(command[0], command)
    found = b""
    while b"came" not in found or not found.endswith(b"\n"):
        found += os.read(terminal, 4096)
        if b"ready" in found and b"\x03" not in found and b"^C" not in found:
            os.write(terminal, b"\x03")
            time.sleep(0.1)
    assert b"came 1\r\n" in found
    _, status = os.waitpid(process, 0)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 0
