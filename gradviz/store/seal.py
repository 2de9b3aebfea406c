"""Turns a trace that nobody writes any more into one single file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from gradviz.store.errors import TraceError
from gradviz.store.header import read_header, remove_logs


def seal(path: Path) -> None:
    """Moves the write-ahead log into the file, so that the file alone is the whole trace.

    Works for a trace whose writer died, too.

    Raises:
        TraceError: If it is no trace, or somebody still has it open.
    """
    header = read_header(path)
    if not header.uses_wal and not header.has_wal:
        return
    try:
        connection = sqlite3.connect(path, isolation_level=None, timeout=2)
        try:
            (mode,) = connection.execute("PRAGMA journal_mode = delete").fetchone()
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise TraceError(f"{path} cannot be made a single file: {error}.") from None
    if mode != "delete":
        raise TraceError(f"{path} cannot be made a single file while it is open elsewhere.")


def save_copy(source: Path, target: Path) -> None:
    """Writes a sealed copy of a trace, which may still be open for reading or writing.

    Args:
        source: The trace.
        target: The copy; replaced where it exists.

    Raises:
        TraceError: If the source is no trace or the target cannot be written.
    """
    read_header(source)
    partial = target.with_name(target.name + ".part")
    try:
        partial.unlink(missing_ok=True)
        reading = sqlite3.connect(source)
        writing = sqlite3.connect(partial)
        try:
            reading.backup(writing)
            writing.execute("PRAGMA journal_mode = delete")
        finally:
            reading.close()
            writing.close()
        remove_logs(target)
        partial.replace(target)
    except (sqlite3.Error, OSError) as error:
        partial.unlink(missing_ok=True)
        raise TraceError(f"{target} cannot be written: {error}.") from None
