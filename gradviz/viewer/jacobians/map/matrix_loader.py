"""Loads the matrices of a pair from the trace, large ones in the background."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from gradviz.model.jacobian_report import JacobianBlock, JacobianReport
from gradviz.store.errors import TraceError
from gradviz.viewer.background import Background, BackgroundJob
from gradviz.viewer.jacobians.pair_matrices import (
    MatrixChoice,
    PairMatrices,
    choose_matrices,
    read_matrices,
)
from gradviz.viewer.state import ViewerState

MOST_AT_ONCE = 100_000
"""Maximum number of elements of a matrix that is prepared without a background job."""

OnMatricesLoaded = Callable[[PairMatrices | None], None]
"""Callback with the matrices; None if they were not kept or cannot be read."""


class MatrixLoader:
    """Prepares the most recently requested matrices.

    Args:
        state: Holds the trace.
        background: Runs jobs for large matrices; if None, these block as well.
        lane: Name of the background lane; a new job replaces the one in the same lane.
    """

    def __init__(
        self, state: ViewerState, background: Background | None, lane: str = "jacobian"
    ) -> None:
        self._lane = lane
        self._state = state
        self._background = background

    def load(
        self,
        report: JacobianReport,
        block: JacobianBlock,
        choice: MatrixChoice,
        done: OnMatricesLoaded,
        before: PairMatrices | None = None,
    ) -> bool:
        """Load the chosen matrices of a pair.

        Args:
            report: Report with the pair.
            block: The pair.
            choice: Which matrices.
            done: Called with the matrices, immediately or later.
            before: Matrices of the same pair that are shown; those still needed are not read again.

        Returns:
            Whether `done` was called immediately.
        """
        self.cancel()
        read = self._state.value
        if self._background is not None and block.count > MOST_AT_ONCE:
            if self._state.reader is None:
                done(None)
                return True
            # A thread must not use the state's cache, which belongs to the GUI thread.
            read = self._state.reader.value
        work = partial(_prepared, partial(read_matrices, report, block, choice, read), before)
        if self._background is None or block.count <= MOST_AT_ONCE:
            done(work(choice))
            return True

        def prepare(job: BackgroundJob) -> PairMatrices | None:
            return work(choice)

        self._background.start(
            prepare, done, lambda _: done(None), lane=self._lane, expected=(TraceError,)
        )
        return False

    def cancel(self) -> None:
        """Cancel the running job."""
        if self._background is not None:
            self._background.cancel(self._lane)


def _prepared(
    read: Callable[[], PairMatrices | None], before: PairMatrices | None, choice: MatrixChoice
) -> PairMatrices | None:
    found = None if before is None else choose_matrices(before, choice)
    return read() if found is None else found
