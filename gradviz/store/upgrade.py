"""Convert traces of older formats to the current one in memory, without changing files."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from typing import Any

from gradviz.model.codec import decode
from gradviz.store import schema
from gradviz.store.bounded_rows import bounded_rows
from gradviz.store.row_encoder import row_text

RowObjects = dict[int, Any]
"""Rows of a table of format 1 by id: JSON objects with the field names as keys."""


@contextmanager
def upgraded_trace(connection: sqlite3.Connection, version: int) -> Iterator[sqlite3.Connection]:
    """Provide a database with the records of a trace of format ``version`` in this format.

    It is in memory, unless the trace already has this format. The elements of tensors are not
    copied, because their form has not changed.

    Raises:
        ValueError, sqlite3.Error, RecursionError: If the trace is damaged.
    """
    with ExitStack() as lent:
        for upgrade in _UPGRADES[version - 1 :]:
            new = lent.enter_context(closing(sqlite3.connect(":memory:", isolation_level=None)))
            upgrade(connection, new)
            connection = new
        yield connection


def upgrade_1(old: sqlite3.Connection, new: sqlite3.Connection) -> None:
    """Convert from format 1, with objects as rows and module paths in place of calls."""
    tables = {name: _objects(old, name) for name in ("tensor", *schema.kinds_of(1))}
    nodes = tables["node"]
    calls = _calls_of(dict.fromkeys(path for node in nodes.values() if (path := _path_of(node))))
    numbers = {call["path"]: call["id"] for call in calls}
    tables["node"] = {key: _with_call(node, numbers) for key, node in nodes.items()}
    tables["module"] = {call["id"]: call for call in calls}
    schema.create(new, 2)
    new.executemany("INSERT INTO meta VALUES (?, ?)", old.execute("SELECT key, json FROM meta"))
    for name, objects in tables.items():
        kind = schema.TENSOR_KIND if name == "tensor" else schema.KINDS[name]
        made = ((key, _with_later_fields(name, each)) for key, each in objects.items())
        rows = ((key, row_text(decode(kind, each), kind)) for key, each in made)
        new.executemany(f"INSERT INTO {name} (id, json) VALUES (?, ?)", rows)


def _objects(old: sqlite3.Connection, table: str) -> RowObjects:
    return {key: json.loads(text) for key, text in bounded_rows(old, table)}


def _path_of(node: Any) -> str | None:
    """Module path of a node of format 1; None if it is not such a node."""
    if not isinstance(node, dict) or "module_call" in node:
        return None
    path = node.get("module")
    return path if isinstance(path, str) else None


def _with_call(node: Any, numbers: dict[str, int]) -> Any:
    path = _path_of(node)
    if path is None:
        return node
    known = {name: value for name, value in node.items() if name != "module"}
    return known | {"module_call": numbers.get(path)}


def _calls_of(paths: Iterable[str]) -> list[dict[str, Any]]:
    """One module call for each path, nested in the longest path above it; outer first."""
    numbers: dict[str, int] = {}
    calls = []
    for number, path in enumerate(sorted(paths, key=lambda each: each.count(".")), 1):
        above = (numbers[each] for each in _above(path) if each in numbers)
        calls.append({"id": number, "path": path, "class_name": "", "parent": next(above, None)})
        numbers[path] = number
    return calls


def _above(path: str) -> Iterator[str]:
    """The parents of a path, nearest first."""
    while "." in path:
        path = path.rpartition(".")[0]
        yield path


def upgrade_2(old: sqlite3.Connection, new: sqlite3.Connection) -> None:
    """Convert from format 2, which did not record what happened inside a step."""
    schema.create(new, 3)
    new.executemany("INSERT INTO meta VALUES (?, ?)", old.execute("SELECT key, json FROM meta"))
    origin = "UPDATE meta SET json = json_set(json, '$.level', 'nodes') WHERE key = 'origin'"
    new.execute(origin)
    for name in ("tensor", *schema.kinds_of(2)):
        rows = bounded_rows(old, name)
        new.executemany(f"INSERT INTO {name} (id, json) VALUES (?, ?)", rows)


def upgrade_3(old: sqlite3.Connection, new: sqlite3.Connection) -> None:
    """Convert from format 3: add fields to steps, tensors, nodes, findings and reports."""
    schema.create(new, 4)
    _copy(old, new, 3)
    for table, (what, length, added) in _ADDED_IN_4.items():
        for position, value in enumerate(added.values()):
            new.execute(
                f"UPDATE {table} SET json = json_insert(json, '$[#]', json(?))"
                " WHERE json_array_length(json) = ? AND (? = '' OR json_extract(json, '$[0]') = ?)",
                (json.dumps(value), length + position, what, what),
            )


_ADDED_IN_4: dict[str, tuple[str, int, dict[str, Any]]] = {
    "step": ("ForwardStep", 13, {"rerun": False}),
    "tensor": ("", 14, {"subclass": ""}),
    "node": ("", 9, {"made_in": None}),
    "finding": ("", 6, {"location": None, "argument": None}),
    "report": ("", 13, {"order": 1, "diagnoses": []}),
}
"""For each table: type of the rows or empty for all, their old length, and the added fields."""


def _with_later_fields(table: str, found: Any) -> Any:
    """Add later fields to an object of format 1, unless it already has them."""
    if isinstance(found, dict) and found.get("type") == "AccumulateStep":
        return {"leaf": None, "added": None} | found
    if isinstance(found, dict) and found.get("type") == "PassEndStep":
        return {"totals": []} | found
    if isinstance(found, dict) and table == "tensor":
        found = {"offset": None} | found
    what, _, added = _ADDED_IN_4.get(table, ("", 0, {}))
    fits = isinstance(found, dict) and (not what or found.get("type") == what)
    if not fits:
        return found
    if table == "report" and isinstance(found.get("blocks"), list):
        blocks = [each | _BLOCK_SINCE_5 for each in found["blocks"] if isinstance(each, dict)]
        found = _REPORT_SINCE_5 | {"passes": []} | found | {"blocks": blocks}
    return added | found


def upgrade_4(old: sqlite3.Connection, new: sqlite3.Connection) -> None:
    """Convert from format 4: add fields to reports, their blocks and diagnoses."""
    schema.create(new, 5)
    _copy(old, new, 4)
    for number, text in old.execute("SELECT id, json FROM report"):
        row = json.loads(text)
        if not isinstance(row, list) or len(row) != _REPORT_LENGTH_IN_4:
            continue  # Of format 1, or damaged, which the reader will report.
        for place, added in ((8, _BLOCK_SINCE_5), (14, _DIAGNOSIS_SINCE_5)):
            row[place] = [[*each, *added.values()] for each in row[place]]
        row += _REPORT_SINCE_5.values()
        new.execute("UPDATE report SET json = ? WHERE id = ?", (json.dumps(row), number))


_REPORT_LENGTH_IN_4 = 15
_BLOCK_SINCE_5: dict[str, Any] = {
    "forward": None,
    "forward_wrong": 0,
    "reference": None,
    "spread": None,
    "lines": [],
    "reference_wrong": 0,
}
_DIAGNOSIS_SINCE_5: dict[str, Any] = {"confidence": "certain", "evidence": [], "repair": None}
_REPORT_SINCE_5: dict[str, Any] = {
    "cast_from": "",
    "forward_mode": False,
    "batched": False,
    "fast": False,
    "reference": "",
    "curves": [],
    "trials": [],
    "nudge": 0.0,
    "unfinished": [],
}


def upgrade_5(old: sqlite3.Connection, new: sqlite3.Connection) -> None:
    """Convert from format 5: reports did not compare backward passes of the program."""
    schema.create(new, 6)
    _copy(old, new, 5)
    new.execute(
        "UPDATE report SET json = json_insert(json, '$[#]', json('[]'))"
        " WHERE json_array_length(json) = ?",
        (_REPORT_LENGTH_IN_4 + len(_REPORT_SINCE_5),),
    )


def upgrade_6(old: sqlite3.Connection, new: sqlite3.Connection) -> None:
    """Convert from format 6, which did not record a leaf again when a gradient arrives."""
    schema.create(new, 7)
    _copy(old, new, 6)
    new.execute(
        "UPDATE step SET json = json_insert(json, '$[#]', NULL)"
        " WHERE json_array_length(json) = 9 AND json_extract(json, '$[0]') = 'AccumulateStep'"
    )


def upgrade_7(old: sqlite3.Connection, new: sqlite3.Connection) -> None:
    """Convert from format 7, which did not record what a leaf's gradient became in a pass."""
    schema.create(new, 8)
    _copy(old, new, 7)
    new.execute(
        "UPDATE step SET json = json_insert(json, '$[#]', json('[]'))"
        " WHERE json_array_length(json) = 5 AND json_extract(json, '$[0]') = 'PassEndStep'"
    )


