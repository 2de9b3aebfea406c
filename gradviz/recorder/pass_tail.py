"""The last backward passes of a recording, while earlier ones are removed from the trace."""

from __future__ import annotations

from gradviz.recorder.recording import Recording
from gradviz.store.writer import TraceWriter

_MOST_SUPERFLUOUS = 16
"""Passes are removed many at a time, because the rest of the trace is then read and rewritten."""


class PassTail:
    """Keeps so many passes at the end, each with what leads to it and what follows."""

    def __init__(self, count: int, recording: Recording, writer: TraceWriter) -> None:
        self._count = count
        self._recording = recording
        self._writer = writer
        # Number of the first step and of the first printed text of each recorded pass.
        self._starts: dict[int, tuple[int, int]] = {}

    @property
    def first_pass(self) -> int | None:
        """The first pass that is still in the trace; None for no pass."""
        return min(self._starts, default=None)

    def begin(self, number: int) -> None:
        """Note that what is recorded from now on belongs to a pass."""
        log = self._recording.error_boundary
        # It belongs to the pass before, even if it has not been written yet.
        self._recording.put_printed()
        self._starts[number] = log.highest("step") + 1, log.highest("console") + 1

    def remove_superfluous(self) -> None:
        """Remove passes from the trace if there are many more than wanted.

        Raises:
            TraceError: If the disk is full or the file no longer exists.
        """
        if len(self._starts) < 2 * self._count + _MOST_SUPERFLUOUS:
            return
        first = sorted(self._starts)[-self._count]
        if self._recording.remove_before(*self._starts[first]):
            self._forget_before(first)

    def finish(self, last_pass: int | None) -> None:
        """Remove all passes but the wanted ones. Call when nothing more is recorded.

        Args:
            last_pass: The last pass that has ended; None if there was none.

        Raises:
            TraceError: If the disk is full or the file no longer exists.
        """
        ended = [each for each in sorted(self._starts) if each <= (last_pass or 0)]
        if len(ended) > self._count:
            first = ended[-self._count]
            first_step, first_console = self._starts[first]
            self._writer.remove_before(first_step=first_step, first_console=first_console)
            self._forget_before(first)
        self._writer.shrink()

    def _forget_before(self, first: int) -> None:
        self._starts = {each: start for each, start in self._starts.items() if each >= first}
