"""Counting of a check's evaluations, with progress reports and cancellation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, Protocol, runtime_checkable

from msgspec import Struct
from torch import Tensor

from gradviz.model.jacobian_report import JacobianReport
from gradviz.model.tensor import TensorValue

ProgressCallback = Callable[[int, int], None]
"""Called as each evaluation begins, with the number begun and the number expected.

The second is 0 once the Jacobians are compared: how many more a diagnosis takes is not known.
"""

IsCancelledCallback = Callable[[], bool]
"""Called before each evaluation; returning True ends the check."""

PartialReportCallback = Callable[[JacobianReport], None]
"""Called with an ``incomplete`` report each time a block is finished."""


class MatrixSink(Protocol):
    """Storage for the matrices of a check, each stored as soon as it is complete."""

    def store(self, value: TensorValue) -> int:
        """Store a matrix and return its number in the trace."""


@runtime_checkable
class PartialMatrixSink(MatrixSink, Protocol):
    """A sink that also stores unfinished matrices, to show them during the check."""

    def is_due(self) -> bool:
        """Whether to store unfinished matrices now; called before each evaluation."""

    def keep(self, value: TensorValue, number: int | None) -> int:
        """Store the finished part of a matrix, replacing ``number``; return its number."""

    def release(self, number: int) -> None:
        """Make a number available for the next matrix that is stored."""


class DiscardingSink:
    """A sink that discards all matrices."""

    def store(self, value: TensorValue) -> int:
        """Discard a matrix and return 0."""
        return 0


def ignore_progress(_done: int, _total: int) -> None:
    """Default progress callback: do nothing."""


def ignore_report(_report: JacobianReport) -> None:
    """Default callback for partial reports: do nothing."""


def never_cancelled() -> bool:
    """Default cancellation callback: never cancel."""
    return False


class MatrixProgress(Struct):
    """The matrices that the current evaluations fill.

    Attributes:
        kind: ``numerical`` matrices are filled row by row, ``analytical`` ones column by column;
            empty if nothing is being filled.
        matrices: One for each part or for each input; elements not filled yet are arbitrary.
        filled: Number of filled rows or columns.
        divisor: Number by which the elements have yet to be divided.
        flush: Writes the first rows or columns, as many as its argument says, to the matrices; None
            if they are filled directly.
    """

    kind: Literal["", "numerical", "analytical"] = ""
    matrices: Sequence[Tensor] = ()
    filled: int = 0
    divisor: float = 1.0
    flush: Callable[[int], None] | None = None

    def begin(
        self,
        kind: Literal["numerical", "analytical"],
        matrices: Sequence[Tensor],
        divisor: float = 1.0,
        flush: Callable[[int], None] | None = None,
    ) -> None:
        """Start tracking matrices that are about to be filled."""
        self.kind, self.matrices, self.divisor, self.flush = kind, matrices, divisor, flush
        self.filled = 0

    def end(self) -> None:
        """Stop tracking the matrices, whether complete or abandoned."""
        self.kind, self.matrices, self.filled, self.flush = "", (), 0, None

    def rows(self, which: int) -> Tensor:
        """The filled rows of a numerical matrix, bit for bit as in the finished one."""
        if self.flush is not None:
            self.flush(self.filled)
        return self.matrices[which][: self.filled] / self.divisor

    def columns(self, which: int) -> Tensor:
        """The filled columns of an analytical matrix."""
        if self.flush is not None:
            self.flush(self.filled)
        return self.matrices[which][:, : self.filled]


class CheckCancelledError(Exception):
    """The check was cancelled between two evaluations."""


class Evaluations:
    """Counter of the forward and backward evaluations of one check.

    Attributes:
        begun: Number of evaluations started so far.
        growth: The matrices being filled.
        watch: Called before each evaluation, after progress has been reported, if not None.
    """

    def __init__(self, progress: ProgressCallback, cancelled: IsCancelledCallback) -> None:
        self.begun = 0
        self.growth = MatrixProgress()
        self.watch: Callable[[], None] | None = None
        self._expected: int | None = 0
        # Three calls that do nothing would take longer than the rest of `begin`.
        self._progress = None if progress is ignore_progress else progress
        self._cancelled = None if cancelled is never_cancelled else cancelled

    def expect(self, count: int) -> None:
        """Announce ``count`` further evaluations."""
        if self._expected is not None:
            self._expected += count

    def stop_expecting(self) -> None:
        """From here on, how many evaluations follow is not known."""
        self._expected = None

    def begin(self) -> None:
        """Count an evaluation that is about to start, and report progress.

        Raises:
            CheckCancelledError: If the check was cancelled.
        """
        # User code cannot be interrupted, so a check is cancelled between two evaluations.
        if self._cancelled is not None and self._cancelled():
            raise CheckCancelledError
        self.begun = begun = self.begun + 1
        if self._progress is not None:
            # More evaluations may be needed than were announced.
            self._progress(begun, 0 if self._expected is None else max(self._expected, begun))
        if self.watch is not None:
            self.watch()

    def uncounted(self) -> Evaluations:
        """A counter of its own for evaluations that can be cancelled, but are not reported."""
        return Evaluations(ignore_progress, self._cancelled or never_cancelled)

    def inner(self) -> ProgressCallback:
        """A progress callback for a nested check, whose evaluations are counted here as well."""
        expected = 0

        def progress(_done: int, total: int) -> None:
            nonlocal expected
            # The total of the nested check grows as its stages announce their evaluations.
            self.expect(max(0, total - expected))
            expected = max(total, expected)
            self.begin()

        return progress
