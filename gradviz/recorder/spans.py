"""Which node the engine was at when the graph grew: for the sums that it makes by itself."""

from __future__ import annotations

import threading

from gradviz.recorder.activity import Maker


class Spans:
    """Where in the row of sequence numbers each node of a pass began.

    A span ends where the next one of its thread begins: the engine adds up what several nodes
    contribute to one gradient right after the last of them, outside of all hooks.
    """

    def __init__(self) -> None:
        self._begun: list[tuple[int, int, int, Maker]] = []

    def begin(self, since: int, pass_id: int, maker: Maker) -> None:
        """A node begins to be executed in this thread.

        Args:
            since: Sequence number that the next node in this thread will get.
            pass_id: For which pass.
            maker: The node, and the step.
        """
        self._begun.append((since, threading.get_ident(), pass_id, maker))

    def maker_at(self, sequence: int) -> Maker | None:
        """What was executed in this thread when a node with this sequence number was made."""
        here = threading.get_ident()
        for since, thread, _, maker in reversed(self._begun):
            if thread == here and since <= sequence:
                return maker
        return None

    def forget(self, pass_id: int) -> None:
        """Forgets the spans of a pass."""
        self._begun = [each for each in self._begun if each[2] != pass_id]
