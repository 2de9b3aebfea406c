"""Which kind of file something is, judged by its content before its name."""

from __future__ import annotations

import ast
import json
import tomllib
import warnings
from pathlib import Path
from typing import Any, Literal

from gradviz.store.header import is_database

FileKind = Literal["", "python", "notebook", "trace", "lesson"]

_BY_SUFFIX: dict[str, FileKind] = {
    ".py": "python",
    ".ipynb": "notebook",
    ".gradviz": "trace",
    ".gradviz-lesson": "lesson",
}
_MOST_BYTES = 64 << 20
"""Larger files are no text that a person wrote."""


def is_special(path: Path) -> bool:
    """Whether a path is a pipe, a socket or a device, of which reading might never end."""
    try:
        return path.exists() and not (path.is_file() or path.is_dir())
    except OSError:
        # Such as a name that is too long.
        return False


def kind_of(path: Path) -> FileKind:
    """The kind of a file; empty if it is none that can be opened, or cannot be read.

    A file whose content shows no kind has the one of its suffix, so that whoever opens it says what
    is wrong with it.
    """
    by_name = _BY_SUFFIX.get(path.suffix, "")
    try:
        if is_special(path):
            return ""
        if is_database(path):
            return "trace"
        # Any text in a Python file is meant to be Python.
        if by_name == "python" or path.stat().st_size > _MOST_BYTES:
            return by_name
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return by_name
    return _kind_of_text(text) or by_name


def _kind_of_text(text: str) -> FileKind:
    if isinstance(_json(text).get("cells"), list):
        return "notebook"
    if isinstance(_toml(text).get("stop"), list):
        return "lesson"
    return "python" if _is_program(text) else ""


def _json(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _is_program(text: str) -> bool:
    """Whether a text is Python that imports or defines something; a list of words may be Python."""
    try:
        with warnings.catch_warnings():
            # Whoever runs it hears of them.
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    return any(isinstance(each, kinds) for each in tree.body)
