"""A layout program run as a child process that can be stopped and dies with its parent."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

from gradviz.drawing.errors import LayoutError

POLL_S = 0.05
"""Seconds between two checks for cancellation; the program's exit is noticed at once."""

_PACKAGE_PARENT = Path(__file__).resolve().parents[2]

# Runs in the child before the layout program, so that Linux kills the child when its parent dies,
# even by SIGKILL. A `preexec_fn` would not be safe in a process with threads.
_DIE_WITH_PARENT = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 9)
if os.getppid() == int(sys.argv[1]):
    os.execvp(sys.argv[2], sys.argv[2:])
"""


def run_child(
    command: Sequence[str],
    text: bytes,
    *,
    name: str,
    timeout_s: float,
    cancelled: Callable[[], bool] | None = None,
) -> bytes:
    """Run a program with a text as its input and return its output.

    Call it from a thread that lives as long as the child: Linux treats the end of that thread
    as the death of the parent.

    Args:
        command: The program and its arguments.
        text: Standard input of the program.
        name: Name of the program for messages.
        timeout_s: Seconds after which the program is killed.
        cancelled: Called twenty times a second; the child is killed when it returns True.

    Raises:
        LayoutError: If the program could not be started, was stopped, or failed.
    """
    until = time.monotonic() + timeout_s
    # A file instead of a pipe: after a timeout, `communicate` forgets the rest of its input.
    with TemporaryFile() as source:
        source.write(text)
        source.seek(0)
        child = _start(command, source, name)
        try:
            while True:
                with suppress(subprocess.TimeoutExpired):
                    output, errors = child.communicate(timeout=POLL_S)
                    return _result(child, output, errors, name)
                if cancelled is not None and cancelled():
                    raise LayoutError("cancelled")
                if time.monotonic() >= until:
                    raise LayoutError("timed_out", seconds=f"{timeout_s:.3g}")
        finally:
            _end(child)


def _start(command: Sequence[str], source: IO[bytes], name: str) -> subprocess.Popen[bytes]:
    if sys.platform == "linux":
        watcher = [sys.executable, "-I", "-S", "-c", _DIE_WITH_PARENT, str(os.getpid())]
        command = [*watcher, *command]
    try:
        return subprocess.Popen(
            command,
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # `python -m gradviz.drawing.engine` finds the package in its working directory.
            cwd=_PACKAGE_PARENT,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except OSError as error:
        raise LayoutError("not_found", engine=name, reason=str(error)) from error


def _result(child: subprocess.Popen[bytes], output: bytes, errors: bytes, name: str) -> bytes:
    if child.returncode == 0 and output:
        return output
    lines = errors.decode("utf-8", "replace").strip().splitlines()
    reason = lines[-1][:200] if lines else "it produced no output"
    raise LayoutError("crashed", engine=name, code=child.returncode, reason=reason)


def _end(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        child.kill()
    child.wait()
    for pipe in (child.stdout, child.stderr):
        if pipe is not None:
            pipe.close()
