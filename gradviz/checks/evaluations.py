"""Counts a check's evaluations, tells progress, and ends it when it is cancelled."""

from __future__ import annotations

from gradviz.checks.listeners import Cancelled, Progress


class CheckCancelledError(Exception):
    """The check was cancelled between two evaluations."""


class Evaluations:
    """The evaluations of one check, forward and backward alike."""

    def __init__(self, progress: Progress, cancelled: Cancelled) -> None:
        self.begun = 0
        self._expected = 0
        self._progress = progress
        self._cancelled = cancelled

    def expect(self, count: int) -> None:
        """Announces that many more evaluations."""
        self._expected += count

    def begin(self) -> None:
        """Stands before each evaluation.

        Raises:
            CheckCancelledError: If the check was cancelled.
        """
        if self._cancelled():
            raise CheckCancelledError
        self.begun += 1
        self._progress(self.begun, max(self.begun, self._expected))
