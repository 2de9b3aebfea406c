"""Makes damaged traces by chance, the same ones for the same seed."""

from __future__ import annotations

import json
import re
import sqlite3
import struct
from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any

from tests.fuzz.case import Change, FuzzCase, intact_trace, trace_names

Rows = dict[str, list[tuple[Any, str]]]
"""Key and JSON of each row, by table."""

NUMBERS = (
    -1,
    0,
    1,
    2,
    3,
    7,
    64,
    65,
    255,
    20_000,
    2**31 - 1,
    2**31,
    300_000_000,
    2**53,
    2**62,
    2**63 - 1,
)
NUMBERS += (2**63 - 1, 2**63, 2**64, 10**30, -(2**31), -(2**63), -(10**30))
FRACTIONS = (0.5, -0.0, 1e-320, 1e308, float("nan"), float("inf"), float("-inf"), "NaN")
TEXTS = (
    "",
    "\0",
    "\ud800",
    "\x1b[31m",
    "\u202e",
    "a\nb",
    '<img src=x>"];',
    "x" * 1_000,
    "x y " * 50_000,
    "x" * 300_000,
    "\n" * 100_000,
    "NodeStep",
    "preview",
    "bfloat16",
    "complex64",
)
SHAPES = (
    [],
    [0],
    [-1],
    [300_000_000, 0],
    [0, 300_000_000],
    [2**62, 4],
    [1] * 65,
    [0] * 40,
    [2**63],
    [3_000, 3_000],
)
_MOST_REPEATED = 16 << 20
"""Characters of one value that is repeated, as nothing reads a file of 700 MB in 500 MB."""
OTHERS = (None, True, False, [], {}, [[]], {"type": "Node"}, [None], [0, 1])


def case_number(seed: int, number: int) -> FuzzCase:
    """One damaged trace of the endless series that a seed has."""
    chance = Random(f"{seed}/{number}")
    name = chance.choice(trace_names())
    kinds: dict[Callable[[Random, str], Iterator[Change]], int] = {
        _changed_values: 55,
        _changed_tensor: 8,
        _changed_columns: 8,
        _changed_rows: 8,
        _changed_structure: 4,
        _changed_bytes: 17,
        _changed_references: 6,
        _changed_text: 6,
        _foreign_pages: 4,
    }
    kind = chance.choices([*kinds], [*kinds.values()])[0]
    return FuzzCase(trace=name, changes=tuple(kind(chance, name)))


@cache
def _rows(name: str) -> Rows:
    connection = sqlite3.connect(":memory:")
    try:
        connection.deserialize(intact_trace(name))
        tables = connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table'"
        ).fetchall()
        rows = {
            table: connection.execute(f"SELECT {_key(table)}, json FROM {table}").fetchall()
            for (table,) in tables
        }
        return {table: found for table, found in rows.items() if found}
    finally:
        connection.close()


def _key(table: str) -> str:
    return "key" if table == "meta" else "id"


def _some_row(chance: Random, name: str, table: str = "") -> tuple[str, Any, str]:
    rows = _rows(name)
    table = table or chance.choice([*rows])
    return (table, *chance.choice(rows[table]))


def _update(table: str, key: Any, data: Any) -> Change:
    text = json.dumps(data, separators=(",", ":"))
    return ("sql", f"UPDATE {table} SET json = ? WHERE {_key(table)} = ?", (text, key))


def _changed_values(chance: Random, name: str) -> Iterator[Change]:
    """Other values inside of rows."""
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        table, key, text = _some_row(chance, name)
        data = json.loads(text)
        _change_value(chance, data, json.loads(_some_row(chance, name, table)[2]))
        yield _update(table, key, data)


