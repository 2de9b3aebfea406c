"""Locks that keep two recordings from writing the same trace.

The system releases a lock when its process ends, however it ends. The file beside the trace that
carries the lock can stay behind then; the next recording of that trace removes it.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISREG

from gradviz.catalogue.messages import say
from gradviz.store.errors import TraceError
from gradviz.store.header import find_stale_files, refuse_special

_SUFFIX = "-lock"
_MOST_DIGITS = 20
"""Of the number of a process."""

# A link would lead to a file that is not ours, and opening a pipe might wait for its other end.
_OPEN = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)

_held: dict[Path, int] = {}
"""Descriptors of this process's locks. A lock does not exclude the process that holds it."""
_guard = threading.Lock()


def lock_output(path: Path) -> None:
    """Lock a trace for writing, and remove what killed recordings of it left beside it.

    Where the file system has no locks, this does nothing.

    Raises:
        TraceError: If it is locked, with the process that writes it, or if it cannot be written.
    """
    place = _place_of(path)
    refuse_special(path)
    with _guard:
        if place in _held:
            raise TraceError(say("trace.locked", path=path, process=os.getpid()))
        descriptor = _open_locked(place, path)
        if descriptor is None:
            return
        _held[place] = descriptor
    # A full disk has no room for the number.
    with suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, str(os.getpid()).encode())
    for each in find_stale_files(path):
        # One that cannot be removed is in the way of no other name.
        with suppress(OSError):
            each.unlink()


def unlock_output(path: Path) -> None:
    """Release the lock of a trace; does nothing if this process has none."""
    place = _place_of(path)
    with _guard:
        descriptor = _held.pop(place, None)
        if descriptor is not None:
            _remove(place, descriptor)


@contextmanager
def output_locked(path: Path) -> Iterator[None]:
    """Lock a trace for writing inside of a ``with`` block.

    Raises:
        TraceError: If it is locked, with the process that writes it.
    """
    lock_output(path)
    try:
        yield
    finally:
        unlock_output(path)


def _place_of(path: Path) -> Path:
    folder = Path(os.path.realpath(path.absolute().parent))
    return folder / (path.name + _SUFFIX)


def _open_locked(place: Path, path: Path) -> int | None:
    while True:
        try:
            descriptor = os.open(place, _OPEN, 0o666)
        except OSError as error:
            if isinstance(error, PermissionError) and os.path.exists(place):
                # A killed process of another user has left it.
                return None
            # Where this file cannot be created, the trace and its log cannot be either.
            key = "trace.other_lock" if os.path.islink(place) else "file.not_written"
            raise TraceError(say(key, path=path, reason=error.strerror, lock=place.name)) from None
        if not _is_lock(descriptor):
            os.close(descriptor)
            raise TraceError(say("trace.other_lock", path=path, lock=place.name))
        if (is_free := _try_lock(descriptor)) and _is_at(place, descriptor):
            return descriptor
        holder = "" if is_free else _read(descriptor)
        os.close(descriptor)
        if is_free is None:
            return None
        if not is_free:
            key = "trace.locked" if holder else "trace.locked.unknown"
            raise TraceError(say(key, path=path, process=holder))
        # Its holder has removed it after we opened it.


def _is_lock(descriptor: int) -> bool:
    """Whether an open file is one that only gradviz can have made, which may be overwritten."""
    found = os.fstat(descriptor)
    # A file with a second name is someone's, too.
    if not S_ISREG(found.st_mode) or found.st_nlink > 1 or found.st_size > _MOST_DIGITS:
        return False
    return not found.st_size or _read(descriptor) != ""


def _is_at(place: Path, descriptor: int) -> bool:
    try:
        return os.path.samestat(os.stat(place), os.fstat(descriptor))
    except OSError:
        return False


def _read(descriptor: int) -> str:
    most = _MOST_DIGITS
    text = os.pread(descriptor, most, 0) if hasattr(os, "pread") else os.read(descriptor, most)
    return text.decode("ascii", "replace") if text.isdigit() else ""


if sys.platform == "win32":
    import msvcrt

    _BYTE = 1 << 20
    """Far behind the number, which others read."""

    def _try_lock(descriptor: int) -> bool | None:
        os.lseek(descriptor, _BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True

    def _remove(place: Path, descriptor: int) -> None:
        # Windows removes no file that is open.
        os.close(descriptor)
        with suppress(OSError):
            place.unlink()

else:
    import fcntl

    def _try_lock(descriptor: int) -> bool | None:
        """Whether the lock is free, and now ours; None if the file system has no locks."""
        try:
            # Unlike flock, it is not inherited by forks, which may outlive a killed process.
            fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        except OSError:
            return None
        return True

    def _remove(place: Path, descriptor: int) -> None:
        # As long as we hold the lock, so that it is not the next one's file.
        with suppress(OSError):
            place.unlink()
        os.close(descriptor)
