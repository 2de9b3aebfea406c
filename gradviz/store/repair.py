"""Read what is intact in a damaged or incomplete trace, and say what is missing.

Copies a trace that is still being recorded as it is at one moment.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from msgspec import Struct
from msgspec.structs import replace

from gradviz.catalogue.messages import say, say_count
from gradviz.model.codec import MOST_NUMBER, fields_with_type
from gradviz.model.finding import Finding
from gradviz.model.graph import Node
from gradviz.model.inside import ExecutedLine
from gradviz.model.source import Location, source_lines
from gradviz.model.step import MissingStep, NodeStep, PassBeginStep, Step
from gradviz.model.step_values import items_in
from gradviz.model.tensor import TensorRecord
from gradviz.model.trace import Origin, Outcome, Trace
from gradviz.model.validation.inside_rules import InsideRules, KnownRecords
from gradviz.model.validation.step_rules import StepRules
from gradviz.model.validation.trace_rules import RULES, TensorRules
from gradviz.store.errors import TraceError
from gradviz.store.header import journal_path, wal_path
from gradviz.store.lazy_rows import bounded_rows

_PREFIX = "gradviz-window-trace-"
"""Begins like the folders of windows, which remove those of killed processes."""

_ATTEMPTS = 3
_LOG_HEADER = 32
"""Size of a log's header, which changes whenever the log starts again from its beginning."""


def snapshot_of(path: Path) -> tuple[TemporaryDirectory[str], Path]:
    """Copy a trace and its log into a temporary folder, which the caller removes.

    SQLite reads a log only in a folder where it can write, and together with its writer only on the
    same machine. The copy can also be read where a recording is in a shared or read-only folder.
    What a killed writer has left half written is taken back in the copy, by its rollback journal.

    Returns:
        The folder, and the path of the copy.

    Raises:
        TraceError: If the trace cannot be copied, or the log started again during each attempt.
    """
    folder = TemporaryDirectory(prefix=_PREFIX)
    copy = Path(folder.name) / "trace.gradviz"
    try:
        for _ in range(_ATTEMPTS):
            before = _state(path)
            _copy(path, copy)
            if _state(path) == before:
                _roll_back(copy)
                return folder, copy
        reason = say("trace.changing")
    except (OSError, sqlite3.Error) as error:
        reason = str(error)
    folder.cleanup()
    raise TraceError(say("file.unreadable", path=path, reason=reason))


def _copy(path: Path, copy: Path) -> None:
    # First, as its writer keeps in the journal what it overwrites.
    shutil.copyfile(path, copy)
    for log in (wal_path, journal_path):
        log(copy).unlink(missing_ok=True)
        # There is none any more if the recording has just ended.
        with suppress(FileNotFoundError):
            shutil.copyfile(log(path), log(copy))


def _roll_back(copy: Path) -> None:
    if journal_path(copy).exists():
        with closing(sqlite3.connect(copy)) as connection:
            # SQLite does so with the first read of a connection that may write.
            connection.execute("PRAGMA schema_version")


def _state(path: Path) -> tuple[int, int, bytes]:
    """What changes when the writer moves its log into the trace; more rows change only the log."""
    found = path.stat()
    log = b""
    with suppress(FileNotFoundError), wal_path(path).open("rb") as file:
        log = file.read(_LOG_HEADER)
    return found.st_size, found.st_mtime_ns, log


DamagedRow = tuple[int, Any]
"""Id and JSON text of a row."""

_UNREADABLE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
_MOST_GAPS = 1_000_000
_MOST_ROUNDS = 10


