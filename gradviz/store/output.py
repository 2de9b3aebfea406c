"""The trace file that a recording writes: its name, and how it replaces an older trace."""

from __future__ import annotations

import itertools
from pathlib import Path

from gradviz.catalogue.messages import say
from gradviz.model.settings.rank import Rank
from gradviz.store.errors import TraceError
from gradviz.store.finalize import finalize_trace, replace_trace
from gradviz.store.header import aside_path, read_header, remove_logs
from gradviz.store.output_lock import lock_output, unlock_output


def choose_output(path: Path | None, stem: str, rank: Rank | None = None) -> tuple[Path, Path]:
    """Decide which trace is written, and into which file it is recorded.

    No other process can choose that trace until `finish_output` or `discard_output` is called, or
    until this process ends.

    Args:
        path: The trace that was asked for; an existing one is replaced at the end. None for a
            new name in the working directory, which an empty file reserves.
        stem: Beginning of that name.
        rank: The process of a distributed program, which that name ends with.

    Raises:
        TraceError: If the file cannot be created, exists and is not a trace, or is being written
            by another process.
    """
    if path is None:
        path = _reserve_output(stem, rank)
        lock_output(path)
        return path, path
    lock_output(path)
    try:
        return path, _place_output(path)
    except TraceError:
        unlock_output(path)
        raise


def _reserve_output(stem: str, rank: Rank | None) -> Path:
    """Create an empty file; a number follows the stem if that name is taken."""
    ending = "" if rank is None else rank.suffix
    for number in itertools.count(1):
        numbered = stem if number == 1 else f"{stem}-{number}"
        path = Path(f"{numbered}{ending}.gradviz")
        if rank is not None and _belongs_to_other_launch(rank, path):
            continue
        try:
            # Exclusively, so that programs started at the same time do not choose the same name.
            path.touch(exist_ok=False)
        except FileExistsError:
            continue
        except OSError as error:
            reason = error.strerror
            raise TraceError(say("file.not_written", path=path, reason=reason)) from None
        return path
    raise AssertionError


def _belongs_to_other_launch(rank: Rank, path: Path) -> bool:
    from gradviz.store.rank_files import belongs_to_other_launch

    return belongs_to_other_launch(rank, path)


def _place_output(path: Path) -> Path:
    """File to record into: the output itself, or a new file beside the trace it replaces."""
    if not path.exists():
        return path
    # Raises an error if the file is not a trace, because nothing else may be replaced.
    read_header(path)
    return aside_path(path)


def finish_output(aside: Path, path: Path) -> bool:
    """Turn what was written into one file at the requested path; False if there is none."""
    try:
        if not aside.exists():
            return False
        if not aside.stat().st_size:
            aside.unlink()
            return False
        finalize_trace(aside)
        if aside != path:
            replace_trace(aside, path)
        return True
    finally:
        unlock_output(path)


def discard_output(aside: Path, path: Path) -> None:
    """Remove what was written into a file instead of a requested path."""
    aside.unlink(missing_ok=True)
    remove_logs(aside)
    unlock_output(path)
