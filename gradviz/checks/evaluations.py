"""Counts a check's evaluations, tells progress, and ends it when it is cancelled."""

from __future__ import annotations

from collections.abc import Callable

from gradviz.checks.growth import Growth
from gradviz.checks.listeners import Cancelled, Progress


class CheckCancelledError(Exception):
    """The check was cancelled between two evaluations."""


class Evaluations:
    """The evaluations of one check, forward and backward alike.

    Attributes:
        begun: How many.
        growth: The matrices that they fill.
        watch: Called before each, when progress has been told.
    """

    def __init__(self, progress: Progress, cancelled: Cancelled) -> None:
        self.begun = 0
        self.growth = Growth()
        self.watch: Callable[[], None] = _unwatched
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
        self.begun = begun = self.begun + 1
        expected = self._expected
        self._progress(begun, expected if expected > begun else begun)
        self.watch()

    def inner(self) -> Progress:
        """The progress of a check within this one: what it evaluates counts here as well."""
        expected = 0

        def progress(_done: int, total: int) -> None:
            nonlocal expected
            self.expect(max(0, total - expected))
            expected = max(total, expected)
            self.begin()

        return progress


def _unwatched() -> None:
    """Nobody looks on."""
