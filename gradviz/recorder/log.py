"""The one place through which records leave the recorder: ids, the clock, open steps, flushing."""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Literal, get_args

from gradviz.model.finding import Finding, Severity
from gradviz.model.graph import SavedSlot
from gradviz.model.source import Location
from gradviz.model.step import Step
from gradviz.model.tensor import TensorRecord
from gradviz.model.trace import Outcome, Record
from gradviz.recorder.plain_text import plain
from gradviz.store.errors import TraceError
from gradviz.store.writer import TraceWriter

Kind = Literal[
    "node", "edge", "saved", "module", "call", "step", "tensor", "source", "console", "finding"
]
_KINDS: tuple[Kind, ...] = get_args(Kind)
_MOST_WAITING = 2_000
_MOST_SECONDS = 0.5
_MOST_FINDINGS = 20
_SOON_FREE_S = 0.1
_SOON_SHARE = 1 / 20

_living: weakref.WeakSet[Log] = weakref.WeakSet()


class Log:
    """Hands out numbers and passes records on to the writer.

    All recording happens while ``lock`` is held, and it is never held while user code runs. So
    whatever a flush commits is complete: each record stands there with all that it refers to.

    Attributes:
        lock: Held while recording.
        strict: Raise trouble instead of noting it.
        alive: False once the recording has ended, though threads of the run may go on, and after
            a fork, in the child: the file belongs to the parent.
        slots: The saved slots with these ids, once they are put; None until then.
        before_flush: Called before each flush, to put what waits elsewhere.
    """

    def __init__(self, writer: TraceWriter, *, strict: bool) -> None:
        self.lock = threading.RLock()
        self.strict = strict
        self.alive = True
        self.slots: dict[int, SavedSlot | None] = {}
        self.before_flush: list[Callable[[], None]] = []
        self._writer = writer
        self._highest = {kind: writer.highest(kind) for kind in _KINDS}
        self._start = time.perf_counter_ns()
        self._open: dict[int, Callable[[], Step]] = {}
        self._unwritten: dict[int, None] = {}
        self._waiting = 0
        self._flushed = time.monotonic()
        self._soon_s = 0.0
        self._troubles: set[str] = set()
        _living.add(self)

    @property
    def border(self) -> Log:
        """Itself: trouble of the recorder ends here."""
        return self

    @property
    def path(self) -> Path:
        """The file."""
        return self._writer.path

    def now(self) -> int:
        """Nanoseconds since the recording began."""
        return time.perf_counter_ns() - self._start

    def at(self, clock: int) -> int:
        """A time of ``time.perf_counter_ns``, since the recording began."""
        return clock - self._start

    def next(self, kind: Kind) -> int:
        """A new id of a kind, or the number of a new step."""
        number = self._highest[kind] + 1
        self._highest[kind] = number
        return number

    def highest(self, kind: Kind) -> int:
        """The id of a kind that was handed out last."""
        return self._highest[kind]

    def put(self, record: Record) -> None:
        """Passes a record on."""
        if self.alive:
            self._writer.put(record)
            self._waiting += 1

    def put_slot(self, slot: SavedSlot) -> None:
        """Passes a saved slot on, and remembers it where somebody waits for it."""
        if slot.id in self.slots:
            self.slots[slot.id] = slot
        self.put(slot)

    def put_tensor(self, record: TensorRecord, data: bytes) -> None:
        """Passes a tensor on."""
        if self.alive:
            self._writer.put_tensor(record, data)
            self._waiting += 1 + (len(data) >> 12)

    def begin(self, unfinished: Callable[[], Step]) -> int:
        """Begins a step that something may happen in.

        Args:
            unfinished: Makes the step as it stands; asked only if it has to be written early.
        """
        number = self.next("step")
        self._open[number] = unfinished
        self._unwritten[number] = None
        return number

    def end(self, number: int, step: Step) -> None:
        """Ends a step with its final record."""
        if self._open.pop(number, None) is None:
            return  # It was left unfinished when the recording ended.
        self._unwritten.pop(number, None)
        self.put(step)
        if self._waiting > _MOST_WAITING or time.monotonic() - self._flushed > _MOST_SECONDS:
            self.flush()

    def renew(self, number: int) -> None:
        """Writes an open step again with the next flush, as more is known about it."""
        if number in self._open:
            self._unwritten[number] = None

    def abandon(self, number: int) -> None:
        """Leaves a step unfinished for good."""
        unfinished = self._open.pop(number, None)
        self._unwritten.pop(number, None)
        if unfinished is not None:
            self.put(unfinished())

    def flush(self) -> None:
        """Commits all there is, open steps included."""
        if not self.alive:
            return
        for action in self.before_flush:
            action()
        for number in self._unwritten:
            self._writer.put(self._open[number]())
        self._unwritten.clear()
        self._writer.flush()
        self._waiting = 0
        self._flushed = time.monotonic()

    def flush_soon(self) -> None:
        """Commits now, unless doing so has already cost too much of the run's time."""
        began = time.monotonic()
        if self._soon_s < _SOON_FREE_S + _SOON_SHARE * (self.now() / 1e9):
            self.flush()
            self._soon_s += time.monotonic() - began

    def finish(self, outcome: Outcome) -> None:
        """Leaves open steps unfinished and says how the recording ended."""
        if self.alive:
            for number in list(self._open):
                self.abandon(number)
            self.flush()
            self._writer.put_outcome(outcome)
            self.alive = False

    def trouble(self, place: str, error: Exception) -> None:
        """Notes trouble of the recorder as a finding, once for each kind."""
        with self.lock:
            text = f"Recording failed in {place}: {type(error).__name__}: {error}"
            if isinstance(error, TraceError):
                # Nothing can be written any more; the run goes on without us.
                self.alive = False
            if text in self._troubles or len(self._troubles) >= _MOST_FINDINGS:
                return
            self._troubles.add(text)
            self.find("recorder_trouble", text, severity="warning")

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
    ) -> None:
        """Puts a finding."""
        self.put(
            Finding(
                id=self.next("finding"),
                code=code,
                severity=severity,
                message=plain(message),
                step=step,
                node=node,
                location=location,
                argument=argument,
            )
        )


def _after_fork_in_child() -> None:
    for log in list(_living):
        log.alive = False
        # Whoever held it does not exist in this process.
        log.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
