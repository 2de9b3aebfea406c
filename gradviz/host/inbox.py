"""Reads a child's messages and keeps what they said."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

from gradviz.host.job import Job
from gradviz.protocol.frames import FrameError, FrameReader
from gradviz.protocol.messages import Described, Finished, Progress, Ready, Reply, read_reply

_PIECE_BYTES = 1 << 16


class Inbox:
    """The thread that reads frames, and the state that they make.

    Attributes:
        job: Who gets `Described` and `Progress`.
        ready: What the child said when it was warm; None before.
        finished: Its last message; None before.
        problem: What was wrong with its bytes; empty if nothing was.
        heard: When the last message came, on the monotonic clock.
        is_closed: Whether the stream has ended.
    """

    def __init__(self, changed: threading.Condition, on_ready: Callable[[Ready], None]) -> None:
        """Makes an inbox that does not read yet.

        Args:
            changed: Notified whenever anything but ``heard`` changes.
            on_ready: Called from the reading thread.
        """
        self.job: Job | None = None
        self.ready: Ready | None = None
        self.finished: Finished | None = None
        self.problem = ""
        self.heard = time.monotonic()
        self.is_closed = False
        self._changed = changed
        self._on_ready = on_ready
        self._thread: threading.Thread | None = None

    def start(self, descriptor: int) -> None:
        """Starts to read."""
        self._thread = threading.Thread(
            target=self._read, args=(descriptor,), name="gradviz-messages", daemon=True
        )
        self._thread.start()

    def join(self, timeout_s: float) -> bool:
        """Waits until the stream has ended; tells whether it has."""
        if self._thread is not None:
            self._thread.join(timeout_s)
        return self._thread is None or not self._thread.is_alive()

    def _read(self, descriptor: int) -> None:
        reader = FrameReader()
        try:
            while piece := os.read(descriptor, _PIECE_BYTES):
                for data, _ in reader.feed(piece):
                    self._take(read_reply(data))
        except FrameError as error:
            self.problem = str(error)
        finally:
            with self._changed:
                self.is_closed = True
                self._changed.notify_all()

    def _take(self, reply: Reply) -> None:
        self.heard = time.monotonic()
        match reply:
            case Ready():
                with self._changed:
                    self.ready = reply
                    self._changed.notify_all()
                self._on_ready(reply)
            case Finished():
                with self._changed:
                    self.finished = reply
                    self._changed.notify_all()
            case Described() | Progress():
                if self.job is not None:
                    self.job.tell(reply)
