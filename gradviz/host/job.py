"""A request that a child process works on."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

from gradviz.host.job_ending import JobEnding
from gradviz.host.limits import Limits
from gradviz.protocol.messages import (
    ChildRequest,
    Described,
    DescribeRequest,
    JobMessage,
    Ran,
    RunRequest,
)

OnMessage = Callable[[JobMessage], None]
OnEnd = Callable[[JobEnding], None]


class ChildJob:
    """A request given to a child by `Pool.start`; thread-safe.

    Attributes:
        request: The request; the latest one of a child that stays.
        limits: Limits on time and memory.
        clock_started: When its time began, on the monotonic clock; 0 before `restart_clock`.
        is_waiting: Whether the child has answered all requests, and waits for another one.
    """

    def __init__(
        self, request: ChildRequest, limits: Limits, on_message: OnMessage, on_end: OnEnd
    ) -> None:
        self.request = request
        self.limits = limits
        self.clock_started = 0.0
        self.is_waiting = False
        self._unsent = deque([request])
        self._on_message = on_message
        self._on_end = on_end
        self._ending: JobEnding | None = None
        self._ended = threading.Event()
        self._cancel = threading.Event()
        self._wake: Callable[[], None] = lambda: None

    @property
    def ending(self) -> JobEnding | None:
        """Outcome of the job; None while it is running."""
        return self._ending

    def cancel(self) -> None:
        """Kill the child at once; the outcome arrives as usual. No effect on an ended job."""
        self._cancel.set()
        self._wake()

    def restart_clock(self, limits: Limits) -> None:
        """Apply other limits, as if the child had only now taken the request."""
        self.limits, self.clock_started = limits, time.monotonic()

    def run_next(self, request: RunRequest) -> None:
        """Give the next run to a child that stays and has answered with `Ran`."""
        self.request = request
        self.is_waiting = False
        self.restart_clock(self.limits)
        self._unsent.append(request)
        self._wake()

    @property
    def has_unsent(self) -> bool:
        """Whether there is a request that the child has not been sent."""
        return bool(self._unsent)

    def next_unsent(self) -> ChildRequest:
        """Take the next request that the child has not been sent; used by the child."""
        return self._unsent.popleft()

    def wait(self, timeout_s: float | None = None) -> JobEnding | None:
        """Wait for the outcome; None after the timeout. Must not be called in a callback."""
        self._ended.wait(timeout_s)
        return self._ending

    @property
    def is_cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._cancel.is_set()

    def on_cancel(self, wake: Callable[[], None]) -> None:
        """Set the function that a cancel calls, from any thread; used by the child."""
        self._wake = wake

    def tell(self, message: JobMessage) -> None:
        """Pass on a message unless the job has ended; used by the child."""
        if not self._ended.is_set():
            if isinstance(message, Described) and isinstance(self.request, DescribeRequest):
                # What follows has the whole time again.
                self.restart_clock(self.limits)
            # Before the next request, which the receiver may give at once.
            self.is_waiting = isinstance(message, Ran)
            self._on_message(message)

    def end(self, ending: JobEnding) -> None:
        """Pass on the outcome, once; used by the child."""
        if not self._ended.is_set():
            self._ending = ending
            self._ended.set()
            self._on_end(ending)
