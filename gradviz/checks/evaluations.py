"""Counting of a check's evaluations, with progress reports and cancellation."""

from __future__ import annotations

from collections.abc import Callable

from gradviz.checks.growth import Growth
from gradviz.checks.listeners import Cancelled, Progress


class CheckCancelledError(Exception):
    """The check was cancelled between two evaluations."""


class Evaluations:
    """Counter of the forward and backward evaluations of one check.

    Attributes:
        begun: Number of evaluations started so far.
        growth: The matrices being filled.
        watch: Called before each evaluation, after progress has been reported.
    """

    def __init__(self, progress: Progress, cancelled: Cancelled) -> None:
        self.begun = 0
        self.growth = Growth()
        self.watch: Callable[[], None] = _unwatched
        self._expected = 0
        self._progress = progress
        self._cancelled = cancelled

    def expect(self, count: int) -> None:
        """Announce ``count`` further evaluations."""
        self._expected += count

    def begin(self) -> None:
        """Count an evaluation that is about to start, and report progress.

        Raises:
            CheckCancelledError: If the check was cancelled.
        """
        if self._cancelled():
            raise CheckCancelledError
        self.begun = begun = self.begun + 1
        expected = self._expected
        self._progress(begun, expected if expected > begun else begun)
        self.watch()

    def inner(self) -> Progress:
        """A progress callback for a nested check, whose evaluations are counted here as well."""
        expected = 0

        def progress(_done: int, total: int) -> None:
            nonlocal expected
            self.expect(max(0, total - expected))
            expected = max(total, expected)
            self.begin()

        return progress


def _unwatched() -> None:
    """Do nothing before an evaluation."""
