"""Check the first bytes of a trace file before SQLite opens it."""

from __future__ import annotations

import errno
import os
import re
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR, S_ISREG

from msgspec import Struct

from gradviz.catalogue.messages import say
from gradviz.store.errors import TraceError

APPLICATION_ID = 0x67_72_61_64  # "grad"
FORMAT_VERSION = 11

# Offsets from https://www.sqlite.org/fileformat.html, section 1.3.
_MAGIC = b"SQLite format 3\x00"
HEADER_BYTES = 100
_PAGE_SIZE = slice(16, 18)
_READ_VERSION = 19
_PAGE_COUNT = slice(28, 32)
_USER_VERSION = slice(60, 64)
_APPLICATION_ID = slice(68, 72)

TraceStamp = tuple[tuple[int, int], ...]
"""Size and time of each of a trace's files; another stamp means another content."""


class TraceHeader(Struct, frozen=True, kw_only=True):
    """Contents of the first bytes of a trace file.

    Attributes:
        uses_wal: Whether the file was left in write-ahead mode, so that it may be incomplete.
        has_log: Whether a log exists next to it, without which it is not whole: a write-ahead log,
            or the rollback journal that a killed writer left where processes cannot share memory.
    """

    uses_wal: bool
    has_log: bool


def wal_path(path: Path) -> Path:
    """Path of SQLite's write-ahead log for a database."""
    return path.with_name(path.name + "-wal")


def journal_path(path: Path) -> Path:
    """Path of SQLite's rollback journal for a database."""
    return path.with_name(path.name + "-journal")


# No user has files of such names, so that those of killed processes can be removed.
_ASIDE = r"\.\d+\.gradviz-part"


def aside_path(path: Path) -> Path:
    """Path of the new file that replaces a trace once this process has written it."""
    return path.with_name(f"{path.name}.{os.getpid()}.gradviz-part")


def new_path(path: Path) -> Path:
    """Path of a file that this process writes and then moves to a path."""
    return path.with_name(f"{path.name}.{os.getpid()}.gradviz-new")


def final_path(path: Path) -> Path:
    """Path of the trace that a new file of `aside_path` replaces; any other path is returned."""
    return path.with_name(re.sub(f"{_ASIDE}$", "", path.name))


def refuse_special(path: Path) -> None:
    """Refuse to write to what is no regular file.

    Raises:
        TraceError: If it is a pipe, a device or a folder.
    """
    try:
        mode = path.stat().st_mode
    except OSError:
        # Whoever writes it says why.
        return
    if not S_ISREG(mode):
        reason = os.strerror(errno.EISDIR) if S_ISDIR(mode) else say("file.not_regular")
        raise TraceError(say("file.not_written", path=path, reason=reason))


def failure_path(path: Path) -> Path:
    """Path of an empty file by which a child process says that it could not write a trace."""
    return path.with_name(f"{path.name}.gradviz-failed")


def find_stale_files(path: Path) -> list[Path]:
    """Files that killed recordings left beside a trace.

    Those of a recording that is still running have the same names: lock the trace first.
    """
    made = r"\.\d+\.gradviz-new|\.gradviz-failed"
    logs = "-wal|-shm|-journal"
    ending = rf"({_ASIDE}|({_ASIDE})?({made}))({logs})?"
    name = path.name
    try:
        beside = [
            each
            for each in path.absolute().parent.iterdir()
            if each.name.startswith(name) and each.name != name
        ]
    except OSError:  # a folder that cannot be listed
        return []
    return [each for each in beside if re.fullmatch(ending, each.name.removeprefix(name))]


def trace_stamp(path: Path) -> TraceStamp:
    """Size and time of a trace and its log; empty if it is missing."""
    try:
        found = [path.stat()]
    except OSError:
        return ()
    # There is no log before the first record and after the end.
    with suppress(OSError):
        found.append(wal_path(path).stat())
    return tuple((each.st_size, each.st_mtime_ns) for each in found)


def remove_logs(path: Path) -> None:
    """Remove log files that a dead writer left next to a file of this name.

    SQLite would otherwise replay such a log into a new file.
    """
    for ending in ("-wal", "-shm", "-journal"):
        path.with_name(path.name + ending).unlink(missing_ok=True)


def is_database(path: Path) -> bool:
    """Whether a file is a database of SQLite, as traces are.

    Raises:
        OSError: If it cannot be read.
    """
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def trace_bytes(data: bytes) -> int:
    """Size of a trace by its first `HEADER_BYTES`; 0 if they are not those of a trace."""
    is_trace = int.from_bytes(data[_APPLICATION_ID], "big") == APPLICATION_ID
    return _declared_bytes(data) if data.startswith(_MAGIC) and is_trace else 0


def _declared_bytes(data: bytes) -> int:
    page_bytes = int.from_bytes(data[_PAGE_SIZE], "big")
    # 1 stands for the largest, which has no place in two bytes.
    return (page_bytes if page_bytes > 1 else 1 << 16) * int.from_bytes(data[_PAGE_COUNT], "big")


def read_header(path: Path, *, whole: bool = True) -> TraceHeader:
    """Read and check the header.

    Args:
        path: Path of the file.
        whole: Whether to refuse a file whose end is missing.

    Raises:
        TraceError: If the file does not exist, is not a trace, or has a newer or too old format.
    """
    try:
        if not path.is_dir():
            _content_bytes(path, needed=True)
        # Only now, as SQLite would open what is beside it.
        has_log = sum(map(_content_bytes, (wal_path(path), journal_path(path)))) > 0
        with path.open("rb") as file:
            data = file.read(HEADER_BYTES)
            # Of the open file, as its name may be removed meanwhile.
            size = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise TraceError(say("file.unreadable", path=path, reason=error.strerror)) from None
    if len(data) < HEADER_BYTES or not data.startswith(_MAGIC):
        raise TraceError(say("trace.other_file", path=path))
    if int.from_bytes(data[_APPLICATION_ID], "big") != APPLICATION_ID:
        raise TraceError(say("trace.other_database", path=path))
    version = int.from_bytes(data[_USER_VERSION], "big")
    if version > FORMAT_VERSION:
        raise TraceError(say("trace.newer", path=path, version=version, newest=FORMAT_VERSION))
    if version < 1:
        raise TraceError(say("trace.no_version", path=path))
    if version < FORMAT_VERSION:
        raise TraceError(say("trace.too_old", path=path, version=version, known=FORMAT_VERSION))
    # While a log is moved into the file, the file is briefly shorter than its header says.
    if whole and not has_log and size < _declared_bytes(data):
        raise TraceError(say("trace.no_end", path=path))
    return TraceHeader(uses_wal=data[_READ_VERSION] == 2, has_log=has_log)


def _content_bytes(path: Path, *, needed: bool = False) -> int:
    """Size of a file of a trace; 0 if it may be missing, and is.

    Raises:
        OSError: If it is missing.
        TraceError: If it is a pipe, of which opening would wait for the other end, or a device.
    """
    try:
        found = path.stat()
    except OSError:
        if needed:
            raise
        return 0
    if not S_ISREG(found.st_mode):
        raise TraceError(say("file.unreadable", path=path, reason=say("file.not_regular")))
    return found.st_size
