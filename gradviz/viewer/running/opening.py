"""Opens a trace with its index, in the background and up to a cancel."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.model.index import Index
from gradviz.model.jacobian import JacobianReport
from gradviz.store.errors import TraceError
from gradviz.store.reader import TraceReader, open_trace
from gradviz.viewer.background import Job

if TYPE_CHECKING:
    from gradviz.viewer.jacobians.growing import GrowingPair

Opened = tuple[TraceReader, Index]
Grown = tuple[JacobianReport, "tuple[GrowingPair, ...]"]


def grown_in(path: Path) -> Grown | None:
    """What a check that is under way has left of the pairs that it computes; None for nothing.

    Raises:
        TraceError: If it cannot be read.
    """
    # What paints it is not needed to open a trace.
    from gradviz.viewer.jacobians.growing import growing_pairs

    reader = open_trace(path, live=True)
    try:
        found = reader.last_report()
    finally:
        reader.close()
    if found is None or not found[0].unfinished:
        return None
    report, values = found
    return report, growing_pairs(report.unfinished, values)


def open_with_index(path: Path, job: Job, *, live: bool) -> Opened:
    """The reader of a trace and its index; the reader is to be closed.

    Args:
        path: The file.
        job: Whose cancel ends the work.
        live: Whether a child may still write to it.

    Raises:
        TraceError: If it cannot be opened, or the job was cancelled.
    """

    def pause() -> None:
        if job.cancelled():
            raise TraceError(f"{path} was not opened to the end.")

    reader = open_trace(path, live=live)
    try:
        return reader, reader.index(pause)
    except TraceError:
        reader.close()
        raise
