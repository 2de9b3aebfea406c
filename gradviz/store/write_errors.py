"""The errors of a trace that cannot be written, under the name that was asked for."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from gradviz.catalogue.messages import say
from gradviz.store.errors import TraceError
from gradviz.store.header import final_path

# SQLite's names for a write past RLIMIT_FSIZE, to the file or its log.
_CUT_WRITES = ("SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE", "SQLITE_FULL")
_DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
"""Beginnings of SQLite's names for what it finds in a file that it has not written so."""


def changed_error(path: Path) -> TraceError:
    """The error of a trace that the run or another process has changed."""
    return TraceError(say("file.changed", path=final_path(path)))


def not_written_error(path: Path, reason: sqlite3.Error | OSError | str) -> TraceError:
    """The error of a trace that cannot be written, with its reason; a limit is named."""
    limit = _file_size_limit()
    if limit is not None and getattr(reason, "sqlite_errorname", "") in _CUT_WRITES:
        text = say("file.size_limit", limit=limit)
    else:
        text = str(getattr(reason, "strerror", None) or reason)
    return TraceError(say("file.not_written", path=final_path(path), reason=text))


def failed_write_error(path: Path, error: sqlite3.Error | OSError) -> TraceError:
    """The error of a trace that was intact when it was opened."""
    is_damaged = getattr(error, "sqlite_errorname", "").startswith(_DAMAGE)
    return changed_error(path) if is_damaged else not_written_error(path, error)


def _file_size_limit() -> int | None:
    """Bytes that this process may write to a file; None if there is no limit."""
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return None
    limit = int(resource.getrlimit(resource.RLIMIT_FSIZE)[0])
    return None if limit == resource.RLIM_INFINITY else limit
