"""Turn a finished trace into a single file without a log."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import suppress
from pathlib import Path

# By name, because user code may replace the function in the module.
from sqlite3 import connect

from gradviz.catalogue.messages import say
from gradviz.store.errors import TraceError
from gradviz.store.header import aside_path, new_path, read_header, remove_logs
from gradviz.store.output_lock import output_locked
from gradviz.store.writer_lock import wait_for_writer


def finalize_trace(path: Path) -> None:
    """Move the write-ahead log into the file, so that it alone is the whole trace.

    This also works if the writer died. If a window has the trace open, an empty log may remain.

    Raises:
        TraceError: If the file is not a trace, or another process is still writing to it.
    """
    wait_for_writer(path)
    try:
        is_in_use = _merge_log(path)
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL:
            _write_again(path)
            return
        raise TraceError(say("trace.not_single", path=path, reason=error)) from None
    if is_in_use:
        raise TraceError(say("trace.in_use", path=path))


def _merge_log(path: Path) -> bool:
    """Move the log into the file; return whether another process keeps it from being whole."""
    header = read_header(path)
    if not header.uses_wal and not header.has_log:
        return False
    connection = connect(path, isolation_level=None, timeout=2)
    try:
        # Takes back what a killed writer has left half written, if there is a rollback journal.
        connection.execute("PRAGMA schema_version")
        # Also possible while a window has the trace open, unlike leaving write-ahead mode.
        (busy, *_) = connection.execute("PRAGMA wal_checkpoint(truncate)").fetchone()
        with suppress(sqlite3.OperationalError):
            connection.execute("PRAGMA journal_mode = delete")
    finally:
        connection.close()
    return bool(busy)


def _write_again(path: Path) -> None:
    """Write the trace anew, because a full disk has no room for its log and for what is in it.

    The copy in between is in the folder for temporary files, and stays there if it is all that is
    left of the trace.
    """
    folder = Path(tempfile.mkdtemp(prefix="gradviz-"))
    copy = folder / path.name
    try:
        save_copy(path, copy)
    except TraceError:
        shutil.rmtree(folder)
        raise
    aside = new_path(path)
    _link(path, copy)
    remove_logs(path)
    try:
        aside.touch(exist_ok=False)
        shutil.copyfile(copy, aside)
        aside.replace(path)
    except OSError as error:
        aside.unlink(missing_ok=True)
        path.unlink(missing_ok=True)
        sentence = say("trace.moved", path=path, copy=copy, reason=error.strerror)
        raise TraceError(sentence) from None
    shutil.rmtree(folder)


def _link(path: Path, copy: Path) -> None:
    """Free the space of a trace; until it is written again, its path leads to the copy."""
    aside = new_path(path)
    try:
        aside.symlink_to(copy)
        aside.replace(path)
    except OSError:
        # Windows lets few users create links.
        aside.unlink(missing_ok=True)
        path.unlink()


def replace_trace(source: Path, target: Path) -> None:
    """Move a single-file trace to a path, where an older trace stays whole until it is replaced.

    Raises:
        OSError: If the file cannot be moved.
    """
    wait_for_writer(target)
    # If this process dies after the log is removed, the older trace must not need it. One that is
    # damaged, or whose log does not fit on the disk, is replaced all the same.
    with suppress(TraceError, sqlite3.Error):
        _merge_log(target)
    remove_logs(target)
    source.replace(target)


def save_copy(source: Path, target: Path) -> None:
    """Write a single-file copy of a trace, even while it is being read or written.

    Args:
        source: The trace.
        target: Path of the copy; an existing file is replaced.

    Raises:
        TraceError: If the source is not a trace, or the target cannot be written or is being
            written by another process.
    """
    read_header(source)
    with output_locked(target):
        _copy_to(target, source)


def _copy_to(target: Path, source: Path) -> None:
    # Renamed at the end, so that a failure leaves an existing file intact.
    partial = aside_path(target)
    try:
        # SQLite does not say why it cannot create a file.
        partial.touch(exist_ok=False)
        reading = connect(source)
        writing = connect(partial)
        try:
            # Unlike a copy of the file, this includes what is only in the write-ahead log.
            reading.backup(writing)
            writing.execute("PRAGMA journal_mode = delete")
        finally:
            reading.close()
            writing.close()
        replace_trace(partial, target)
    except (sqlite3.Error, OSError) as error:
        with suppress(OSError):
            partial.unlink()
        reason = getattr(error, "strerror", None) or error
        raise TraceError(say("file.not_written", path=target, reason=reason)) from None