@dataclass(slots=True)
class DamagedTables:
    """The intact rows of a damaged trace.

    Attributes:
        records: Decoded records of each table, by id.
        lost: How many rows cannot be read, at least.
    """

    records: dict[str, dict[int, Any]] = field(default_factory=dict)
    lost: int = 0

    def read(
        self, connection: sqlite3.Connection, table: str, decode: Callable[[str], Any]
    ) -> None:
        """Read the rows of a table that can be read and decoded."""
        found = self.records.setdefault(table, {})
        for number, text in self._rows(connection, table):
            try:
                record = decode(text)
                if table != "cut" and _number_of(record) != number:
                    raise ValueError(number)
            except _UNREADABLE:
                self.lost += 1
            else:
                found[number] = record

    def _rows(self, connection: sqlite3.Connection, table: str) -> Iterator[DamagedRow]:
        """All rows that SQLite finds, before and after damaged pages."""
        last, jump = 0, 1
        while jump < _MOST_GAPS:
            try:
                # A damaged page may lead back to rows that were read before, an error, too.
                for number, text in bounded_rows(connection, table, last):
                    last, jump = number, 1
                    yield number, text
            except sqlite3.Error:
                self.lost += 1
                # It is unknown how many rows a damaged page hides, so the jump doubles until one is
                # found.
                last, jump = last + jump, jump * 2
            else:
                return


def _number_of(record: Any) -> int:
    return int(record.number if isinstance(record, Step) else record.id)


def repaired_trace(
    origin: Origin,
    outcome: Outcome | None,
    tables: DamagedTables,
    fields: Mapping[str, str],
    reason: str,
) -> Trace:
    """Put together what can be read; the result is valid unless the damage is beyond repair.

    Missing steps become `MissingStep`, missing nodes and tensors become records without content.
    The last finding says what is missing.

    Args:
        origin: Origin of the trace.
        outcome: Outcome of the trace.
        tables: The rows that can be read.
        fields: Table of each field of `Trace`, except for steps, insides and tensors.
        reason: What is wrong with the trace, in the words of the validation.
    """
    repair = _Repair(origin, tables)
    others = {name: repair.records(table) for name, table in fields.items()}
    kept: dict[str, Any] = {name: repair.valid(name, each) for name, each in others.items()}
    trace = Trace(
        origin=origin,
        outcome=outcome,
        steps=repair.steps,
        tensors=repair.tensors,
        insides=repair.insides(),
        **kept,
    )
    missing = sum(isinstance(step, MissingStep) for step in trace.steps) - repair.placeholders
    words = say_count("damaged.steps", missing, total=len(trace.steps))
    parts = [say("damaged", reason=reason.removesuffix(".")), words if missing else ""]
    if repair.lost:
        parts.append(say_count("damaged.records", repair.lost))
    findings = kept["findings"]
    if findings and findings[-1].id + 1 == MOST_NUMBER:
        # No larger id is left for the note, and nothing refers to those of findings.
        findings = tuple(replace(each, id=at) for at, each in enumerate(findings, 1))
    note = Finding(
        id=findings[-1].id + 1 if findings else 1,
        code="trace_damaged",
        severity="warning",
        message=" ".join(filter(None, parts)),
        step=None,
        node=None,
    )
    return replace(trace, findings=(*findings, note))


