"""Replaces what differs from run to run in a trace: times and folders."""

from __future__ import annotations

import contextlib
import json
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from gradviz.store import schema
from gradviz.store.row_codec import row_reader, row_text

_ROOT = Path(__file__).resolve().parents[2]

_MOMENTS = {"created": '"2026-01-01T00:00:00+00:00"', "duration_ns": "1000000"}
_CLOCK = re.compile(r'"(created|duration_ns)": ?(?:"[^"]*"|\d+)')

_TIMES = {"started_ns": 0, "duration_ns": 1_000_000}


def make_steady(trace: Path) -> None:
    """Let a trace be as if it had been recorded at one moment, in one folder, in equal times."""
    folders = (trace.parent, "/home/user/programs"), (_ROOT, "/home/user/gradviz")
    named = {json.dumps(str(folder))[1:-1]: name for folder, name in folders}

    def placed(text: str) -> str:
        for folder, name in named.items():
            text = text.replace(folder, name)
        return _CLOCK.sub(lambda found: f'"{found[1]}": {_MOMENTS[found[1]]}', text)

    with contextlib.closing(sqlite3.connect(trace)) as connection, connection:
        for table in ("meta", "tensor", *schema.KINDS):
            change = _timed(schema.KINDS[table], placed) if table in _HAVE_TIMES else placed
            connection.create_function("steady", 1, change, deterministic=True)
            connection.execute(f"UPDATE {table} SET json = steady(json)")


_HAVE_TIMES = ("step", "inside", "report")


def _timed(kind: Any, placed: Callable[[str], str]) -> Callable[[str], str]:
    read = row_reader(kind)
    return lambda text: row_text(_without_times(read(placed(text))))


def _without_times(value: Any) -> Any:
    """Equal times in place of those of a record and of the records in it."""
    if isinstance(value, tuple):
        return tuple(_without_times(each) for each in value)
    if not isinstance(value, Struct):
        return value
    members = {name: getattr(value, name) for name in value.__struct_fields__}
    return replace(
        value, **{name: _TIMES.get(name, _without_times(each)) for name, each in members.items()}
    )
