"""Reader of a child's messages that keeps the latest state."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

from gradviz.host.job import ChildJob
from gradviz.protocol.frames import FrameError, FrameReader
from gradviz.protocol.messages import (
    ChildReply,
    Described,
    Finished,
    Ready,
    WorkProgress,
    read_reply,
)

_PIECE_BYTES = 1 << 16


class MessageReader:
    """Thread that reads message frames, and the state they lead to.

    Attributes:
        job: Receiver of `Described` and `WorkProgress`.
        ready: The child's message that it is warm; None before.
        finished: The child's last message; None before.
        problem: What was wrong with the bytes received; empty if nothing was.
        heard: Time of the last message, on the monotonic clock.
        is_closed: Whether the stream has ended.
    """

    def __init__(self, changed: threading.Condition, on_ready: Callable[[Ready], None]) -> None:
        """Create an inbox that does not read yet.

        Args:
            changed: Notified when anything but ``heard`` changes.
            on_ready: Called from the reading thread.
        """
        self.job: ChildJob | None = None
        self.ready: Ready | None = None
        self.finished: Finished | None = None
        self.problem = ""
        self.heard = time.monotonic()
        self.is_closed = False
        self._changed = changed
        self._on_ready = on_ready
        self._thread: threading.Thread | None = None

    def start(self, descriptor: int) -> None:
        """Start the reading thread on a file descriptor."""
        self._thread = threading.Thread(
            target=self._read, args=(descriptor,), name="gradviz-messages", daemon=True
        )
        self._thread.start()

    def join(self, timeout_s: float) -> bool:
        """Wait until the stream has ended and return whether it has."""
        if self._thread is not None:
            self._thread.join(timeout_s)
        return self._thread is None or not self._thread.is_alive()

    def _read(self, descriptor: int) -> None:
        reader = FrameReader()
        try:
            # A plain read waits without the GIL and returns as soon as anything has arrived.
            while piece := os.read(descriptor, _PIECE_BYTES):
                for data, _ in reader.feed(piece):
                    self._take(read_reply(data))
        except FrameError as error:
            self.problem = str(error)
        finally:
            with self._changed:
                self.is_closed = True
                self._changed.notify_all()

    def _take(self, reply: ChildReply) -> None:
        self.heard = time.monotonic()
        match reply:
            case Ready():
                with self._changed:
                    self.ready = reply
                    self._changed.notify_all()
                # After the lock is released, because the callback is not our code.
                self._on_ready(reply)
            case Finished():
                with self._changed:
                    self.finished = reply
                    self._changed.notify_all()
            case Described() | WorkProgress():
                if self.job is not None:
                    self.job.tell(reply)
