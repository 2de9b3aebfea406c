"""The lock of the second process on a trace, for which others wait once its run is over.

A run may be killed while that process still writes what was handed over.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from pathlib import Path
from struct import Struct

from gradviz.store.written_files import is_written_here, reraise_asynchronous

if sys.platform == "linux":
    import fcntl

_MOST_S = 10.0
_BETWEEN_S = 0.002
# From <fcntl.h> of Linux: type, beginning of the range, its first byte, its length, process.
_LOCK = Struct("hhqqi0q")
_FIRST = 1 << 62
"""Of the locked bytes, far behind those that SQLite locks: two for each process."""
_MOST_PROCESSES = 1 << 32

own_running_traces: set[tuple[int, int]] = set()
"""Traces, by device and inode, that record this process: to wait for their end would block it."""


def lock_trace(descriptor: int, run: int, *, starting: bool = False) -> None:
    """Lock a trace until a descriptor and its copies are closed.

    Args:
        descriptor: The trace, open for writing.
        run: The process whose run is in it.
        starting: Lock it for a process that is about to start and inherits the descriptor, so that
            a reader knows of it before it has the trace and its own lock.

    Raises:
        OSError: If that is not possible.
    """
    if sys.platform != "linux":
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))
    place = _FIRST + run + _MOST_PROCESSES * starting
    # Unlike others, such a lock stays when SQLite or Python closes the file once.
    fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _LOCK.pack(fcntl.F_WRLCK, 0, place, 1, 0))


def wait_for_writer(path: Path, *, unless: bool = False) -> None:
    """Wait until a run that is over is in its trace as a whole, at most 10 seconds.

    Args:
        path: The trace.
        unless: Whether to return at once.
    """
    if unless:
        return
    until = time.monotonic() + _MOST_S
    while (run := _locked_for(path)) is not None and time.monotonic() < until:
        if run != os.getpid() and _is_alive(run):
            return
        time.sleep(_BETWEEN_S)


def _locked_for(path: Path) -> int | None:
    """The process of the run for which a second process still writes a trace; None if none does."""
    if sys.platform != "linux" or not path.is_file() or is_written_here(path):
        return None
    try:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            asked = _LOCK.pack(fcntl.F_RDLCK, 0, _FIRST, 2 * _MOST_PROCESSES, 0)
            found = _LOCK.unpack(fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, asked))
            place = os.fstat(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        reraise_asynchronous(error)
        return None
    if found[0] == fcntl.F_UNLCK or (place.st_dev, place.st_ino) in own_running_traces:
        return None
    return int(found[2]) % _MOST_PROCESSES


def _is_alive(process: int) -> bool:
    try:
        # The state follows the name, which may contain anything.
        state = Path(f"/proc/{process}/stat").read_text(errors="replace").rpartition(")")[2]
    except OSError as error:
        reraise_asynchronous(error)
        return False
    # A process that has ended stays until its parent has noticed.
    return state.split()[0] not in "ZX"
