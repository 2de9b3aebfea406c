"""Opens a trace with its index, in the background and up to a cancel."""

from __future__ import annotations

from pathlib import Path

from gradviz.model.index import Index
from gradviz.store.errors import TraceError
from gradviz.store.reader import TraceReader, open_trace
from gradviz.viewer.background import Job

Opened = tuple[TraceReader, Index]


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
