"""Finds the files that ``gradviz doctor`` examines: named files and those in folders."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gradviz.catalogue.messages import say
from gradviz.cli.errors import UsageError

_SKIPPED = frozenset({"__pycache__", "site-packages", "node_modules"})


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorTarget:
    """A file to examine.

    Attributes:
        path: Its path as it was first given, without detours such as ``./``.
        name: The only example or Function to look at; empty for all.
        in_folder: Whether only its folder was named. Such a file may be no program of its own.
    """

    path: Path
    name: str = ""
    in_folder: bool = False


def doctor_targets(given: Sequence[str]) -> tuple[DoctorTarget, ...]:
    """The files that arguments name, each once.

    Args:
        given: ``FILE.py``, ``FILE.py:NAME`` or a folder.

    Raises:
        UsageError: If an argument is none of them, or a folder contains no Python file.
    """
    targets = [each for argument in given for each in _named(argument)]
    paths: dict[Path, Path] = {}
    for each in targets:
        paths.setdefault(each.path.resolve(), each.path)
    whole = {each.path.resolve() for each in targets if not each.name}
    named = {each.path.resolve() for each in targets if not each.in_folder}
    found = (
        DoctorTarget(path=paths[at], name=each.name, in_folder=at not in named)
        for each in targets
        for at in (each.path.resolve(),)
        # The whole file contains the name.
        if not each.name or at not in whole
    )
    return tuple(dict.fromkeys(found))


def _named(argument: str) -> Iterator[DoctorTarget]:
    path = Path(os.path.normpath(argument))
    if path.is_dir():
        files = sorted(_python_files(path))
        if not files:
            raise UsageError(say("doctor.empty_folder", path=path))
        yield from (DoctorTarget(path=each, in_folder=True) for each in files)
    elif argument.endswith(".py"):
        yield DoctorTarget(path=path)
    else:
        file, separator, name = argument.rpartition(":")
        if not separator or not file.endswith(".py") or not name:
            raise UsageError(say("doctor.bad_target", target=argument))
        yield DoctorTarget(path=Path(os.path.normpath(file)), name=name)


def _python_files(folder: Path) -> Iterator[Path]:
    """The Python files of a project: hidden folders and virtual environments left out."""
    for here, folders, files in os.walk(folder):
        inside = Path(here)
        folders[:] = [
            each
            for each in folders
            if each not in _SKIPPED
            and not each.startswith(".")
            and not (inside / each / "pyvenv.cfg").exists()
        ]
        yield from (inside / each for each in files if each.endswith(".py"))
