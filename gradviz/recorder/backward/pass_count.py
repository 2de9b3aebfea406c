"""The number of backward passes that a run has started, recorded or not."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any

from gradviz.recorder import compat


class PassCount:
    """Counts the backward passes of a run.

    Attributes:
        started: Passes started so far; a pass has this number when it begins.
        outermost: Those of them that run inside of no other pass.
        recorded: Number of the last outermost pass whose end is recorded; 0 for none.
        running: Calls of the engine outside of other passes that go on now, in all threads.
    """

    def __init__(self) -> None:
        self.started = 0
        self.outermost = 0
        self.recorded = 0
        self.running = 0
        self._lock = threading.Lock()

    def note_recorded(self) -> None:
        """Note that the end of a pass that the calling thread has run is recorded."""
        if not is_in_pass():
            self.recorded = self.outermost

    def enter(self) -> None:
        """Count an outermost call of the engine, which torch may refuse."""
        with self._lock:
            self.running += 1

    def leave(self) -> None:
        """Note that such a call has returned or raised."""
        with self._lock:
            self.running -= 1

    def begin(self) -> None:
        """Count a pass that the calling thread is about to start."""
        self.started += 1
        self.outermost += not is_in_pass()


def is_in_pass() -> bool:
    """Whether the calling thread executes a node of a backward pass."""
    return compat.current_pass() >= 0


def start_nodes(outputs: Iterable[Any]) -> list[tuple[Any, int]] | None:
    """The nodes at which a pass starts, with the output; None if torch will refuse it."""
    starts = [compat.root_node(output) for output in outputs]
    return None if not starts or any(node is None for node, _ in starts) else starts
