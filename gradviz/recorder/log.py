"""Central log of a recording: ids, the clock, open steps, and flushing to the writer."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from time import monotonic, perf_counter_ns
from types import CodeType
from typing import Literal, TypeVar, get_args

from msgspec.structs import replace

from gradviz.catalogue.messages import say
from gradviz.model.console import ConsoleCut, ConsoleText
from gradviz.model.finding import Finding, Severity
from gradviz.model.graph import SavedSlot
from gradviz.model.source import Location
from gradviz.model.statistics import Statistics
from gradviz.model.step import MissingStep, Step
from gradviz.model.tensor import TensorRecord
from gradviz.model.trace import Outcome, Record
from gradviz.recorder.error_boundary import safe_exception_text
from gradviz.recorder.safe_text import class_name, printable_text
from gradviz.store.errors import TraceError
from gradviz.store.forks import call_after_fork
from gradviz.store.packed_rows import SharedCopy, TraceRow
from gradviz.store.pruning import KeptRecords
from gradviz.store.writer import TraceWriter, row_of

A = TypeVar("A")
R = TypeVar("R")

RecordKind = Literal[
    "node",
    "edge",
    "saved",
    "write",
    "module",
    "call",
    "step",
    "tensor",
    "source",
    "console",
    "finding",
]
_KINDS: tuple[RecordKind, ...] = get_args(RecordKind)

_REPEATED: tuple[RecordKind, ...] = ("step", "node", "edge", "saved")

RecordingPlace = dict[RecordKind, int]
"""A place in a recording: the highest id of each kind before it."""

_MOST_WAITING = 2_000
_MOST_SECONDS = 0.5
_MOST_FINDINGS = 20
# Early commits may take 0.1 s, and then a fiftieth of the run's time.
_SOON_FREE_S = 0.1
_SOON_SHARE = 1 / 50


class RecordLog:
    """Hands out ids and passes records to the writer.

    All recording happens while ``lock`` is held, and it is never held while user code runs. What a
    flush commits is therefore complete: each record comes with everything it refers to.

    Attributes:
        lock: Held while recording.
        strict: Raise recording errors instead of reporting them as findings.
        alive: False once the recording has ended, even if threads of the run continue, and in the
            child after a fork, because the file belongs to the parent.
        keeps_text: Whether what the run prints is recorded even while nothing else is.
        unreported: Errors that could not be reported when they happened, by their places.
        problem: Why the trace could not be written, so that the recording ended before the run.
        ids: The last id of each kind that was handed out; for steps, the number.
        slots: Saved slots that were asked for, by id; None until they are recorded.
        before_call: Called once, before the next call of the run would be recorded. If it ends
            the recording, the call is not part of it.
        accepts_call: Whether the call that the calling thread is about to make is recorded.
        awaits_call: Whether the recording has begun behind a pass whose optimizer steps belong
            to that pass; they are not recorded, nor is what the run prints until then.
    """

    def __init__(
        self, writer: TraceWriter, *, strict: bool, accepts_call: Callable[[], bool] = lambda: True
    ) -> None:
        # Reentrant, because an error may be reported while it is held.
        self.lock = threading.RLock()
        self.strict = strict
        self.alive = True
        self.keeps_text = False
        self.unreported: dict[str, Exception] = {}
        self.problem: TraceError | None = None
        self.slots: dict[int, SavedSlot | None] = {}
        self.before_call: Callable[[], None] | None = None
        self.awaits_call = False
        self.accepts_call = accepts_call
        self._flush_hooks: list[Callable[[], None]] = []
        self._writer = writer
        self.ids = {kind: writer.highest(kind) for kind in _KINDS}
        self._process = os.getpid()
        self._start = perf_counter_ns()
        self._open: dict[int, Callable[[], Step]] = {}
        self._unwritten: dict[int, None] = {}
        self._pending: list[TraceRow] = []
        self._waiting = 0
        self._flushed = monotonic()
        self._soon_s = 0.0
        self._committed_before: set[CodeType | None] = set()
        self._reported_errors: set[str] = set()
        call_after_fork(self, RecordLog._end_in_fork)

    @property
    def error_boundary(self) -> RecordLog:
        """This log, because all recording errors end here."""
        return self

    @property
    def path(self) -> Path:
        """Path of the trace file."""
        return self._writer.path

    def add_flush_hook(self, put_pending: Callable[[], None]) -> None:
        """Call a function before each flush, so that it can put the records it has collected."""
        self._flush_hooks.append(put_pending)

    def close(self) -> None:
        """Ignore all further records."""
        self.alive = False

    def announce_call(self) -> bool:
        """Whether to record a call that creates nodes. Call with the lock held."""
        return self.announce_pass() and self.accepts_call()

    def announce_pass(self) -> bool:
        """Whether to record a backward pass. Call with the lock held."""
        action, self.before_call = self.before_call, None
        if action is not None:
            action()
        self.awaits_call = False
        return self.alive

    def now(self) -> int:
        """Nanoseconds since the recording began."""
        return perf_counter_ns() - self._start

    def at(self, clock: int) -> int:
        """Convert a ``time.perf_counter_ns`` value to nanoseconds since the recording began."""
        return clock - self._start

    def next(self, kind: RecordKind) -> int:
        """A new id of a kind; for a step, its number."""
        number = self.ids[kind] + 1
        self.ids[kind] = number
        return number

    def reserve(self, kind: RecordKind, count: int) -> int:
        """Several new ids of a kind; returns the first."""
        first = self.ids[kind] + 1
        self.ids[kind] += count
        return first

    def highest(self, kind: RecordKind) -> int:
        """The last id of a kind that was handed out."""
        return self.ids[kind]

    def put(self, record: Record) -> None:
        """Pass a record to the writer."""
        if self.alive:
            self._writer.put_rows([row_of(record)])
            self._waiting += 1

    def put_later(self, rows: Iterable[TraceRow]) -> None:
        """Keep rows, which must not change, until the next `put_rows` writes them with its own."""
        if self.alive:
            self._pending += rows

    def put_rows(self, rows: Sequence[TraceRow]) -> None:
        """Pass rows to the writer; a reader sees all or none of them."""
        if self.alive:
            if self._pending:
                rows = (*self._pending, *rows)
            size = self._writer.put_rows(rows)
            # After that: an exception in between has them put twice, which changes nothing.
            self._pending.clear()
            # Bytes count too: 4 KiB of them like one record.
            self._waiting += len(rows) + (size >> 12)

    def keep_text(self, keeps: bool) -> None:
        """Set whether what the run prints is recorded even while nothing else is."""
        self.keeps_text = keeps

    @property
    def takes_text(self) -> bool:
        """Whether what the run prints is recorded."""
        return self.alive or (self.keeps_text and self._is_writable)

    @property
    def _is_writable(self) -> bool:
        return self.problem is None and os.getpid() == self._process

    def put_text(self, record: ConsoleText | ConsoleCut) -> None:
        """Pass what the run has printed to the writer, if it takes text."""
        if self.takes_text:
            self._writer.put(record)
            self._waiting += 1

    def put_step(self, make: Callable[[int], Step]) -> int:
        """Pass a step to the writer, and return its number.

        Args:
            make: Creates the step with a number, which is not used up if it raises.
        """
        self.put(make(self.ids["step"] + 1))
        return self.next("step")

    def put_missing_step(
        self, name: str, error: Exception, pass_id: int | None, number: int | None = None
    ) -> None:
        """Pass a placeholder to the writer, because a step could not be recorded.

        Args:
            name: Name of the function or the node.
            error: Why it could not be recorded.
            pass_id: The backward pass during which it happened.
            number: Number of the step if it is open; the placeholder takes its place.
        """

        def placeholder(number: int) -> Step:
            return MissingStep(
                number=number,
                started_ns=self.now(),
                pass_id=pass_id,
                name=printable_text(name),
                reason=say("recording.step", **_words(error)),
            )

        if number is None:
            self.put_step(placeholder)
        else:
            self.end(number, placeholder(number))

    def put_slot(self, slot: SavedSlot) -> None:
        """Pass a saved slot to the writer, and remember it if its id was asked for."""
        if slot.id in self.slots:
            self.slots[slot.id] = slot
        self.put(slot)

    def share(self, address: int, size: int, earlier: SharedCopy | None) -> SharedCopy | None:
        """Copy a tensor's elements for the process that writes; see `TraceWriter.share`."""
        copy = self._writer.share(address, size, earlier) if self.alive else None
        if copy is not earlier:
            self._waiting += size >> 12
        return copy

    def put_tensor(
        self,
        record: TensorRecord,
        data: bytes | SharedCopy,
        storage: int | None,
        version: int | None,
        offset: int | None,
        statistics: Statistics | None = None,
    ) -> int:
        """Pass a tensor to the writer, together with the next rows, and return its number.

        Args:
            record: Its record, but for its number and what follows.
            data: Its elements that are stored, or a copy of all of them.
            storage: Number of its storage.
            version: Its version counter.
            offset: Its offset in the storage.
            statistics: Its statistics, if they are known.
        """
        number = self.ids["tensor"] = self.ids["tensor"] + 1
        if self.alive:
            record = replace(
                record,
                id=number,
                storage=storage,
                version=version,
                offset=offset,
                statistics=statistics,
            )
            self._pending.append(("tensor", number, record, data))
        return number

    def begin(self, unfinished: Callable[[], Step]) -> int:
        """Open a step that can contain other steps, and return its number.

        Args:
            unfinished: Creates the step in its current state, if it has to be written early.
        """
        self.ids["step"] = number = self.ids["step"] + 1
        self._open[number] = unfinished
        self._unwritten[number] = None
        return number

    def end(self, number: int, step: Step) -> None:
        """Close a step with its final record."""
        if number in self._open:
            self.put_rows((("step", number, step, None),))
            # After that, as an exception may come in between.
            self._unwritten.pop(number, None)
            self._open.pop(number, None)
            if self._waiting > _MOST_WAITING or monotonic() - self._flushed > _MOST_SECONDS:
                self.flush()

    @property
    def is_idle(self) -> bool:
        """Whether no step is open."""
        return not self._open

    def mark_changed(self, number: int) -> None:
        """Write an open step again with the next flush, because it has changed."""
        if number in self._open:
            self._unwritten[number] = None

    def abandon(self, number: int) -> None:
        """Leave a step unfinished for good."""
        if number in self._open:
            self.put(self._unfinished(number))
            self._unwritten.pop(number, None)
            self._open.pop(number, None)

    def _unfinished(self, number: int) -> Step:
        step = self._open[number]()
        # An exception may have come before its maker knew the number.
        return step if step.number == number else replace(step, number=number)

    def flush(self) -> None:
        """Commit everything recorded so far, including open steps."""
        if not self.takes_text:
            return
        for action in self._flush_hooks:
            action()
        if self._pending:
            self.put_rows(())
        # Steps that are still open are written as well: if the run is killed, they show where.
        for number in self._unwritten:
            self._writer.put(self._unfinished(number))
        self._unwritten.clear()
        self._writer.flush()
        self._waiting = 0
        self._flushed = monotonic()

    def flush_for_reader(self) -> None:
        """Commit everything recorded so far, and wait until readers of the trace see it."""
        self.flush()
        self._writer.wait()

    def compute(self, function: Callable[[Path, A], R], facts: A, kind: type[R]) -> R:
        """Apply a function to everything recorded so far; see `TraceWriter.compute`."""
        self.flush()
        return self._writer.compute(function, facts, kind)

    def remove_before(
        self, first_step: int, first_console: int, nodes: Iterable[int]
    ) -> KeptRecords:
        """Remove the first steps from the trace, as `TraceWriter.remove_before` does."""
        self.flush()
        return self._writer.remove_before(
            first_step=first_step, first_console=first_console, nodes=nodes
        )

    def place(self) -> RecordingPlace:
        """The place of what is recorded next."""
        return self.ids.copy()

    def remove_after(self, place: RecordingPlace) -> None:
        """Remove what was recorded from a place on, but not source files. Call after `pause`.

        So that a changed run finds the same graph, its ids begin there again. Other ids go on,
        because objects may have them.
        """
        self._writer.remove_after(
            {kind: number for kind, number in place.items() if kind != "source"},
            keeps_text=self.keeps_text,
        )
        for kind in _REPEATED:
            self.ids[kind] = place[kind]

    def flush_soon(self) -> None:
        """Commit now, unless this has taken too much of the run's time and was done recently."""
        began = monotonic()
        share = _SOON_FREE_S + _SOON_SHARE * (self.now() / 1e9)
        if self._soon_s < share or began - self._flushed > _MOST_SECONDS:
            self.flush()
            self._soon_s += monotonic() - began

    def flush_before(self, code: CodeType | None) -> None:
        """Commit because user code runs next, which may crash or never return.

        This always happens before the first run of a function; later runs at most lose what was
        recorded within the last half second.
        """
        if code in self._committed_before:
            self.flush_soon()
        else:
            self._committed_before.add(code)
            self.flush()

    def finish(self, outcome: Outcome) -> None:
        """Leave open steps unfinished and record how the recording ended."""
        if self.alive:
            self.pause()
            self._writer.put_outcome(outcome)

    def pause(self) -> None:
        """Leave open steps unfinished and ignore records until `resume`."""
        if self.alive:
            for number in list(self._open):
                self.abandon(number)
            self.flush()
            self.alive = False

    def resume(self) -> None:
        """Take records again after `pause`, unless the trace could not be written or is forked."""
        self.alive = self._is_writable

    def report_error(self, place: str, error: Exception) -> None:
        """Report a recording error as a finding, once for each text."""
        with self.lock:
            text = say("recording.failed", place=place, **_words(error))
            if isinstance(error, TraceError):
                # Nothing more can be written; the run continues without recording.
                self.alive = False
                self.problem = self.problem or error
            if text in self._reported_errors or len(self._reported_errors) >= _MOST_FINDINGS:
                return
            self._reported_errors.add(text)
            self.find("recorder_trouble", text, severity="warning")

    def report_rest(self) -> None:
        """Report the errors that could not be reported when they happened."""
        for place, error in self.unreported.items():
            self.report_error(place, error)

    def find(
        self,
        code: str,
        message: str,
        *,
        severity: Severity = "info",
        step: int | None = None,
        node: int | None = None,
        location: Location | None = None,
        argument: int | None = None,
        number: int | None = None,
    ) -> int:
        """Record a finding, in place of the one with a number if given; return its number."""
        number = self.next("finding") if number is None else number
        self.put(
            Finding(
                id=number,
                code=code,
                severity=severity,
                message=printable_text(message),
                step=step,
                node=node,
                location=location,
                argument=argument,
            )
        )
        return number

    def _end_in_fork(self) -> None:
        self.alive = False
        # The thread that held it does not exist in this process.
        self.lock = threading.RLock()


def _words(error: Exception) -> dict[str, str]:
    text = printable_text(" ".join(safe_exception_text(error).split()))
    return {"kind": class_name(type(error))[:_MOST_ERROR], "error": text[:_MOST_ERROR]}


_MOST_ERROR = 300
