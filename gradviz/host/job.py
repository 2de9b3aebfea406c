"""One request that a child works on."""

from __future__ import annotations

import threading
from collections.abc import Callable

from gradviz.host.ending import Ending
from gradviz.host.limits import Limits
from gradviz.protocol.messages import Described, Progress, Request

OnMessage = Callable[[Described | Progress], None]
OnEnd = Callable[[Ending], None]


class Job:
    """A request that was handed to a child. Made by `Pool.start`; all of it is safe in any thread.

    Attributes:
        request: What was asked.
        limits: What it may use.
    """

    def __init__(
        self, request: Request, limits: Limits, on_message: OnMessage, on_end: OnEnd
    ) -> None:
        self.request = request
        self.limits = limits
        self._on_message = on_message
        self._on_end = on_end
        self._ending: Ending | None = None
        self._ended = threading.Event()
        self._cancel = threading.Event()
        self._wake: Callable[[], None] = lambda: None

    @property
    def ending(self) -> Ending | None:
        """How it ended; None while it goes on."""
        return self._ending

    def cancel(self) -> None:
        """Ends the work at once; the ending arrives as always. Does nothing to an ended job."""
        self._cancel.set()
        self._wake()

    def wait(self, timeout_s: float | None = None) -> Ending | None:
        """Waits for the end; None if it takes longer. Never to be called in a callback."""
        self._ended.wait(timeout_s)
        return self._ending

    @property
    def is_cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._cancel.is_set()

    def on_cancel(self, wake: Callable[[], None]) -> None:
        """Has ``wake`` called, from any thread, when the job is cancelled. For the child."""
        self._wake = wake

    def tell(self, message: Described | Progress) -> None:
        """Hands on a message, unless the job has ended. For the child."""
        if not self._ended.is_set():
            self._on_message(message)

    def end(self, ending: Ending) -> None:
        """Hands on the ending, once. For the child."""
        if not self._ended.is_set():
            self._ending = ending
            self._ended.set()
            self._on_end(ending)
