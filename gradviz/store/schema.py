"""The tables of a trace file: one for each kind of record, each row one value as `row_text`."""

from __future__ import annotations

import sqlite3
from typing import Any

from gradviz.model.call import FunctionCall
from gradviz.model.changes import ChangeRecord
from gradviz.model.console import ConsoleCut, ConsoleText
from gradviz.model.finding import Finding
from gradviz.model.graph import Edge, ModuleCall, Node, SavedSlot
from gradviz.model.inside import Inside
from gradviz.model.jacobian import JacobianReport
from gradviz.model.source import Source
from gradviz.model.step import Step
from gradviz.model.tensor import TensorRecord

APPLICATION_ID = 0x67_72_61_64  # "grad"
FORMAT_VERSION = 5

KINDS: dict[str, Any] = {
    "change": ChangeRecord,
    "node": Node,
    "edge": Edge,
    "saved": SavedSlot,
    "module": ModuleCall,
    "call": FunctionCall,
    "step": Step,
    "inside": Inside,
    "source": Source,
    "console": ConsoleText,
    "cut": ConsoleCut,
    "finding": Finding,
    "report": JacobianReport,
}
"""Table name to the type of its rows. Tensors have a table of their own, with their elements."""

TENSOR_KIND = TensorRecord

CUT_IDS = {"run": 1, "check": 2}
"""Row of the one `ConsoleCut` that each activity has."""

_SINCE = {"module": 2, "change": 3, "inside": 3}
"""The format that brought a table; 1 for all others."""


def kinds_of(version: int) -> list[str]:
    """The tables of `KINDS` that a trace of a format has."""
    return [name for name in KINDS if _SINCE.get(name, 1) <= version]


def create(connection: sqlite3.Connection, version: int = FORMAT_VERSION) -> None:
    """Creates the tables and marks the file as a trace of a format, this one if left out."""
    connection.execute("BEGIN")
    connection.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID")
    connection.execute(
        "CREATE TABLE tensor (id INTEGER PRIMARY KEY, json TEXT NOT NULL, data BLOB)"
    )
    for name in kinds_of(version):
        connection.execute(f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, json TEXT NOT NULL)")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {version}")
    connection.execute("COMMIT")


def objects(connection: sqlite3.Connection) -> set[tuple[Any, ...]]:
    """Everything that a database defines: tables, indices, views and triggers, with their SQL."""
    return set(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"))


def expected_objects(version: int) -> set[tuple[Any, ...]]:
    """What `objects` finds in a trace of a format that nobody has tampered with."""
    connection = sqlite3.connect(":memory:")
    try:
        create(connection, version)
        return objects(connection)
    finally:
        connection.close()