def upgrade_8(old: sqlite3.Connection, new: sqlite3.Connection) -> None:
    """Convert from format 8, in which the level ``lines`` contained ops too."""
    schema.create(new, 9)
    _copy(old, new, 8)
    new.execute(
        "UPDATE meta SET json = json_set(json, '$.level', 'all')"
        " WHERE key = 'origin' AND json_extract(json, '$.level') = 'lines'"
    )


def upgrade_9(old: sqlite3.Connection, new: sqlite3.Connection) -> None:
    """Convert from format 9, which recorded neither offsets of tensors nor changes in place."""
    schema.create(new, 10)
    _copy(old, new, 9)
    new.execute(
        "UPDATE tensor SET json = json_insert(json, '$[#]', NULL)"
        " WHERE json_array_length(json) = 15"
    )


def upgrade_10(old: sqlite3.Connection, new: sqlite3.Connection) -> None:
    """Convert from format 10, which did not record whether a leaf already had a gradient."""
    schema.create(new, 11)
    _copy(old, new, 10)
    new.execute(
        "UPDATE step SET json = json_insert(json, '$[#]', NULL)"
        " WHERE json_array_length(json) = 10 AND json_extract(json, '$[0]') = 'AccumulateStep'"
    )


def _copy(old: sqlite3.Connection, new: sqlite3.Connection, version: int) -> None:
    """Copy all rows of a trace of a format unchanged."""
    new.executemany("INSERT INTO meta VALUES (?, ?)", old.execute("SELECT key, json FROM meta"))
    for name in ("tensor", *schema.kinds_of(version)):
        new.executemany(f"INSERT INTO {name} (id, json) VALUES (?, ?)", bounded_rows(old, name))


_UPGRADES = (
    upgrade_1,
    upgrade_2,
    upgrade_3,
    upgrade_4,
    upgrade_5,
    upgrade_6,
    upgrade_7,
    upgrade_8,
    upgrade_9,
    upgrade_10,
)
