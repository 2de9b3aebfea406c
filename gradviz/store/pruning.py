"""Removal of the first steps of a trace, with everything that only they refer to."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from gradviz.model.console import ConsoleText
from gradviz.model.finding import Finding
from gradviz.model.graph import Edge, Node
from gradviz.model.in_place_write import InPlaceWrite
from gradviz.model.inside import Inside
from gradviz.model.step import Step
from gradviz.model.step_values import items_in
from gradviz.model.trace import Record
from gradviz.store import schema
from gradviz.store.row_codec import row_reader, row_text


class KeptRecords(Struct, frozen=True, kw_only=True):
    """The ids that are left after pruning."""

    nodes: frozenset[int]
    tensors: frozenset[int]
    modules: frozenset[int]


def without_first_steps(record: Record, count: int) -> Record | None:
    """A record of a trace whose first steps are removed, so that the next step has number 1.

    Args:
        record: The record, with the numbers of the whole run.
        count: How many steps are removed.

    Returns:
        None if it belongs to one of them.
    """
    match record:
        case Node(made_in=int(step)):
            if step > count:
                return replace(record, made_in=step - count)
            return replace(record, made_by=None, made_in=None)
        case InPlaceWrite(after_step=after, step=step):
            if after < count or (step is not None and step <= count):
                return None
            return replace(record, after_step=after - count, step=step and step - count)
        case Inside(id=step):
            return replace(record, id=step - count) if step > count else None
        case ConsoleText(step=int(step)) | Finding(step=int(step)):
            return replace(record, step=step - count) if step > count else None
        case _:
            pass
    if isinstance(record, Step):
        return replace(record, number=record.number - count) if record.number > count else None
    return record


def prune(
    connection: sqlite3.Connection, *, first_step: int, first_console: int, nodes: Iterable[int]
) -> KeptRecords:
    """Remove the steps before one of them and renumber the others from 1.

    Args:
        connection: Of the trace file; inside a transaction.
        first_step: The first step to keep.
        first_console: The first printed text to keep, of those outside of steps; 0 to keep all
            text, that of removed steps outside of any step.
        nodes: Further nodes to keep, with everything that is reachable from them.
    """
    rows = _Rows(connection)
    steps = rows.read("step", first_step)
    insides = rows.read("inside", first_step)
    writes = tuple(_moved(rows.read("write"), first_step - 1))
    reached = _Reached(rows)
    reached.add_steps(steps.values())
    reached.add_nodes(nodes)
    reached.add_items((steps.values(), insides.values(), writes))
    kept = {
        "tensor": reached.tensors,
        "node": reached.nodes,
        "edge": {each.id for each in rows.edges.values() if each.source in reached.nodes},
        "saved": {each.id for each in rows.saved.values() if each.node in reached.nodes},
        "module": reached.modules,
        "call": reached.calls,
    }
    for table, ids in kept.items():
        rows.delete(table, ids)
    removed = first_step - 1
    rows.rewrite("step", _moved(steps, removed))
    rows.rewrite("inside", _moved(insides, removed))
    rows.rewrite("write", writes)
    moved = _moved({number: rows.nodes[number] for number in reached.nodes}, removed)
    rows.rewrite("node", (_without_lost_maker(each, reached.nodes) for each in moved))
    if not first_console:
        move_text_out(connection, before=first_step)
    texts = rows.read("console")
    rows.rewrite(
        "console",
        _moved({n: t for n, t in texts.items() if t.step or n >= first_console}, removed),
    )
    rows.rewrite("finding", _known_findings(rows.read("finding"), removed, reached.nodes))
    return KeptRecords(
        nodes=frozenset(reached.nodes),
        tensors=frozenset(reached.tensors),
        modules=frozenset(reached.modules),
    )


def _moved(records: dict[int, Any], removed: int) -> Iterator[Any]:
    for record in records.values():
        moved = without_first_steps(record, removed)
        if moved is not None:
            yield moved


def _without_lost_maker(node: Node, kept: set[int]) -> Node:
    return node if node.made_by in kept else replace(node, made_by=None, made_in=None)


def _known_findings(findings: dict[int, Any], removed: int, kept: set[int]) -> Iterator[Finding]:
    for finding in _moved(findings, removed):
        yield finding if finding.node in kept else replace(finding, node=None)


def move_text_out(
    connection: sqlite3.Connection, *, before: float = 0, after: float = math.inf, text: int = 0
) -> None:
    """Assign the text that some steps have printed to no step.

    Args:
        connection: Of the trace file; inside a transaction.
        before: The steps before this one.
        after: And those after this one.
        text: A printed text; none before it belongs to these steps.
    """
    read: Callable[[str], ConsoleText] = row_reader(ConsoleText)
    rows = connection.execute("SELECT json FROM console WHERE id > ?", (text,)).fetchall()
    texts = [read(row[0]) for row in rows]
    moved = [t for t in texts if t.step and (t.step < before or t.step > after)]
    connection.executemany(
        "UPDATE console SET json = ? WHERE id = ?",
        [(row_text(replace(each, step=None)), each.id) for each in moved],
    )


class _Rows:
    """The tables of the trace file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.nodes = self.read("node")
        self.edges = self.read("edge")
        self.saved = self.read("saved")
        self.calls = self.read("call")
        self.modules = self.read("module")

    def read(self, table: str, first: int = 0) -> dict[int, Any]:
        """The records from an id on, by id."""
        read: Callable[[str], Any] = row_reader(schema.KINDS[table])
        query = f"SELECT id, json FROM {table} WHERE id >= ? ORDER BY id"
        return {number: read(text) for number, text in self._connection.execute(query, (first,))}

    def delete(self, table: str, kept: set[int]) -> None:
        """Delete all other rows."""
        numbers = self._connection.execute(f"SELECT id FROM {table}").fetchall()
        gone = [each for each in numbers if each[0] not in kept]
        self._connection.executemany(f"DELETE FROM {table} WHERE id = ?", gone)

    def rewrite(self, table: str, records: Iterable[Any]) -> None:
        """Replace all rows."""
        rows = [(each.number if table == "step" else each.id, row_text(each)) for each in records]
        self._connection.execute(f"DELETE FROM {table}")
        self._connection.executemany(f"INSERT INTO {table} VALUES (?, ?)", rows)


