"""The child's end of the protocol: requests in, replies and heartbeats out."""

from __future__ import annotations

import os
import queue
import threading

# By name, because user code may replace the functions in the module.
from os import getpid, write

from gradviz.protocol.exit_codes import PIPE_LOST
from gradviz.protocol.frames import FrameReader
from gradviz.protocol.messages import (
    ChildReply,
    ChildRequest,
    Heartbeat,
    pack_message,
    read_request,
)
from gradviz.worker.streams import ProtocolPipes

HEARTBEAT_S = 0.25
_PIECE_BYTES = 1 << 16


class Channel:
    """Sends replies and waits for the one request.

    The process exits at once when the host closes its end.
    """

    def __init__(self, pipes: ProtocolPipes) -> None:
        self._pipes = pipes
        # A fork copies this object and its pipes; frames of two processes would get mixed up.
        self._own_pid = os.getpid()
        # Several threads send, and a pipe does not keep a long frame in one piece.
        self._lock = threading.Lock()
        self._requests: queue.SimpleQueue[ChildRequest] = queue.SimpleQueue()
        threading.Thread(target=self._read, name="gradviz-requests", daemon=True).start()

    def send(self, reply: ChildReply) -> None:
        """Send a reply; does nothing in a process that user code has forked."""
        self._send(pack_message(reply))

    def _send(self, data: bytes) -> None:
        if getpid() != self._own_pid:
            return
        view = memoryview(data)
        with self._lock:
            try:
                while view:
                    # A pipe may accept only a part at a time.
                    view = view[write(self._pipes.replies, view) :]
            except OSError:  # the host is gone, or user code has closed the pipe
                os._exit(PIPE_LOST)

    def receive(self) -> ChildRequest:
        """Wait for the request."""
        return self._requests.get()

    def start_heartbeat(self) -> None:
        """Start to report four times a second that Python is still running."""
        threading.Thread(target=self._beat, name="gradviz-heartbeat", daemon=True).start()

    def _beat(self) -> None:
        pause, beat = threading.Event(), pack_message(Heartbeat())
        while not pause.wait(HEARTBEAT_S):
            self._send(beat)

    def _read(self) -> None:
        reader = FrameReader()
        while piece := os.read(self._pipes.requests, _PIECE_BYTES):
            for data, _ in reader.feed(piece):
                self._requests.put(read_request(data))
        # The host is gone. `sys.exit` would end only this thread.
        os._exit(0)
