"""Opens traces and builds their indexes in the background, with cancellation."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import structs

from gradviz.analysis.index.trace_index import TraceIndex, extend_index, index_reader
from gradviz.host.job_ending import JobEnding
from gradviz.model.console import ConsoleText
from gradviz.model.jacobian_report import JacobianReport
from gradviz.store.errors import TraceError
from gradviz.store.reader import TraceReader, open_trace
from gradviz.store.run_ending import store_outcome
from gradviz.viewer.background import BackgroundJob

if TYPE_CHECKING:
    from gradviz.viewer.jacobians.partial_maps import PartialPair

OpenedTrace = tuple[TraceReader, TraceIndex]
GrownMatrices = tuple[JacobianReport, "tuple[PartialPair, ...]"]


def grown_matrices_in(path: Path) -> GrownMatrices | None:
    """Return the matrix pairs that a running check has computed so far; None if none.

    Raises:
        TraceError: If the trace cannot be read.
    """
    # Import late, as opening a trace does not need the plotting modules.
    from gradviz.viewer.jacobians.partial_maps import partial_pairs

    reader = open_trace(path, live=True, visible=True)
    try:
        found = reader.last_report()
    finally:
        reader.close()
    if found is None or not found[0].unfinished:
        return None
    report, values = found
    return report, partial_pairs(report.unfinished, values)


def printed_in(path: Path) -> tuple[ConsoleText, ...]:
    """Return what a run has printed so far, without the steps that have printed it.

    Raises:
        TraceError: If the trace cannot be read.
    """
    reader = open_trace(path, live=True, visible=True)
    try:
        return tuple(structs.replace(each, step=None) for each in reader.printed())
    finally:
        reader.close()


def open_appended(path: Path, index: TraceIndex, *, live: bool) -> OpenedTrace:
    """Open a trace again after a check, and add what the check appended to its index.

    A new connection always sees the latest state of the file.

    Args:
        path: The trace file.
        index: Its index before the check.
        live: Whether a child process may still be writing to the file.

    Raises:
        TraceError: If the trace cannot be opened.
    """
    reader = open_trace(path, live=live, repair=True, visible=True)
    try:
        return reader, extend_index(index, reader.read_appended(index.trace), reader)
    except TraceError:
        reader.close()
        raise


def open_with_index(
    path: Path, job: BackgroundJob, *, live: bool, ending: JobEnding | None = None
) -> OpenedTrace:
    """Return a trace's reader and index; the caller must close the reader.

    Args:
        path: The trace file.
        job: The background job; canceling it stops the work.
        live: Whether a child process may still be writing to the file.
        ending: How the job that wrote the file ended, if it did just now.

    Raises:
        TraceError: If the trace cannot be opened, or the job was canceled.
    """

    # The index calls this now and then, since a thread cannot be stopped from outside.
    def pause() -> None:
        if job.cancelled():
            raise TraceError(f"{path} was not opened completely.")

    if ending is not None and ending.kind != "finished":
        store_outcome(path, ending.outcome)
    reader = open_trace(path, live=live, repair=True, visible=True)
    try:
        return reader, index_reader(reader, pause)
    except TraceError:
        reader.close()
        raise
