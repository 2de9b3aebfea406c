"""Traces whose every text from outside pretends to be something else."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from gradviz.catalogue.visible_text import visible_text
from gradviz.model.codec import decode, encode, hints_of
from gradviz.model.source import SourceFile
from gradviz.model.trace import Origin, Outcome
from gradviz.store import schema
from gradviz.store.row_codec import row_reader, row_text
from tests.fuzz.case import intact_trace

DECEPTIVE = 'F\u202eevil\x1b[31m\n<img src=x>"];'
VISIBLE = visible_text(DECEPTIVE)

_CHECKED = {"dtype", "layout", "device", "seal", "bits", "old_bits", "code", "created"}
"""Fields whose values the reader checks, or that only gradviz writes."""


def deceptive_trace(name: str, path: Path) -> Path:
    """Write a copy of an intact trace with deceptive names, messages and sources.

    Args:
        name: One of `tests.fuzz.case.trace_names`.
        path: Where to write it.
    """
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.deserialize(intact_trace(name))
    for table, kind in {"tensor": schema.TENSOR_KIND, **schema.KINDS}.items():
        read: Any = row_reader(kind)
        rows = connection.execute(f"SELECT rowid, json FROM {table}").fetchall()
        for row, text in rows:
            new = row_text(_deceptive(read(text)))
            connection.execute(f"UPDATE {table} SET json = ? WHERE rowid = ?", (new, row))
    for key, kind in (("origin", Origin), ("outcome", Outcome)):
        query = "SELECT json FROM meta WHERE key = ?"
        for (text,) in connection.execute(query, (key,)).fetchall():
            new = json.dumps(encode(_deceptive(decode(kind, json.loads(text)))))
            connection.execute("UPDATE meta SET json = ? WHERE key = ?", (new, key))
    path.write_bytes(connection.serialize())
    connection.close()
    return path


def _deceptive(value: Any) -> Any:
    if isinstance(value, SourceFile):
        text = value.text.replace("\n", "  # \u202eevil\x1b[31m\n")
        return replace(value, path=value.path + DECEPTIVE, text=text)
    if isinstance(value, tuple):
        return tuple(_deceptive(each) for each in value)
    if not isinstance(value, Struct):
        return value
    changed = {}
    for name, kind in hints_of(type(value)).items():
        old = getattr(value, name)
        is_free = kind is str and name not in _CHECKED
        changed[name] = old + DECEPTIVE if is_free and old else _deceptive(old)
    return replace(value, **changed)
