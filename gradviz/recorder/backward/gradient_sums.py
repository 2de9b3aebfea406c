"""Lookup of the node that was executing when a sum was created by the engine itself."""

from __future__ import annotations

from threading import get_ident

from gradviz.recorder.thread_state import ProducingNode


class GradientSumTracker:
    """Sequence numbers at which the nodes of a pass began to execute.

    A span ends where the next one of its thread begins: the engine sums the contributions of
    several nodes to one gradient right after the last of them, outside of all hooks.
    """

    def __init__(self) -> None:
        self._begun: list[tuple[int, int, int, ProducingNode]] = []

    def begin(self, since: int, pass_id: int, maker: ProducingNode) -> None:
        """Note that a node begins to execute in this thread.

        Args:
            since: Sequence number that the next node in this thread will get.
            pass_id: The backward pass.
            maker: The node and its step.
        """
        self._begun.append((since, get_ident(), pass_id, maker))

    def producer_at(self, sequence: int) -> ProducingNode | None:
        """What was executing in this thread when the node with this number was created."""
        thread_id = get_ident()
        for since, thread, _, maker in reversed(self._begun):
            if thread == thread_id and since <= sequence:
                return maker
        return None

    def forget(self, pass_id: int) -> None:
        """Discard the spans of a pass."""
        self._begun = [each for each in self._begun if each[2] != pass_id]
