"""Rows of a file from a stranger, of which SQLite might find any number in a few pages."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

TableRow = tuple[int, Any]
"""Id and content; SQLite stores any type in a column."""


def bounded_rows(
    connection: sqlite3.Connection, table: str, after: int | None = None
) -> Iterator[TableRow]:
    """The rows of a table in order, at most those that the file has room for.

    In a damaged file, several pages can lead to the same one. Its rows would be found again and
    again, for ever if a few pages do so.

    Args:
        connection: A database with the table.
        table: The table.
        after: Id of the row before the first one; None for all rows.

    Raises:
        sqlite3.DatabaseError: If the same row, or more than the file can contain, is found.
    """
    left = file_bytes(connection)
    where = "" if after is None else "WHERE id > ?"
    given = () if after is None else (after,)
    last = after
    for row in connection.execute(f"SELECT id, json FROM {table} {where} ORDER BY id", given):
        number, content = row
        if last is not None and number <= last:
            raise sqlite3.DatabaseError(f"rows of table {table} are found twice")
        last = number
        left -= len(content) if isinstance(content, str | bytes) else 0
        if left < 0:
            raise sqlite3.DatabaseError(f"table {table} has more content than the file")
        yield row


def file_bytes(connection: sqlite3.Connection) -> int:
    """Size of a database, with what is in its log."""
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (page_bytes,) = connection.execute("PRAGMA page_size").fetchone()
    return int(pages) * int(page_bytes)
