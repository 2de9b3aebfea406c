"""Copies a trace that is still being recorded as it is at one moment."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from gradviz.catalogue.messages import say
from gradviz.store.errors import TraceError
from gradviz.store.header import journal_path, wal_path

_PREFIX = "gradviz-window-trace-"
"""Begins like the folders of windows, which remove those of killed processes."""

_ATTEMPTS = 3
_LOG_HEADER = 32
"""Size of a log's header, which changes whenever the log starts again from its beginning."""


def snapshot_of(path: Path) -> tuple[TemporaryDirectory[str], Path]:
    """Copy a trace and its log into a temporary folder, which the caller removes.

    SQLite reads a log only in a folder where it can write, and together with its writer only on the
    same machine. The copy can also be read where a recording is in a shared or read-only folder.
    What a killed writer has left half written is taken back in the copy, by its rollback journal.

    Returns:
        The folder, and the path of the copy.

    Raises:
        TraceError: If the trace cannot be copied, or the log started again during each attempt.
    """
    folder = TemporaryDirectory(prefix=_PREFIX)
    copy = Path(folder.name) / "trace.gradviz"
    try:
        for _ in range(_ATTEMPTS):
            before = _state(path)
            _copy(path, copy)
            if _state(path) == before:
                _roll_back(copy)
                return folder, copy
        reason = say("trace.changing")
    except (OSError, sqlite3.Error) as error:
        reason = str(error)
    folder.cleanup()
    raise TraceError(say("file.unreadable", path=path, reason=reason))


def _copy(path: Path, copy: Path) -> None:
    # First, as its writer keeps in the journal what it overwrites.
    shutil.copyfile(path, copy)
    for log in (wal_path, journal_path):
        log(copy).unlink(missing_ok=True)
        # There is none any more if the recording has just ended.
        with suppress(FileNotFoundError):
            shutil.copyfile(log(path), log(copy))


def _roll_back(copy: Path) -> None:
    if journal_path(copy).exists():
        with closing(sqlite3.connect(copy)) as connection:
            # SQLite does so with the first read of a connection that may write.
            connection.execute("PRAGMA schema_version")


def _state(path: Path) -> tuple[int, int, bytes]:
    """What changes when the writer moves its log into the trace; more rows change only the log."""
    found = path.stat()
    log = b""
    with suppress(FileNotFoundError), wal_path(path).open("rb") as file:
        log = file.read(_LOG_HEADER)
    return found.st_size, found.st_mtime_ns, log
