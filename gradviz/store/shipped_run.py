"""The recording that ships with gradviz: packs it for every machine, and unpacks it on one."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from gradviz.resource import resource_path
from gradviz.store import schema

FIRST_RUN = "first-run/linear.gradviz"
"""The resource with the recording of the first scene, written by ``make first-run``."""

_PACKAGE = "<gradviz>"
"""Stands for the folder of the package in the paths of the recording."""

_HERE = Path(__file__).resolve().parents[1]


def pack_first_run(source: Path, package: Path, platform: tuple[str, str]) -> None:
    """Replace the shipped recording by a new one, without the paths of this machine.

    Args:
        source: The finished trace.
        package: The folder of the package `gradviz` while it was recorded.
        platform: The platform's description in the trace, and a less detailed one.
    """
    target = resource_path("first-run") / Path(FIRST_RUN).name
    _copy_replacing(source, target, {str(package): _PACKAGE, platform[0]: platform[1]})


def unpack_first_run(target: Path) -> None:
    """Write the shipped recording to a file, with the path of the package on this machine."""
    _copy_replacing(resource_path(FIRST_RUN), target, {_PACKAGE: str(_HERE)})


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
        for table in ("meta", "tensor", *schema.kinds_of(schema.FORMAT_VERSION)):
            for old, new in texts.items():
                quoted = [json.dumps(each, ensure_ascii=False)[1:-1] for each in (old, new)]
                connection.execute(f"UPDATE {table} SET json = replace(json, ?, ?)", quoted)
        # Otherwise the old texts would remain in unused parts of the pages.
        connection.execute("VACUUM")
        target.write_bytes(connection.serialize())
    finally:
        connection.close()