class _Reached:
    """Ids of the records that steps and nodes refer to, directly or indirectly."""

    def __init__(self, rows: _Rows) -> None:
        self.nodes: set[int] = set()
        self.calls: set[int] = set()
        self.modules: set[int] = set()
        self.tensors: set[int] = set()
        self._rows = rows
        self._leaving: dict[int, list[Edge]] = {}
        for edge in rows.edges.values():
            self._leaving.setdefault(edge.source, []).append(edge)
        self._saved: dict[int, list[Any]] = {}
        for slot in rows.saved.values():
            self._saved.setdefault(slot.node, []).append(slot)

    def add_steps(self, steps: Iterable[Any]) -> None:
        """Add what steps refer to, except for tensors."""
        for step in steps:
            self.add_nodes(
                (
                    getattr(step, "node", None),
                    *getattr(step, "nodes", ()),
                    *(root.node for root in getattr(step, "roots", ())),
                )
            )
            self._add_call(getattr(step, "call", None))

    def add_items(self, records: Iterable[Any]) -> None:
        """Add the tensors of all items in records."""
        self.tensors.update(each.tensor for each in items_in(records) if each.tensor is not None)

    def add_nodes(self, numbers: Iterable[int | None]) -> None:
        """Add nodes, and all nodes that are reachable from them."""
        waiting = [each for each in numbers if each is not None]
        while waiting:
            number = waiting.pop()
            if number in self.nodes or number not in self._rows.nodes:
                continue
            self.nodes.add(number)
            node = self._rows.nodes[number]
            if node.variable is not None:
                self.tensors.add(node.variable)
            self._add_module(node.module_call)
            self._add_call(node.call)
            self.add_items(self._saved.get(number, ()))
            waiting += [edge.target for edge in self._leaving.get(number, ())]

    def _add_call(self, number: int | None) -> None:
        if number is None or number in self.calls or number not in self._rows.calls:
            return
        self.calls.add(number)
        call = self._rows.calls[number]
        self.add_items(call)
        self.add_nodes((call.node,))

    def _add_module(self, number: int | None) -> None:
        while number is not None and number not in self.modules:
            self.modules.add(number)
            number = self._rows.modules[number].parent
