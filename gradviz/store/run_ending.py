"""Stores how a run ended if the process that wrote the trace could not do so itself."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from gradviz.model.trace import Outcome
from gradviz.store.errors import TraceError
from gradviz.store.header import read_header
from gradviz.store.row_codec import any_text
from gradviz.store.writer_lock import wait_for_writer


def store_outcome(path: Path, outcome: Outcome) -> None:
    """Store how a run ended, unless its trace already says so.

    A trace that cannot be written is left as it is; the callers show how the run ended, too.

    Args:
        path: The trace, which no process is writing.
        outcome: How the run ended.
    """
    wait_for_writer(path)
    # Without this mode, SQLite creates a file where there is none.
    uri = f"file:{quote(os.fsencode(path.absolute()))}?mode=rw"
    text = any_text(outcome)
    try:
        read_header(path)
        connection = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=2)
        with closing(connection):
            connection.execute("INSERT OR IGNORE INTO meta VALUES ('outcome', ?)", (text,))
    except (sqlite3.Error, TraceError):
        return
