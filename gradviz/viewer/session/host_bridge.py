"""Delivers messages from child processes, received in host threads, to the GUI thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, Qt, Signal, Slot

from gradviz.host.job import OnEnd, OnMessage
from gradviz.host.job_ending import JobEnding
from gradviz.host.limits import Limits
from gradviz.protocol.messages import ChildRequest, JobMessage, Ready, RunRequest


class Cancellable(Protocol):
    """The part of a pool's job that the window uses."""

    def cancel(self) -> None:
        """Cancel the job."""

    def restart_clock(self, limits: Limits) -> None:
        """Apply other limits, as if the job had only now begun."""


class RepeatableJob(Cancellable, Protocol):
    """A job whose child may stay and run the same code again."""

    def run_next(self, request: RunRequest) -> None:
        """Give it the next run."""


class Starter(Protocol):
    """A pool of child processes, such as `gradviz.host.pool.ChildPool`."""

    def start(
        self,
        request: ChildRequest,
        *,
        limits: Limits | None = None,
        on_message: OnMessage = ...,
        on_end: OnEnd = ...,
    ) -> RepeatableJob:
        """Start a request in a child process."""

    def replace_spare(self) -> None:
        """Replace the spare child process with a new one."""

    def close(self) -> None:
        """End all child processes and wait for them."""


MakePool = Callable[[Callable[[Ready], None]], Starter]


class HostBridge(QObject):
    """A pool of child processes whose signals are emitted in the GUI thread only.

    Attributes:
        last_ready: The last child's report that it is ready; None before the first one.

    Signals:
        ready: `Ready`, each time a child has imported torch.
        messaged: Number of the job and its `JobMessage`.
        ended: Number of the job and its `JobEnding`.
    """

    # Signals of `object` pass the Python object itself; PySide copies or converts other types.
    ready = Signal(object)
    messaged = Signal(object, object)
    ended = Signal(object, object)

    _ready_there = Signal(object)
    _messaged_there = Signal(object, object)
    _ended_there = Signal(object, object)

    def __init__(self, make_pool: MakePool, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # The pool calls from its own threads; a queued connection runs the slot in this object's.
        queued = Qt.ConnectionType.QueuedConnection
        self._ready_there.connect(self._on_there_ready, queued)
        self._messaged_there.connect(self._on_there_messaged, queued)
        self._ended_there.connect(self._on_there_ended, queued)
        self._numbers = 0
        self._closed = False
        self.last_ready: Ready | None = None
        self._pool = make_pool(self._ready_there.emit)

    def start(
        self, request: ChildRequest, limits: Limits | None = None
    ) -> tuple[int, RepeatableJob]:
        """Start a request; return its number in the signals, and the job."""
        self._numbers += 1
        number = self._numbers

        def on_message(message: JobMessage) -> None:
            self._messaged_there.emit(number, message)

        def on_end(ending: JobEnding) -> None:
            self._ended_there.emit(number, ending)

        job = self._pool.start(request, limits=limits, on_message=on_message, on_end=on_end)
        return number, job

    def replace_spare(self) -> None:
        """Let the next request start in the current language."""
        self._pool.replace_spare()

    def close(self) -> None:
        """End all child processes and wait; no signals are emitted afterward."""
        self._closed = True
        self._pool.close()

    @Slot(object)
    def _on_there_ready(self, ready: Ready) -> None:
        # Queued calls can still arrive after `close`.
        if not self._closed:
            self.last_ready = ready
            self.ready.emit(ready)

    @Slot(object, object)
    def _on_there_messaged(self, number: int, message: JobMessage) -> None:
        if not self._closed:
            self.messaged.emit(number, message)

    @Slot(object, object)
    def _on_there_ended(self, number: int, ending: JobEnding) -> None:
        if not self._closed:
            self.ended.emit(number, ending)