def _change_value(chance: Random, data: Any, other: Any) -> None:
    places = list(_places(data))
    if not places:
        return
    holder, at = chance.choice(places)
    match chance.randrange(8):
        case 0:
            donors = list(_places(other))
            where, key = chance.choice(donors) if donors else (holder, at)
            holder[at] = where[key]
        case 1 if isinstance(holder, list):
            del holder[at]
        case 2 if isinstance(holder, list):
            times = chance.choice((1, 2, 100, 20_000))
            most = _MOST_REPEATED // len(json.dumps(holder[at]))
            holder[at:at] = [holder[at]] * min(times, max(1, most))
        case 3 if isinstance(holder, list):
            to = chance.randrange(len(holder))
            holder[at], holder[to] = holder[to], holder[at]
        case _:
            holder[at] = _hostile(chance, holder[at])


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Every value inside of nested lists and objects, as its holder and its key."""
    for key in (
        range(len(data)) if isinstance(data, list) else [*data] if isinstance(data, dict) else ()
    ):
        yield data, key
        yield from _places(data[key])


def _hostile(chance: Random, value: Any) -> Any:
    """Mostly a value of the same type, since those get further."""
    if chance.random() < 0.2:
        return chance.choice(OTHERS)
    if isinstance(value, bool) or value is None:
        return chance.choice((True, False, None, 0, 1, 5, 2**63))
    if isinstance(value, int):
        return chance.choice((*NUMBERS, value + 1, value - 1, -value))
    if isinstance(value, float):
        return chance.choice((*FRACTIONS, *NUMBERS[:4]))
    if isinstance(value, str):
        return chance.choice((*TEXTS, value + "\u202e", value * 1_000))
    return chance.choice((*SHAPES, *OTHERS))


def _changed_tensor(chance: Random, name: str) -> Iterator[Change]:
    """Another shape, with elements of the length that fits or does not."""
    table, key, text = _some_row(chance, name, "tensor")
    data = json.loads(text)
    shape = chance.choice(SHAPES)
    if chance.random() < 0.3:
        data[1] = chance.choice(("bfloat16", "complex128", "bool", "float8_e5m2", "quint8"))
    data[2] = shape
    data[3] = chance.choice((None, [1] * len(shape), [0] * len(shape)))
    data[9] = chance.choice(("whole", "whole", "preview", "statistics", "metadata"))
    data[10] = [] if data[9] in ("statistics", "metadata") else shape
    data[11] = [] if data[9] != "preview" else [1] * len(shape)
    if data[9] != "whole":
        data[12] = "large"
    yield _update(table, key, data)
    blob = chance.choice((None, b"", bytes(8), bytes(64)))
    yield ("sql", "UPDATE tensor SET data = ? WHERE id = ?", (blob, key))


def _changed_columns(chance: Random, name: str) -> Iterator[Change]:
    """Another number, text or elements of a whole row."""
    table, key, text = _some_row(chance, name)
    where = f"WHERE {_key(table)} = ?"
    match chance.randrange(5):
        case 0 if table != "meta":
            new = chance.choice((-1, 0, 10**6, 2**62, 2**63 - 1))
            yield ("sql", f"UPDATE {table} SET id = ? {where}", (new, key))
        case 1:
            new = chance.choice(
                ("", "{", "null", "1", "[" * 5_000, text + text, text[:-1], b"\xff\x00", b"")
            )
            yield ("sql", f"UPDATE {table} SET json = ? {where}", (new, key))
        case 2:
            other = _some_row(chance, name)[2]
            yield ("sql", f"UPDATE {table} SET json = ? {where}", (other, key))
        case _:
            number = _some_row(chance, name, "tensor")[1]
            blob = chance.choice((None, b"", b"\xff" * 7, bytes(100_000), "text", 5, 0.5))
            some = chance.choice(("id = ?", "id >= ?"))
            yield ("sql", f"UPDATE tensor SET data = ? WHERE {some}", (blob, number))


def _changed_rows(chance: Random, name: str) -> Iterator[Change]:
    """Rows that are missing, in another order, or there twice."""
    table, key, text = _some_row(chance, name)
    column = _key(table)
    match chance.randrange(5):
        case 0:
            yield ("sql", f"DELETE FROM {table} WHERE {column} = ?", (key,))
        case 1:
            yield ("sql", f"DELETE FROM {table} WHERE {column} > ?", (key,))
        case 2:
            yield ("sql", f"DELETE FROM {table}", ())
        case 3 if table != "meta":
            repeat = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
            add = f"INSERT INTO {table} (id, json) SELECT 1000000 + i, ? FROM n"
            yield ("sql", f"{repeat} {add}", (chance.choice((1, 100)), text))
        case _:
            _, to, other = _some_row(chance, name, table)
            statement = f"UPDATE {table} SET json = ? WHERE {column} = ?"
            yield ("sql", statement, (other, key))
            yield ("sql", statement, (text, to))


def _changed_structure(chance: Random, name: str) -> Iterator[Change]:
    """Other tables and columns, or another format."""
    table = chance.choice([*_rows(name)])
    statement = chance.choice(
        (
            f"DROP TABLE {table}",
            f"ALTER TABLE {table} RENAME TO other",
            f"ALTER TABLE {table} RENAME COLUMN json TO text",
            f"ALTER TABLE {table} ADD COLUMN more TEXT",
            f"CREATE VIEW other AS SELECT * FROM {table}",
            f"CREATE INDEX other ON {table} (json)",
            *(f"PRAGMA user_version = {version}" for version in (-1, 0, 1, 2, 3, 4, 5, 6, 7, 9)),
            "PRAGMA application_id = 0",
        )
    )
    yield ("sql", statement, ())


def _changed_bytes(chance: Random, name: str) -> Iterator[Change]:
    """Other bytes, as a disk or a network would leave them."""
    size = len(intact_trace(name))
    at = chance.randrange(size) if chance.random() < 0.8 else chance.randrange(200)
    match chance.randrange(6):
        case 0:
            yield ("cut", at)
        case 1:
            yield ("zero", at // 4096 * 4096, 4096 * chance.choice((1, 1, 4, 1_000)))
        case 2:
            yield ("log", chance.choice((b"", b"log", bytes(32), chance.randbytes(5_000))))
        case 3:
            yield ("write", at, chance.randbytes(chance.choice((8, 100, 4096))))
        case _:
            for _ in range(chance.choice((1, 1, 3, 20))):
                place = chance.randrange(size) if chance.random() < 0.7 else chance.randrange(200)
                old = intact_trace(name)[place]
                yield ("write", place, bytes([old ^ 1 << chance.randrange(8)]))


REFERENCES = {
    "edge": (("$[3]", "$[1]"), ("$[1]", "$[3]"), ("$[4]", "$[2]")),
    "node": (("$[7]", "$[0]"), ("$[9]", "$[0]"), ("$[4]", "$[0]"), ("$[5]", "$[0]")),
    "module": (("$[3]", "$[0]"),),
    "saved": (("$[1]", "$[0]"), ("$[2][2]", "$[0]")),
    "step": (("$[4]", "$[1]"), ("$[6]", "$[1]"), ("$[7]", "$[1]")),
    "call": (("$[3]", "$[0]"),),
    "console": (("$[1]", "$[0]"),),
    "finding": (("$[4]", "$[0]"), ("$[5]", "$[0]")),
}
"""Places of references in the rows of a table, and of the numbers that replace them."""


def _changed_references(chance: Random, name: str) -> Iterator[Change]:
    """References of all rows of a table to themselves, to the next one, or to the last one."""
    tables = [table for table in REFERENCES if table in _rows(name)]
    for table in chance.sample(tables, chance.choice((1, 1, 2))):
        to, source = chance.choice(REFERENCES[table])
        number = f"json_extract(json, '{source}')"
        last = f"(SELECT MAX(id) FROM {table})"
        new = chance.choice((number, f"{number} + 1", f"{last} + 1 - {number}", last))
        some = chance.choice(
            ("", " WHERE id % 2", f" WHERE id = {_some_row(chance, name, table)[1]}")
        )
        yield ("sql", f"UPDATE {table} SET json = json_set(json, '{to}', {new}){some}", ())


def _changed_text(chance: Random, name: str) -> Iterator[Change]:
    """Numbers and texts of a row in a form that JSON or Python may not take."""
    table, key, text = _some_row(chance, name)
    found = [*re.finditer(r"(?<=[\[,:])-?[0-9][0-9.e+-]*(?=[\],}])", text)]
    if not found:
        return
    place = chance.choice(found)
    number = place[0]
    new = chance.choice(
        (
            *("NaN", "Infinity", "-Infinity", "1e999", "-0", "0x1F", "01", "1_000", "\u0663"),
            *(f'"{number}"', f"{number}.0", f"{number}e0", f"[{number}]", f'{{"type":{number}}}'),
            *("9" * 4_000, "9" * 5_000, "[" * 900 + "]" * 900, "[" * 50_000 + "]" * 50_000),
        )
    )
    changed: str | bytes = text[: place.start()] + new + text[place.end() :]
    where = f"WHERE {_key(table)} = ?"
    if chance.random() < 0.2:
        at = chance.randrange(len(text))
        changed = text[:at].encode() + chance.choice((b"\xff", b"\xc3", b"\xed\xa0\x80", b"\0"))
        changed += text[at:].encode()
    # As text, even if it is not valid UTF-8.
    yield ("sql", f"UPDATE {table} SET json = CAST(? AS TEXT) {where}", (changed, key))


def _foreign_pages(chance: Random, name: str) -> Iterator[Change]:
    """Pages of another trace or from another place, or the log of another database."""
    other = intact_trace(chance.choice(trace_names()))
    size = len(intact_trace(name))
    to = chance.randrange(size // 4096) * 4096
    match chance.randrange(3):
        case 0:
            source = chance.randrange(size // 4096) * 4096
            yield ("write", to, intact_trace(name)[source : source + 4096])
        case 1:
            source = chance.randrange(len(other) // 4096) * 4096
            yield ("write", to, other[source : source + 4096 * chance.choice((1, 4))])
        case _:
            yield ("write", 18, b"\2\2")  # Otherwise SQLite ignores the log.
            yield ("log", log_of(other, chance.choice((1, 2, to // 4096 + 1))))


def log_of(data: bytes, page: int) -> bytes:
    """A valid write-ahead log with one page of a database, as SQLite writes it."""
    first = data[(page - 1) * 4096 : page * 4096].ljust(4096, b"\0")
    header = struct.pack(">6I", 0x377F0682, 3007000, 4096, 0, 1, 2)
    sums = _log_sums(header, (0, 0))
    frame = struct.pack(">2I", page, len(data) // 4096)
    last = _log_sums(first, _log_sums(frame, sums))
    whole = header + struct.pack(">2I", *sums)
    return whole + frame + struct.pack(">2I", 1, 2) + struct.pack(">2I", *last) + first


def _log_sums(data: bytes, sums: tuple[int, int]) -> tuple[int, int]:
    """Checksum of https://www.sqlite.org/fileformat.html, section 4.2, for little-endian words."""
    first, second = sums
    for one, two in struct.iter_unpack("<2I", data):
        first = (first + one + second) & 0xFFFFFFFF
        second = (second + two + first) & 0xFFFFFFFF
    return first, second
