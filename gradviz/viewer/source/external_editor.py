"""Finds the user's editor and builds the command that opens a file at a line."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import decode_source
from pathlib import Path

from gradviz.model.source import source_lines
from gradviz.viewer.translation import translate

FILE, LINE = "{file}", "{line}"

KNOWN = {
    "code": "code --goto {file}:{line}",
    "codium": "codium --goto {file}:{line}",
    "cursor": "cursor --goto {file}:{line}",
    "windsurf": "windsurf --goto {file}:{line}",
    "zed": "zed {file}:{line}",
    "subl": "subl {file}:{line}",
    "pycharm": "pycharm --line {line} {file}",
    "charm": "charm --line {line} {file}",
    "spyder": "spyder --line {line} {file}",
    "kate": "kate --line {line} {file}",
    "gnome-text-editor": "gnome-text-editor {file} +{line}",
    "gedit": "gedit +{line} {file}",
    "xed": "xed +{line} {file}",
    "pluma": "pluma +{line} {file}",
    "geany": "geany --line {line} {file}",
    "mousepad": "mousepad --line={line} {file}",
    "gvim": "gvim +{line} {file}",
    "mate": "mate --line {line} {file}",
    "bbedit": "bbedit +{line} {file}",
    "notepad++": "notepad++ -n{line} {file}",
}
"""Command templates of graphical editors by program name, most likely first.

Terminal editors are left out: the window has no terminal to start them in.
"""

_LAST = {"win32": "notepad {file}", "darwin": "open -t {file}"}
"""Fallback editors by platform. Opening a .py file with its default app could run it."""

_WINDOWS_ENDINGS = (".exe", ".cmd", ".bat")
_MOST_BYTES = 1 << 24


@dataclass(frozen=True, slots=True)
class EditorCommand:
    """The program and arguments that start an editor.

    Attributes:
        program: A name on the path, or a path.
        arguments: Passed one by one, without a shell.
    """

    program: str
    arguments: tuple[str, ...]


def command_of(template: str, file: Path, line: int) -> EditorCommand | None:
    """Return a template's command, or None if it is malformed or its program is missing.

    Args:
        template: Program and arguments as in a shell, with ``{file}`` and ``{line}``; a file that
            the template does not mention is appended.
        file: The file to open.
        line: The line to go to, from 1.
    """
    try:
        parts = shlex.split(template, posix=sys.platform != "win32")
    except ValueError:
        return None
    if not parts or not shutil.which(parts[0]):
        return None
    if not any(FILE in part for part in parts[1:]):
        parts.append(FILE)
    # Replace the line first: a file name may itself contain "{line}".
    arguments = [part.replace(LINE, str(line)).replace(FILE, str(file)) for part in parts[1:]]
    return EditorCommand(parts[0], tuple(arguments))


def guess_editor(environment: Mapping[str, str] = os.environ) -> str:
    """Return the template of an installed editor, or an empty string if none is known.

    ``VISUAL`` and ``EDITOR`` are tried first.
    """
    named = [_name(environment.get(variable, "")) for variable in ("VISUAL", "EDITOR")]
    for name in (*named, *KNOWN):
        if name in KNOWN and shutil.which(name):
            return KNOWN[name]
    return _LAST.get(sys.platform, "")


def _name(command: str) -> str:
    first = command.split()[:1]
    name = Path(first[0]).name.lower() if first else ""
    return next((name.removesuffix(end) for end in _WINDOWS_ENDINGS if name.endswith(end)), name)


def named_file(path: str) -> Path | None:
    """Return a recorded path if it is the absolute path of a Python file, which may not exist.

    Showing a trace must not look for its files: a path may lead to another machine.
    """
    file = Path(path)
    is_file = file.is_absolute() and file.suffix == ".py" and "\0" not in path
    return file if is_file else None


def file_of(path: str) -> Path | None:
    """Return the Python file at a recorded absolute path, or None if it is not there.

    Call this for a file that the user wants to open or has run.
    """
    file = named_file(path)
    try:
        return file if file is not None and file.is_file() else None
    except OSError:
        return None


def missing_file_text(path: str) -> str:
    """Return the error for a file that the user wants to open and that is not there."""
    text = translate("ExternalEditor", "This Python file does not exist on this machine: {path}")
    return text.format(path=path)


def is_changed(file: Path, text: str) -> bool:
    """Return whether a file differs from the recorded text or cannot be read."""
    try:
        if file.stat().st_size > _MOST_BYTES:
            return True
        data = file.read_bytes()
    except OSError:
        return True
    try:
        now = decode_source(data)
    except (SyntaxError, UnicodeDecodeError):
        now = data.decode("utf-8", errors="replace")
    return source_lines(now) != source_lines(text)


@lru_cache(maxsize=64)
def is_own_file(file: Path) -> bool:
    """Return whether a path is not that of an installed package."""
    installed = (Path(sys.prefix), Path(__file__).parents[2])
    return not any(file.is_relative_to(each) for each in installed)
