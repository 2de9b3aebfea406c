"""Reader of a pipe that keeps only the end of its data."""

from __future__ import annotations

import os
import threading

KEPT_BYTES = 64 << 10
_PIECE_BYTES = 1 << 18


class StderrTail:
    """Thread that reads a child's stderr until it closes, so that the child never blocks."""

    def __init__(self, descriptor: int, *, kept_bytes: int = KEPT_BYTES) -> None:
        self._descriptor = descriptor
        self._kept_bytes = kept_bytes
        self._kept = bytearray()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._drain, name="gradviz-stderr", daemon=True)
        self._thread.start()

    @property
    def text(self) -> str:
        """Last part of the data, as text."""
        with self._lock:
            return self._kept.decode("utf-8", "replace")

    def join(self, timeout_s: float) -> bool:
        """Wait until the pipe is closed and return whether it is."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _drain(self) -> None:
        while piece := os.read(self._descriptor, _PIECE_BYTES):
            with self._lock:
                self._kept += piece
                del self._kept[: -self._kept_bytes]
