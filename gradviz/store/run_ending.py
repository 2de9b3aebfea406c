"""Stores how a run ended if the process that wrote the trace could not do so itself."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from gradviz.model.codec import encode
from gradviz.model.trace import Outcome
from gradviz.store.errors import TraceError
from gradviz.store.header import read_header
from gradviz.store.schema import FORMAT_VERSION
from gradviz.store.text_limit import cut_texts


def store_outcome(path: Path, outcome: Outcome) -> None:
    """Store how a run ended, unless its trace already says so.

    A trace that cannot be written is left as it is; the callers show how the run ended, too.

    Args:
        path: The trace, which no process is writing.
        outcome: How the run ended.
    """
    text = json.dumps(encode(cut_texts(outcome)))
    try:
        if read_header(path).version != FORMAT_VERSION:
            return
        with closing(sqlite3.connect(path, isolation_level=None, timeout=2)) as connection:
            connection.execute("INSERT OR IGNORE INTO meta VALUES ('outcome', ?)", (text,))
    except (sqlite3.Error, TraceError):
        return
