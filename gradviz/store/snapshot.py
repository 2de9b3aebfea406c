"""Copies a trace that is still being recorded as it is at one moment."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from gradviz.catalogue.messages import say
from gradviz.store.errors import TraceError
from gradviz.store.header import wal_path

_PREFIX = "gradviz-window-trace-"
"""Begins like the folders of windows, which remove those of killed processes."""

_ATTEMPTS = 3
_LOG_HEADER = 32
"""Size of a log's header, which changes whenever the log starts again from its beginning."""


def snapshot_of(path: Path) -> tuple[TemporaryDirectory[str], Path]:
    """Copy a trace and its log into a temporary folder, which the caller removes.

    SQLite reads a log only in a folder where it can write, and together with its writer only on the
    same machine. The copy can also be read where a recording is in a shared or read-only folder.

    Returns:
        The folder, and the path of the copy.

    Raises:
        TraceError: If the trace cannot be copied, or the log started again during each attempt.
    """
    folder = TemporaryDirectory(prefix=_PREFIX)
    copy = Path(folder.name) / "trace.gradviz"
    try:
        for _ in range(_ATTEMPTS):
            before = _state(path)
            _copy(path, copy)
            if _state(path) == before:
                return folder, copy
        reason = say("trace.changing")
    except OSError as error:
        reason = str(error)
    folder.cleanup()
    raise TraceError(say("file.unreadable", path=path, reason=reason))


def _copy(path: Path, copy: Path) -> None:
    shutil.copyfile(path, copy)
    wal_path(copy).unlink(missing_ok=True)
    # There is no log any more if the recording has just ended.
    with suppress(FileNotFoundError):
        shutil.copyfile(wal_path(path), wal_path(copy))


def _state(path: Path) -> tuple[int, int, bytes]:
    """What changes when the writer moves its log into the trace; more rows change only the log."""
    found = path.stat()
    log = b""
    with suppress(FileNotFoundError), wal_path(path).open("rb") as file:
        log = file.read(_LOG_HEADER)
    return found.st_size, found.st_mtime_ns, log
