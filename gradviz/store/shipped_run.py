"""The recordings that ship with gradviz: packs them for every machine, and unpacks them on one."""

from __future__ import annotations

import json
import sqlite3
import zipfile
from functools import cache
from pathlib import Path

from gradviz.resource import resource_path
from gradviz.store import schema

FIRST_RUN = "first-run/linear.gradviz"
"""The resource with the recording of the first scene, written by ``make first-run``."""

LESSON_RUNS = "lesson-runs"
"""The resources with the runs of the shipped lessons, an archive for each language.

What a run has found is stored in it as sentences. Written by ``make lesson-runs``.
"""

_PACKAGE = "<gradviz>"
"""Stands for the folder of the package in the paths of a recording."""

_HERE = Path(__file__).resolve().parents[1]


def pack_run(source: Path, target: Path, package: Path, texts: dict[str, str]) -> None:
    """Write a copy of a recording to be shipped, without the paths of this machine.

    Args:
        source: The finished trace.
        target: Path of the copy; an existing file is replaced.
        package: The folder of the package `gradviz` while it was recorded.
        texts: What else to replace by what.
    """
    _copy_replacing(source, target, {str(package): _PACKAGE} | texts)


def unpack_first_run(target: Path) -> None:
    """Write the shipped recording to a file, with the path of the package on this machine."""
    _copy_replacing(resource_path(FIRST_RUN), target, {_PACKAGE: str(_HERE)})


def lesson_run_key(name: str, *, checked: bool) -> str:
    """Name of a run in the archives.

    Args:
        name: Name of the run in a lesson.
        checked: Whether its Jacobians are checked, too.
    """
    return f"{name} (checked)" if checked else name


def lesson_archive(language: str) -> Path:
    """Path of the runs in a language; English if there are none in that language."""
    folder = resource_path(LESSON_RUNS)
    translated = folder / f"{language}.zip"
    return translated if translated.is_file() else folder / "en.zip"


@cache
def lesson_run_keys(language: str) -> frozenset[str]:
    """Names of the runs that ship in a language."""
    with zipfile.ZipFile(lesson_archive(language)) as archive:
        return frozenset(archive.namelist())


def shipped_run_key(language: str, name: str, *, checked: bool) -> str | None:
    """Name of a run in the archive of a language, as in `lesson_run_key`; None if it has none."""
    key = lesson_run_key(name, checked=checked)
    return key if key in lesson_run_keys(language) else None


def unpack_lesson_run(language: str, key: str, target: Path) -> None:
    """Write a shipped run to a file, with the path of the package on this machine.

    Args:
        language: Code of the language.
        key: One of `lesson_run_keys`.
        target: Path of the trace; an existing file is replaced.
    """
    with zipfile.ZipFile(lesson_archive(language)) as archive:
        target.write_bytes(archive.read(key))
    _copy_replacing(target, target, {_PACKAGE: str(_HERE)})


def _copy_replacing(source: Path, target: Path, texts: dict[str, str]) -> None:
    """Write a small copy of a small trace, with other texts in its records.

    Args:
        source: A finished trace; it is read into memory.
        target: Path of the copy; an existing file is replaced.
        texts: What to replace by what, in all records. Elements of tensors stay as they are.
    """
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        connection.deserialize(source.read_bytes())
        for table in ("meta", "tensor", *schema.KINDS):
            for old, new in texts.items():
                quoted = [json.dumps(each, ensure_ascii=False)[1:-1] for each in (old, new)]
                connection.execute(f"UPDATE {table} SET json = replace(json, ?, ?)", quoted)
        # Otherwise the old texts would remain in unused parts of the pages.
        connection.execute("VACUUM")
        target.write_bytes(connection.serialize())
    finally:
        connection.close()
