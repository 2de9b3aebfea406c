"""A child process with its pipes, process group and descendants."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import site
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import psutil

from gradviz.catalogue.language import language_variables

WORKER = (sys.executable, "-P", "-m", "gradviz.worker")
"""Command of a worker; -P keeps it from importing a ``types.py`` in the working directory."""

_ROOT = Path(__file__).resolve().parents[2]
_POSIX = os.name == "posix"
_MARK = "GRADVIZ_CHILD"
_numbers = itertools.count(1)


def environment() -> dict[str, str]:
    """Environment variables of a child: ours, without Qt's; language and path of this package."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("QT_", "QML"))}
    # Text in Python's buffer would be lost when the process is killed.
    kept["PYTHONUNBUFFERED"] = "1"
    kept |= language_variables()
    # Unlike `Path.resolve`, this does not raise where a folder of packages has been damaged.
    installed = {os.path.realpath(each) for each in (*site.getsitepackages(), *_user_site())}
    if str(_ROOT) not in installed:
        old = kept.get("PYTHONPATH")
        # Last, so that nothing in our folder hides a module on the user's path.
        kept["PYTHONPATH"] = os.pathsep.join([old, str(_ROOT)] if old else [str(_ROOT)])
    return kept


def _user_site() -> tuple[str, ...]:
    return (site.getusersitepackages(),) if site.ENABLE_USER_SITE else ()


def spawn(command: Sequence[str], variables: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start a program with unbuffered pipes, in its own session where the system has sessions."""
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        env=variables,
        cwd=_working_directory(),
        start_new_session=_POSIX,
    )


def _working_directory() -> str | None:
    """None for this process's, unless it was removed: torch cannot be imported in it then."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return tempfile.gettempdir()
    return None


def count_oom_kills() -> int | None:
    """How many processes this machine has killed because memory ran out; None if unknown."""
    with contextlib.suppress(OSError, StopIteration):
        lines = Path("/proc/vmstat").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("oom_kill ")).split()[1])
    return None


def _proportional_bytes(process: psutil.Process) -> int:
    """Resident memory of a process, with its share of what several processes use."""
    try:
        full = process.memory_full_info()
    except psutil.AccessDenied:  # it has changed its user
        return int(process.memory_info().rss)
    return int(getattr(full, "pss", full.rss))


class Process:
    """A child process that leads its own process group.

    Raises:
        OSError: If the program cannot be started.
    """

    def __init__(self, command: Sequence[str] = WORKER) -> None:
        self._mark = f"{os.getpid()}-{next(_numbers)}"
        self._popen = spawn(command, {**environment(), _MARK: self._mark})
        self._family: dict[int, psutil.Process] = {}
        self._counted_twice = 0
        self._pipes = (self._popen.stdin, self._popen.stdout, self._popen.stderr)
        self._stdin, self.stdout, self.stderr = (
            pipe.fileno() for pipe in self._pipes if pipe is not None
        )

    @property
    def pid(self) -> int:
        """Process id, which is also the id of its process group."""
        return self._popen.pid

    def send(self, data: bytes) -> None:
        """Write to the child's stdin; errors are ignored if the child is gone."""
        view = memoryview(data)
        with contextlib.suppress(OSError):
            while view:
                view = view[os.write(self._stdin, view) :]

    def has_ended(self) -> bool:
        """Whether the child has exited; its process id stays reserved until `kill`."""
        if not hasattr(os, "waitid"):
            return self._popen.poll() is not None
        if self._popen.returncode is not None:
            return True
        # WNOWAIT leaves the child a zombie, so that its process id cannot be reused yet.
        flags = os.WEXITED | os.WNOHANG | os.WNOWAIT
        try:
            return os.waitid(os.P_PID, self.pid, flags) is not None
        except ChildProcessError:  # another thread has waited for it
            return True

    def is_suspended(self) -> bool:
        """Whether a signal has suspended the child or the process that it runs the code in."""
        try:
            child = psutil.Process(self.pid)
            return any(
                each.status() == psutil.STATUS_STOPPED for each in (child, *child.children())
            )
        except psutil.Error:
            return False

    def request_stacks(self) -> bool:
        """Make faulthandler write the child's stacks to stderr, even if Python is stuck."""
        if not hasattr(signal, "SIGUSR1") or self.has_ended():
            return False
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGUSR1)
        return True

    def memory_bytes(self, limit: int | None, *, whole_family: bool) -> int:
        """Memory of the child and its descendants.

        Above the limit, memory that they share counts once (on Linux). Below, it counts for each of
        them, because the system takes milliseconds per gigabyte to find what is shared.

        Args:
            limit: The limit for this memory in bytes.
            whole_family: Whether to search for new descendants, which takes milliseconds, and for
                what they share now; otherwise only those already known are counted.
        """
        if whole_family:
            self._look_for_family()
        resident = self._sum_memory(lambda each: each.memory_info().rss)
        if limit is None or resident <= limit:
            return resident
        if whole_family or resident - self._counted_twice > limit:
            self._counted_twice = resident - self._sum_memory(_proportional_bytes)
        return resident - self._counted_twice

    def _sum_memory(self, measure: Callable[[psutil.Process], int]) -> int:
        total = 0
        for each in list(self._family.values()):
            try:
                total += measure(each)
            except psutil.Error:
                self._family.pop(each.pid, None)
        return total

    def kill(self) -> int:
        """Kill the child, its group and its descendants; return the child's exit code."""
        # Before the kill: children of a dead process are no longer found below it.
        self._look_for_family()
        if _POSIX:
            # Nobody has waited for the child yet, so its group id cannot have been reused.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        else:
            self._popen.kill()
        # Those that called setsid have left the group.
        for each in self._family.values():
            with contextlib.suppress(psutil.Error):
                each.kill()
        return self._popen.wait()

    def kill_orphans(self) -> None:
        """Kill descendants that left the group and lost their parents, found by our mark."""
        # Orphans have another parent and perhaps another group; only the environment is left.
        for each in psutil.process_iter():
            with contextlib.suppress(psutil.Error, OSError):
                if each.environ().get(_MARK) == self._mark:
                    each.kill()

    def close(self) -> None:
        """Close our ends of the pipes; no thread may be reading from them."""
        for pipe in self._pipes:
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def _look_for_family(self) -> None:
        # Known descendants are kept: after its parent dies, one is no longer found below us.
        try:
            child = psutil.Process(self.pid)
            found = [child, *child.children(recursive=True)]
        except psutil.Error:
            return
        for each in found:
            self._family.setdefault(each.pid, each)
