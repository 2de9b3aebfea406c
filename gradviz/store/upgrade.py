"""Convert traces of older formats to the current one in memory, without changing files."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from gradviz.store import schema
from gradviz.store.bounded_rows import bounded_rows


@contextmanager
def upgraded_trace(connection: sqlite3.Connection, version: int) -> Iterator[sqlite3.Connection]:
    """Provide a database with the records of a trace of format ``version`` in this format.

    It is in memory, unless the trace already has this format. The elements of tensors are not
    copied, because their form has not changed.

    Raises:
        ValueError, sqlite3.Error, RecursionError: If the trace is damaged.
    """
    if version == schema.FORMAT_VERSION:
        yield connection
        return
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as new:
        upgrade_10(connection, new)
        yield new


def upgrade_10(old: sqlite3.Connection, new: sqlite3.Connection) -> None:
    """Convert from format 10, which did not record whether a leaf already had a gradient."""
    schema.create(new)
    new.executemany("INSERT INTO meta VALUES (?, ?)", old.execute("SELECT key, json FROM meta"))
    for name in ("tensor", *schema.KINDS):
        new.executemany(f"INSERT INTO {name} (id, json) VALUES (?, ?)", bounded_rows(old, name))
    new.execute(
        "UPDATE step SET json = json_insert(json, '$[#]', NULL)"
        " WHERE json_array_length(json) = 10 AND json_extract(json, '$[0]') = 'AccumulateStep'"
    )
