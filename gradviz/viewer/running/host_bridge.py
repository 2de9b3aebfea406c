"""Brings what the children say from the host's threads into the GUI thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, Qt, Signal, Slot

from gradviz.host.ending import Ending
from gradviz.host.job import OnEnd, OnMessage
from gradviz.host.limits import Limits
from gradviz.protocol.messages import Described, Progress, Ready, Request


class Cancellable(Protocol):
    """A job of the pool, as the window uses it."""

    def cancel(self) -> None:
        """Ends it."""


class Starter(Protocol):
    """A pool of children; `gradviz.host.pool.Pool` is one."""

    def start(
        self,
        request: Request,
        *,
        limits: Limits | None = None,
        on_message: OnMessage = ...,
        on_end: OnEnd = ...,
    ) -> Cancellable:
        """Begins with a request."""

    def close(self) -> None:
        """Ends everything and waits for it."""


MakePool = Callable[[Callable[[Ready], None]], Starter]


class HostBridge(QObject):
    """One pool of children; its signals are emitted in the GUI thread only.

    Attributes:
        last_ready: What the last warm child said of itself; None before the first is warm.

    Signals:
        ready: `Ready`, each time a child has become warm.
        messaged: Number of the job and what it said, `Described` or `Progress`.
        ended: Number of the job and its `Ending`.
    """

    ready = Signal(object)
    messaged = Signal(object, object)
    ended = Signal(object, object)

    _ready_there = Signal(object)
    _messaged_there = Signal(object, object)
    _ended_there = Signal(object, object)

    def __init__(self, make_pool: MakePool, parent: QObject | None = None) -> None:
        super().__init__(parent)
        queued = Qt.ConnectionType.QueuedConnection
        self._ready_there.connect(self._on_there_ready, queued)
        self._messaged_there.connect(self._on_there_messaged, queued)
        self._ended_there.connect(self._on_there_ended, queued)
        self._numbers = 0
        self._closed = False
        self.last_ready: Ready | None = None
        self._pool = make_pool(self._ready_there.emit)

    def start(self, request: Request, limits: Limits | None = None) -> tuple[int, Cancellable]:
        """Begins with a request; returns the job and the number that the signals call it by."""
        self._numbers += 1
        number = self._numbers

        def on_message(message: Described | Progress) -> None:
            self._messaged_there.emit(number, message)

        def on_end(ending: Ending) -> None:
            self._ended_there.emit(number, ending)

        job = self._pool.start(request, limits=limits, on_message=on_message, on_end=on_end)
        return number, job

    def close(self) -> None:
        """Ends all children and waits for them; nothing is emitted afterwards."""
        self._closed = True
        self._pool.close()

    @Slot(object)
    def _on_there_ready(self, ready: Ready) -> None:
        if not self._closed:
            self.last_ready = ready
            self.ready.emit(ready)

    @Slot(object, object)
    def _on_there_messaged(self, number: int, message: Described | Progress) -> None:
        if not self._closed:
            self.messaged.emit(number, message)

    @Slot(object, object)
    def _on_there_ended(self, number: int, ending: Ending) -> None:
        if not self._closed:
            self.ended.emit(number, ending)
