"""One damaged trace, as the changes that were made to an intact one."""

from __future__ import annotations

import json
import lzma
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Self

from gradviz.store.header import wal_path

TRACES = Path(__file__).parents[1] / "data" / "fuzz"
"""Intact traces, compressed; ``python -m tests.fuzz --record`` records them again."""

Change = tuple[Any, ...]
"""What is done to a trace, from its first entry on:

``("sql", statement, parameters)``; ``("write", offset, bytes)``; ``("zero", offset, count)``;
``("cut", length)``; ``("log", bytes)`` for a write-ahead log beside it.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzCase:
    """An intact trace by name, and the changes to it, in order."""

    trace: str
    changes: tuple[Change, ...]

    def to_json(self) -> str:
        """Text in which long runs of one character are short."""
        return json.dumps({"trace": self.trace, "changes": self.changes}, default=_pack)

    @classmethod
    def from_json(cls, text: str) -> Self:
        found = json.loads(text, object_hook=_unpack)
        return cls(trace=found["trace"], changes=tuple(map(tuple, found["changes"])))

    def write(self, path: Path) -> None:
        """Write the damaged trace, and its log if it has one."""
        statements = [change for change in self.changes if change[0] == "sql"]
        data = bytearray(_with_statements(intact_trace(self.trace), statements))
        wal_path(path).unlink(missing_ok=True)
        for kind, *details in self.changes:
            match kind, *details:
                case "write", int(at), bytes(new):
                    data[at : at + len(new)] = new
                case "zero", int(at), int(count):
                    data[at : at + count] = bytes(len(data[at : at + count]))
                case "cut", int(length):
                    del data[length:]
                case "log", bytes(new):
                    wal_path(path).write_bytes(new)
        path.write_bytes(data)


def trace_names() -> list[str]:
    """Names of the intact traces."""
    return sorted(path.name.partition(".")[0] for path in TRACES.glob("*.xz"))


@cache
def intact_trace(name: str) -> bytes:
    """The content of an intact trace."""
    return lzma.decompress((TRACES / f"{name}.gradviz.xz").read_bytes())


def _with_statements(data: bytes, statements: Sequence[Change]) -> bytes:
    if not statements:
        return data
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        connection.deserialize(data)
        for _, statement, parameters in statements:
            connection.execute(statement, parameters)
        return connection.serialize()
    finally:
        connection.close()


def _pack(value: Any) -> Any:
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    raise TypeError(type(value))


def _unpack(found: dict[str, Any]) -> Any:
    return bytes.fromhex(found["hex"]) if found.keys() == {"hex"} else found