class _Repair:
    """Replaces what records refer to but the file does not contain."""

    def __init__(self, origin: Origin, tables: DamagedTables) -> None:
        self._origin = origin
        self._rows = tables.records
        self.lost = tables.lost
        self.placeholders = sum(
            isinstance(step, MissingStep) for step in tables.records["step"].values()
        )
        self._detach_missing()
        self._add_stubs()
        self._last = self._last_step()
        self.tensors = tuple(self._sorted("tensor"))
        checked = TensorRules(set(self._rows["tensor"]))
        for tensor in self.tensors:
            checked.check(tensor)
        self._known = KnownRecords(
            nodes=set(self._rows["node"]),
            edges={each.id: each.source for each in self._rows["edge"].values()},
            calls=set(self._rows["call"]),
            modules=set(self._rows["module"]),
            tensors=set(self._rows["tensor"]),
            matrices=checked.shapes,
            lines={n: len(source_lines(each.text)) for n, each in self._rows["source"].items()},
            steps=self._last,
        )
        self._detach_lines()
        self._detach_findings()
        self.steps = self._valid_steps()

    def _sorted(self, table: str) -> list[Any]:
        return [self._rows[table][number] for number in sorted(self._rows[table])]

    def records(self, table: str) -> tuple[Any, ...]:
        """The records of a table, in order."""
        return tuple(self._sorted(table))

    def valid(self, name: str, records: tuple[Any, ...]) -> tuple[Any, ...]:
        """The records of a field of `Trace` that fit the other ones."""
        kept = [each for each in records if not self._problems(name, each)]
        self.lost += len(records) - len(kept)
        return tuple(kept)

    def _problems(self, name: str, record: Any) -> bool:
        if name == "modules":
            return False  # Their parents have been checked.
        alone: Any = {name: (record,)}
        trace = Trace(origin=self._origin, steps=self.steps, **alone)
        return any(True for rule in RULES for _ in rule(trace, self._known))

    def insides(self) -> tuple[Any, ...]:
        """What was recorded inside of steps that still exist."""
        kept = []
        columns = StepRules(self._known)
        for step in self.steps:
            columns.check(step)
        for inside in self._sorted("inside"):
            rules = InsideRules(self._known, columns.kinds)
            rules.check(inside)
            if not rules.problems:
                kept.append(inside)
        self.lost += len(self._rows["inside"]) - len(kept)
        return tuple(kept)

    def _detach_missing(self) -> None:
        """Drop references that may be absent."""
        rows = self._rows
        calls, modules, edges = set(rows["call"]), set(rows["module"]), set(rows["edge"])
        for number, module in rows["module"].items():
            if module.parent is not None and not (
                module.parent in modules and module.parent < number
            ):
                rows["module"][number] = replace(module, parent=None)
        for number, node in rows["node"].items():
            rows["node"][number] = replace(
                node,
                call=node.call if node.call in calls else None,
                module_call=node.module_call if node.module_call in modules else None,
                made_in=node.made_in
                if node.made_by is not None and node.made_in in rows["step"]
                else None,
            )
        for number, step in rows["step"].items():
            if getattr(step, "call", None) is not None and step.call not in calls:
                rows["step"][number] = replace(step, call=None)
            if isinstance(step, PassBeginStep) and not 0 < (step.parent or 0) < step.pass_id:
                rows["step"][number] = replace(step, parent=None)
            if isinstance(step, NodeStep):
                passed = [
                    each if each.edge in edges else replace(each, edge=None) for each in step.passed
                ]
                rows["step"][number] = replace(step, passed=tuple(passed))

    def _detach_lines(self) -> None:
        """Drop sources of locations that are not in them, as if their text was not recorded."""
        for rows in self._rows.values():
            for number, record in rows.items():
                rows[number] = self._with_sources(record)

    def _with_sources(self, value: Any) -> Any:
        if isinstance(value, Location):
            found = self._known.problem_of_line(value)
            return replace(value, source=None) if found and value.source is not None else value
        if isinstance(value, tuple):
            return tuple(map(self._with_sources, value))
        if not isinstance(value, Struct):
            return value
        fields = fields_with_type(cast(Hashable, type(value)), Location)
        members = {name: self._with_sources(getattr(value, name)) for name in fields}
        if isinstance(value, ExecutedLine):
            last = self._with_sources(replace(value.location, line=value.last_line))
            if last.source is None:
                members["location"] = replace(value.location, source=None)
        return replace(value, **members) if members else value

    def _detach_findings(self) -> None:
        """Drop the step or node of a finding if it does not exist."""
        findings = self._rows["finding"]
        for number, finding in findings.items():
            findings[number] = replace(
                finding,
                step=finding.step if self._known.has_step(finding.step) else None,
                node=finding.node if finding.node in self._known.nodes else None,
            )

    def _add_stubs(self) -> None:
        """Add records for the nodes and tensors that others refer to."""
        rows = self._rows
        for number in self._bad_tensors():
            del rows["tensor"][number]
            self.lost += 1
        for number in _nodes_in(rows) - set(rows["node"]):
            rows["node"][number] = _stub_node(number)
        items = {item.tensor for table in rows.values() for item in items_in(table.values())}
        leaves = {node.variable for node in rows["node"].values()}
        wanted = {each for each in items | leaves if each is not None and each > 0}
        for number in wanted - set(rows["tensor"]):
            rows["tensor"][number] = _stub_tensor(number)

    def _bad_tensors(self) -> list[int]:
        bad = []
        for number, tensor in self._rows["tensor"].items():
            rules = TensorRules(set())
            rules.check(tensor)
            if rules.problems:
                bad.append(number)
        return bad

    def _last_step(self) -> int:
        known = self._rows["step"]
        # A damaged number must not create billions of missing steps.
        return max((n for n in known if n <= 2 * len(known) + _MOST_GAPS), default=0)

    def _valid_steps(self) -> tuple[Step, ...]:
        known = self._rows["step"]
        steps = [known.get(number) or _missing(number) for number in range(1, self._last + 1)]
        _begin_passes(steps)
        # A step that is replaced can make another one invalid, so check again.
        for _ in range(_MOST_ROUNDS):
            rules, wrong = StepRules(self._known), []
            for step in steps:
                before = len(rules.problems)
                rules.check(step)
                if len(rules.problems) > before:
                    wrong.append(step.number)
            for number in wrong:
                steps[number - 1] = _missing(number)
            if not wrong:
                break
        return tuple(_within_passes(steps))


