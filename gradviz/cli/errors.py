"""Errors that end a command with one sentence."""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from gradviz.catalogue.messages import say
from gradviz.catalogue.optional_packages import missing_packages


class UsageError(Exception):
    """The command cannot do what was asked; the message is for people."""


def check_working_directory() -> None:
    """Refuse a working directory that has been removed, in which torch cannot be imported.

    Raises:
        UsageError: If it does not exist.
    """
    try:
        os.getcwd()
    except FileNotFoundError:
        raise UsageError(say("command.no_working_directory")) from None


def check_file(path: Path) -> None:
    """Reject an input that is not a file.

    Raises:
        UsageError: If it does not exist, or is a folder or a pipe.
    """
    if not path.is_file():
        kind = "folder" if path.is_dir() else "special_file" if path.exists() else "no_file"
        raise UsageError(say(f"command.{kind}", path=path))


def check_output(path: Path) -> None:
    """Reject an output that cannot be a file, such as a pipe that nobody may ever read.

    Raises:
        UsageError: If its folder does not exist.
        TraceError: If it exists and is not a regular file.
    """
    from gradviz.store.header import refuse_special

    folder = path.absolute().parent
    if not folder.is_dir():
        raise UsageError(say("command.no_folder", path=folder))
    refuse_special(path)


def refuse_options(arguments: argparse.Namespace, names: Iterable[str], path: str) -> None:
    """Reject options that have no effect on a file.

    Raises:
        UsageError: If one is given, whatever its value.
    """
    for name in names:
        if getattr(arguments, name) is not None:
            option = f"--{name.replace('_', '-')}"
            raise UsageError(say("command.no_effect", option=option, path=path))


def check_window() -> bool:
    """Check that the window can be created, before importing Qt aborts.

    Returns:
        Whether there is a display that shows it.

    Raises:
        UsageError: If a package or a system library is missing.
    """
    from gradviz import preflight

    if missing := missing_packages("view"):
        raise UsageError(missing)
    found = preflight.check()
    if found.missing:
        raise UsageError(found.remedy)
    return found.has_display


def output_error(error: OSError) -> UsageError:
    """Say that stdout cannot be written."""
    return UsageError(say("command.no_output", reason=error.strerror))


def system_error_sentence(error: Exception) -> str | None:
    """What the system refused, and for which file; None for other errors."""
    if not isinstance(error, OSError) or error.errno not in _REFUSALS:
        return None
    if error.filename is None:
        return say("command.refused", reason=error.strerror)
    return say("command.refused.file", path=error.filename, reason=error.strerror)


_REFUSALS = {
    errno.ENAMETOOLONG,
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.ENOSPC,
    errno.EDQUOT,
    errno.ELOOP,
}


@contextlib.contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Give the path of a new file that is moved to a path in the end.

    If writing fails, a file that exists there stays as it is.

    Raises:
        UsageError: If the file cannot be written.
    """
    from gradviz.store.replacement import replacing

    try:
        with replacing(path) as aside:
            yield aside
    except OSError as error:
        raise UsageError(say("file.not_written", path=path, reason=error.strerror)) from None
