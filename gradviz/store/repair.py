"""Read a damaged or incomplete trace up to the damage, and say so.

Copies a trace that is still being recorded as it is at one moment.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from msgspec.structs import replace

from gradviz.catalogue.messages import say
from gradviz.model.finding import Finding
from gradviz.model.step import Step
from gradviz.model.trace import Trace
from gradviz.model.validation.inside_rules import InsideRules
from gradviz.model.validation.step_rules import StepRules
from gradviz.model.validation.trace_rules import RULES, TensorRules, known_records, matrices_in
from gradviz.store.errors import TraceError
from gradviz.store.header import journal_path, wal_path
from gradviz.store.lazy_rows import bounded_rows

T = TypeVar("T")

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


_UNREADABLE = (sqlite3.Error, ValueError, LookupError, TypeError, AttributeError, RecursionError)
_MOST_ROUNDS = 10


def records_before_damage(
    connection: sqlite3.Connection, table: str, decode: Callable[[str], T]
) -> tuple[T, ...]:
    """The records of a table before the first one that cannot be read or decoded."""
    found: list[T] = []
    with suppress(*_UNREADABLE):
        # A damaged page may lead back to rows that were read before, an error, too.
        for number, text in bounded_rows(connection, table, 0):
            record: Any = decode(text)
            if table != "cut" and _number_of(record) != number:
                break
            found.append(record)
    return tuple(found)


def _number_of(record: Any) -> int:
    return int(record.number if isinstance(record, Step) else record.id)


def part_before_damage(part: Trace, reason: str) -> Trace:
    """What is valid of the records before the damage; the last finding says that there is more.

    Steps and tensors end before the first one that refers to something that cannot be read; of all
    other records, those that do so are left out. The result is valid, or beyond repair.

    Args:
        part: A trace of the records that can be read.
        reason: What is wrong with the whole trace, in the words of the validation.
    """
    counts: list[int] = []
    # A record that is left out can make another one invalid, so check again.
    for _ in range(_MOST_ROUNDS):
        before, part = counts, _valid_part(part)
        counts = [len(getattr(part, name)) for name in _CHECKED]
        if counts == before:
            break
    message = say("damaged", reason=reason.removesuffix("."))
    note = Finding(
        id=0, code="trace_damaged", severity="warning", message=message, step=None, node=None
    )
    # Nothing refers to their numbers, of which the last one may be taken.
    findings = [replace(each, id=at) for at, each in enumerate((*part.findings, note), 1)]
    return replace(part, findings=tuple(findings))


_CHECKED = ("tensors", "steps", "insides", *RULES)


def _valid_part(part: Trace) -> Trace:
    """The part without what the rules of a trace refuse."""
    tensors = TensorRules(matrices_in(part))
    kept_tensors = _before_problems(part.tensors, tensors)
    known = known_records(part, tensors)
    steps = StepRules(known)
    kept_steps = _before_problems(part.steps, steps)
    others: dict[str, Any] = {
        name: tuple(each for each in getattr(part, name) if not any(rule(each, known)))
        for name, rule in RULES.items()
    }
    insides = tuple(
        each for each in part.insides if _fits(each, InsideRules(known, steps.columns.kinds))
    )
    return replace(part, tensors=kept_tensors, steps=kept_steps, insides=insides, **others)


def _before_problems(records: Sequence[T], rules: Any) -> tuple[T, ...]:
    return tuple(takewhile(lambda record: _fits(record, rules), records))


def _fits(record: Any, rules: Any) -> bool:
    rules.check(record)
    return not rules.problems