def _begin_passes(steps: list[Step]) -> None:
    """Let a missing step begin each pass whose first step is missing."""
    begun: set[int] = set()
    free: list[int] = []
    for step in steps:
        if isinstance(step, MissingStep):
            free.append(step.number)
        elif step.pass_id is not None and step.pass_id not in begun:
            begun.add(step.pass_id)
            if not isinstance(step, PassBeginStep) and free:
                number = free.pop()
                steps[number - 1] = PassBeginStep(
                    number=number,
                    started_ns=0,
                    pass_id=step.pass_id,
                    parent=None,
                    roots=(),
                    create_graph=False,
                    keep_graph=False,
                    accumulate=True,
                    location=None,
                )


def _within_passes(steps: list[Step]) -> Iterator[Step]:
    """The steps, with those missing inside of a pass as part of it."""
    last, following = None, [None, *[step.pass_id for step in reversed(steps)]]
    for step, after in zip(steps, reversed(following[:-1]), strict=True):
        if isinstance(step, MissingStep) and last is not None and last == after:
            yield replace(step, pass_id=last)
        else:
            last = step.pass_id
            yield step


def _nodes_in(rows: Mapping[str, Mapping[int, Any]]) -> set[int]:
    found = {each.source for each in rows["edge"].values()}
    found |= {each.target for each in rows["edge"].values()}
    found |= {
        each.node for table in ("saved", "call", "step") for each in _having_node(rows[table])
    }
    found |= {each.made_by for each in rows["node"].values()}
    for step in rows["step"].values():
        found |= set(getattr(step, "nodes", ()))
        found |= {root.node for root in getattr(step, "roots", ())}
    return {each for each in found if each is not None and each > 0}


def _having_node(records: Mapping[int, Any]) -> list[Any]:
    return [each for each in records.values() if hasattr(each, "node")]


def _missing(number: int) -> MissingStep:
    return MissingStep(
        number=number, started_ns=0, pass_id=None, name="", reason=say("damaged.step")
    )


def _stub_node(number: int) -> Node:
    return Node(
        id=number,
        name=say("damaged.node"),
        kind="builtin",
        sequence_nr=None,
        call=None,
        variable=None,
        variable_name="",
        made_by=None,
        module_call=None,
    )


def _stub_tensor(number: int) -> TensorRecord:
    return TensorRecord(
        id=number,
        dtype="unknown",
        shape=(),
        strides=None,
        device="unknown",
        layout="unknown",
        requires_grad=False,
        storage=None,
        version=None,
        content="metadata",
        kept_shape=(),
        kept_steps=(),
        note=say("damaged.tensor"),
        statistics=None,
    )
