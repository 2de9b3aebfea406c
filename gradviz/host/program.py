"""A user's program in a child process that has this process's terminal and gets its signals.

Tells a signal to a process group from one to a single process. The kernel does not say to whom a
signal was sent. A process of the same group that only watches gets those that all of the group get,
as from Ctrl+C, `timeout` and batch systems.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from gradviz.model.codec import encode
from gradviz.model.inside import RecordingLevel
from gradviz.model.settings.recording_scope import RecordingScope

_PROGRAM = Path(__file__).with_name("group_watcher.py")

_DELIVERY_S = 0.02
"""Time for the kernel to reach every process of a group."""

_PATIENCE_S = 30.0
"""Time for the process to start and to answer, on a machine that is busy."""


class GroupWitness:
    """A process of this process's group that notes which signals it gets.

    Args:
        numbers: The signals to note; any other ends it, as it ends a process that handles none.
    """

    def __init__(self, numbers: Sequence[int]) -> None:
        self._socket, theirs = socket.socketpair()
        self._socket.settimeout(_PATIENCE_S)
        self._is_ready = False
        # They wait until it can note them: one that came before would end it.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
        with theirs:
            words = [str(theirs.fileno()), *map(str, map(int, numbers))]
            self._child = subprocess.Popen(
                [sys.executable, "-I", "-S", str(_PROGRAM), *words],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def noted(self) -> frozenset[int]:
        """Which signals have been sent to the whole group since the last call.

        One that comes twice within it counts as one, as for any process that is not running yet.
        """
        time.sleep(_DELIVERY_S)
        try:
            return frozenset(self._ask())
        except OSError:
            # Something has ended it. A signal that comes twice is better than one that never comes.
            return frozenset()

    def close(self) -> None:
        """End the process."""
        self._socket.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(_PATIENCE_S)
        self._child.kill()
        self._child.wait()

    def _ask(self) -> bytes:
        if not self._is_ready:
            self._receive(1)
            self._is_ready = True
        self._socket.sendall(b"?")
        return self._receive(self._receive(1)[0])

    def _receive(self, size: int) -> bytes:
        found = b""
        while len(found) < size:
            part = self._socket.recv(size - len(found))
            if not part:
                raise BrokenPipeError
            found += part
        return found


_ROOT = Path(__file__).resolve().parents[2]
# Without the working directory, which could hide modules that the recorder imports.
_START = """\
import signal, sys
if hasattr(signal, "pthread_sigmask"):
    signal.pthread_sigmask(signal.SIG_SETMASK, {mask})
if not sys.flags.safe_path:
    del sys.path[0]
sys.path.append(sys.argv[1])
from gradviz.worker.program.entry import main
main()
"""
_FORWARDED = tuple(
    getattr(signal, name)
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")
    if hasattr(signal, name)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedProgram:
    """A program to record.

    Attributes:
        name: Path of a script, or name of a module.
        is_module: Which of the two.
        arguments: Its arguments.
    """

    name: str
    is_module: bool
    arguments: tuple[str, ...]


def run_program(
    program: RecordedProgram,
    *,
    trace: Path,
    level: RecordingLevel,
    budget_bytes: int,
    scope: RecordingScope,
) -> int:
    """Run and record a program, and wait for its end.

    Args:
        program: The program.
        trace: The trace file to write: a new or an empty file.
        level: Level of detail of the recording.
        budget_bytes: Limit for bytes of complete tensors in the trace.
        scope: Which part of the run to record.

    Returns:
        Its exit code, or minus the number of the signal that killed it.
    """
    kind = "module" if program.is_module else "script"
    asked = json.dumps(encode(scope))
    own = (str(_ROOT), str(trace.absolute()), level, str(budget_bytes), asked, kind, program.name)
    forwarding = _SignalForwarding()
    with forwarding:
        start = _START.format(mask=forwarding.wait_for_child())
        command = [sys.executable, *_interpreter_options(), "-c", start, *own]
        # The program reads what this command would: it takes its place on the terminal.
        child = subprocess.Popen([*command, *program.arguments], stdin=None)
        return forwarding.wait(child)


def _interpreter_options() -> list[str]:
    """Options of this interpreter, such as ``-O`` and ``-W``, for that of the program."""
    # What multiprocessing gives to its processes.
    options: list[str] = vars(subprocess)["_args_from_interpreter_flags"]()
    # No flag tells of -u.
    return [*options, "-u"] if getattr(sys.stdout, "write_through", False) else options


class _SignalForwarding:
    """Inside the ``with`` block, signals to this process go to the child and do nothing here.

    Those to the whole process group reach the child by themselves.
    """

    def __init__(self) -> None:
        self._witness: GroupWitness | None = None
        self._came: list[int] = []
        self._early: list[int] = []
        self._mask: list[int] | None = None
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> None:
        for number in _FORWARDED:
            # The child inherits that a signal is ignored (as by nohup), but no handler.
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._handlers[number] = signal.signal(number, self._on_signal)
        if os.name == "posix":
            self._witness = GroupWitness(list(self._handlers))

    def wait_for_child(self) -> list[int]:
        """Hold signals back until `wait`, in the child until it sets the mask that is returned."""
        if self._witness is None:
            return []
        self._mask = sorted(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, self._handlers)))
        # There is no child yet that could have got them.
        pending = signal.sigpending().intersection(self._handlers)
        self._early = [*self._came, *map(int, pending)]
        return self._mask

    def wait(self, child: subprocess.Popen[bytes]) -> int:
        """Forward signals to this child, also those that have arrived before, until its end.

        When several signals come at once, the system lets any thread handle them, and to wait for a
        process would go on in this one.

        Returns:
            Its exit code.
        """
        if self._witness is None:
            # Windows sends Ctrl+C to every process of the console, and has nothing to forward.
            return child.wait()
        read, write = os.pipe()
        for end in (read, write):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        self._handlers[signal.SIGCHLD] = signal.signal(signal.SIGCHLD, lambda *_: None)
        if self._mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
        try:
            while child.poll() is None:
                self._forward(child, self._witness)
                select.select([read], [], [])
                os.read(read, 4096)
            return child.wait()
        finally:
            signal.set_wakeup_fd(-1)
            os.close(read)
            os.close(write)

    def __exit__(self, *error: object) -> None:
        if self._mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        if self._witness is not None:
            self._witness.close()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        # Not forwarded here: the handlers of signals that come together run one after another, and
        # the witness tells of all of them at once.
        self._came.append(number)

    def _forward(self, child: subprocess.Popen[bytes], witness: GroupWitness) -> None:
        while self._came:
            for_all = witness.noted()
            # After the answer: what the witness took for one has come here as two by now.
            came = self._came[:]
            del self._came[: len(came)]
            for number in came:
                if number in self._early:
                    self._early.remove(number)
                    child.send_signal(number)
                elif number not in for_all:
                    child.send_signal(number)


def end_like(code: int) -> int:
    """End this process like a child that has ended with this code.

    Returns:
        The exit code for this process; it does not return if a signal killed the child and kills
        this process too.
    """
    if code >= 0:
        return code
    if hasattr(signal, "pthread_sigmask"):
        import resource

        # The child has left the core file, if any.
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    # By convention 128 plus the number of the signal.
    return 128 - code
