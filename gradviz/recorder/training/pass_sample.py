"""Which passes of a long run are recorded, and the numbers of all."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

from gradviz.model.settings.recording_scope import SAMPLED_AT_ONCE, PassRange
from gradviz.recorder.autograd_graph import SeenLeaves
from gradviz.recorder.training.pass_numbers import PassNumberRecorder
from gradviz.store.writer import TraceWriter

_SHARE = 0.03
"""Share of the run's time for passes that are recorded because the run may end soon.

Most of them are removed from the trace again.
"""

_EARLY_SHARE = 0.1
_EARLY_S = 0.7
"""Seconds that recording may take beyond its share at the beginning of a run."""

_ROW_SHARE = 0.1 * _SHARE
"""The same for passes in a row, so that the last ones are in the last tenth of a run."""


_JUMP_ROW = 5
"""How many passes a sample has in a row where a loss or gradient norm jumps."""

_MOST_JUMPS = 3
"""Number of such rows between two passes that are in each sample."""


class PassSample:
    """Decides which passes are recorded.

    Attributes:
        numbers: The numbers of all passes.
    """

    def __init__(self, passes: PassRange, writer: TraceWriter, leaves: SeenLeaves) -> None:
        self._passes = passes
        self.numbers = PassNumberRecorder(writer, leaves)
        # The last pass that is recorded because of what has happened.
        self._alarmed_until = 0
        self._was_finite = True
        # Since the last pass that is in each sample.
        self._jumps = 0
        self._has_paused = False
        self._started = self._began = perf_counter()
        # Seconds for passes that are recorded because the run may end soon, for one of them, and
        # for the last row of them.
        self._spent = self._expected = 0.0
        self._spent_last = 0.0
        self._may_be_last = False

    def note(self, number: int, outputs: Sequence[Any]) -> None:
        """Note a pass that has returned; where a number jumps or is not finite, it is an alarm.

        Args:
            number: Number of the pass.
            outputs: The tensors at which it has started.
        """
        self.numbers.note(outputs)
        if self._passes.rows:
            return
        if self._was_finite and not self.numbers.is_finite:
            self._alarmed_until = number + SAMPLED_AT_ONCE
        elif self.numbers.has_jumped and self._may_jump(number):
            self._note_jump(number + _JUMP_ROW)
        self._was_finite = self.numbers.is_finite
        if self._passes.samples(number):
            self._jumps = 0

    def notes_jump(self, number: int, outputs: Sequence[Any]) -> bool:
        """Whether a pass that is about to begin is recorded because its loss jumps."""
        if not self._may_jump(number) or not self.numbers.begins_with_jump(outputs):
            return False
        self._note_jump(number + _JUMP_ROW - 1)
        return True

    def _may_jump(self, number: int) -> bool:
        is_open = not self._passes.rows and self._jumps < _MOST_JUMPS
        return is_open and not self.has(number)

    def _note_jump(self, last: int) -> None:
        self._jumps += 1
        self._alarmed_until = last

    def is_alarmed(self, number: int) -> bool:
        """Whether the pass after one is recorded because of what has happened."""
        return number < self._alarmed_until

    def has(self, number: int) -> bool:
        """Whether a pass is in the sample, whenever the run ends."""
        return number <= self._alarmed_until or self._passes.samples(number)

    def has_time(self) -> bool:
        """Whether there is time to record a pass because the run may end soon."""
        is_open = not self._passes.rows
        return is_open and self._spent + self._expected <= self._allowed(perf_counter())

    def has_time_for_next(self, count: int) -> bool:
        """Whether there is time for another such pass in a row, after some."""
        now = perf_counter()
        row = _ROW_SHARE * (now - self._started)
        return count < SAMPLED_AT_ONCE and now - self._began + self._expected <= row

    def _allowed(self, now: float) -> float:
        elapsed = now - self._started
        return min(_EARLY_SHARE * elapsed, _EARLY_S + _SHARE * elapsed)

    def begin_recording(self, *, may_be_last: bool) -> None:
        """Note that the next pass is recorded, after one that was not.

        Args:
            may_be_last: Whether only because the run may end soon.
        """
        self._began, self._may_be_last = perf_counter(), may_be_last
        if not may_be_last:
            # The last ones are removed now, and others are due at once.
            self._spent -= self._spent_last
            self._spent_last = 0.0

    def end_recording(self, count: int) -> None:
        """Note that so many passes have been recorded, and the next one is not."""
        now = perf_counter()
        self._expected = (now - self._began) / count
        if self._may_be_last:
            self._spent_last = now - self._began
            self._spent += self._spent_last
        if not self._has_paused:
            self._has_paused, self._started = True, now
