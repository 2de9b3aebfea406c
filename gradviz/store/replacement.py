"""Writes a file beside its place and moves it there when it is complete."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator
from pathlib import Path

_NUMBERS = itertools.count(1)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give the path of a new file that is moved to a path in the end.

    If writing fails, a file that exists there stays as it is.

    Raises:
        OSError: If the file cannot be written.
    """
    target = path.resolve()
    aside = _new_file(target)
    try:
        yield aside
        aside.replace(target)
    finally:
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)


def _new_file(target: Path) -> Path:
    """Create an empty file beside a path, exclusively: no link or file there is written to."""
    while True:
        # Two threads may write to the same place; the last one to finish wins.
        aside = target.with_name(f"{target.name}.{os.getpid()}-{next(_NUMBERS)}.new")
        with contextlib.suppress(FileExistsError):
            aside.touch(exist_ok=False)
            return aside
