"""Which kind of file something is: its name decides, so that no content of a trace is run."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from gradviz.store.header import is_database

FileKind = Literal["", "python", "notebook", "trace", "lesson"]

_BY_SUFFIX: dict[str, FileKind] = {
    ".py": "python",
    ".ipynb": "notebook",
    ".gradviz": "trace",
    ".gradviz-lesson": "lesson",
}


def is_special(path: Path) -> bool:
    """Whether a path is a pipe, a socket or a device, of which reading might never end."""
    try:
        return path.exists() and not (path.is_file() or path.is_dir())
    except (OSError, ValueError):
        # Such as a name that is too long, or has a null character.
        return False


def kind_of(path: Path) -> FileKind:
    """The kind of a file; empty if it is none that can be opened.

    Only a file whose name says so is Python or a notebook, and may run. A database is a trace under
    any name. Whoever opens a file says what is wrong with its content.
    """
    by_name = _BY_SUFFIX.get(path.suffix, "")
    try:
        if is_special(path):
            return ""
        return "trace" if is_database(path) else by_name
    except (OSError, ValueError):
        return by_name
