"""The tables of a trace file, one for each kind of record, with one `row_text` per row."""

from __future__ import annotations

import sqlite3
from typing import Any

from gradviz.model.console import ConsoleCut, ConsoleText
from gradviz.model.finding import Finding
from gradviz.model.function_call import FunctionCall
from gradviz.model.graph import Edge, ModuleCall, Node, SavedSlot
from gradviz.model.in_place_write import InPlaceWrite
from gradviz.model.inside import Inside
from gradviz.model.jacobian_report import JacobianReport
from gradviz.model.source import SourceFile
from gradviz.model.step import Step
from gradviz.model.tensor import TensorRecord
from gradviz.model.what_if import ChangeRecord
from gradviz.store.header import APPLICATION_ID, FORMAT_VERSION

KINDS: dict[str, Any] = {
    "change": ChangeRecord,
    "node": Node,
    "edge": Edge,
    "saved": SavedSlot,
    "write": InPlaceWrite,
    "module": ModuleCall,
    "call": FunctionCall,
    "step": Step,
    "inside": Inside,
    "source": SourceFile,
    "console": ConsoleText,
    "cut": ConsoleCut,
    "finding": Finding,
    "report": JacobianReport,
}
"""Type of the rows in each table. Tensors have a separate table that includes their elements."""

TENSOR_KIND = TensorRecord

CUT_IDS = {"run": 1, "check": 2}
"""Row id of the single `ConsoleCut` for each activity."""


def create(connection: sqlite3.Connection) -> None:
    """Create the tables and set the format of the trace."""
    connection.execute("BEGIN")
    connection.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID")
    connection.execute(
        "CREATE TABLE tensor (id INTEGER PRIMARY KEY, json TEXT NOT NULL, data BLOB)"
    )
    for name in KINDS:
        connection.execute(f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, json TEXT NOT NULL)")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {FORMAT_VERSION}")
    connection.execute("COMMIT")


def objects(connection: sqlite3.Connection) -> set[tuple[Any, ...]]:
    """All definitions in a database: tables, indices, views and triggers, with their SQL."""
    return set(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master LIMIT 100"))


def expected_objects() -> set[tuple[Any, ...]]:
    """The result of `objects` for an untampered trace."""
    connection = sqlite3.connect(":memory:")
    try:
        create(connection)
        return objects(connection)
    finally:
        connection.close()
