"""Writes a file beside its place and moves it there when it is complete."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from gradviz.store.header import new_path


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give the path of a new file that is moved to a path in the end.

    If writing fails, a file that exists there stays as it is.

    Raises:
        OSError: If the file cannot be written.
    """
    target = path.resolve()
    aside = new_path(target)
    try:
        yield aside
        aside.replace(target)
    finally:
        with contextlib.suppress(OSError):
            aside.unlink(missing_ok=True)
