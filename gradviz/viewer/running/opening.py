"""Opens traces and builds their indexes in the background, with cancellation."""

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
    """Return the matrix pairs that a running check has computed so far; None if none.

    Raises:
        TraceError: If the trace cannot be read.
    """
    # Import late, as opening a trace does not need the plotting modules.
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
    """Return a trace's reader and index; the caller must close the reader.

    Args:
        path: The trace file.
        job: The background job; canceling it stops the work.
        live: Whether a child process may still be writing to the file.

    Raises:
        TraceError: If the trace cannot be opened, or the job was canceled.
    """

    def pause() -> None:
        if job.cancelled():
            raise TraceError(f"{path} was not opened completely.")

    reader = open_trace(path, live=live)
    try:
        return reader, reader.index(pause)
    except TraceError:
        reader.close()
        raise
