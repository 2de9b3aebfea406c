"""Locations in source files; each file is read once and stored once in the trace."""

from __future__ import annotations

import ast
import functools
import linecache
import os
import stat
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import torch

from gradviz.analysis.source_statements import parse_source
from gradviz.model.source import BACKWARD_FILE, CALL_FILE, Location, SourceFile, source_lines
from gradviz.recorder.asynchronous_errors import is_asynchronous
from gradviz.recorder.log import RecordLog
from gradviz.recorder.safe_text import printable_text

_TORCH = str(Path(torch.__file__).parent)
_RECORDER = str(Path(__file__).parent)
_API = str(Path(__file__).parents[1] / "api")
_PACKAGE = f"{Path(__file__).parents[1]}{os.sep}"
_SCENES = f"{_PACKAGE}{os.path.join('gallery', 'scenes')}{os.sep}"
_folders = sysconfig.get_paths()
PYTHON_FOLDERS = (_folders["stdlib"], _folders["platstdlib"])
PACKAGE_FOLDERS = (_folders["purelib"], _folders["platlib"])
_LIBRARIES = PYTHON_FOLDERS + PACKAGE_FOLDERS
_PLUMBING_MODULES = ("overrides", "_tensor", "_ops", "_library/custom_ops")
_PLUMBING = {f"{_TORCH}/{name}.py" for name in _PLUMBING_MODULES}
_WRITTEN_BY_GRADVIZ = frozenset((CALL_FILE, BACKWARD_FILE))

_AROUND_TORCH = frozenset(("_engine_run_backward", "_apply_of_user"))
"""Functions of the recorder that run torch's engine, or torch's code around a Function."""

_MOST_CHARACTERS = 1 << 20

current_frame = sys._getframe  # noqa: SLF001 - Python's only way to ask


@functools.cache
def is_hidden(path: str) -> bool:
    """Whether a file belongs to torch or the recorder, so it is not the user's code."""
    return path.startswith((_TORCH, _RECORDER)) or path.startswith("<frozen")


@functools.cache
def is_recorder(path: str) -> bool:
    """Whether a file belongs to the recorder."""
    return path.startswith(_RECORDER)


@functools.cache
def is_gradviz(path: str) -> bool:
    """Whether a file belongs to gradviz, and is no scene, which is run like a user's file."""
    return path.startswith(_PACKAGE) and not path.startswith(_SCENES)


def is_call_by_gradviz(path: str) -> bool:
    """Whether a source is not the user's, but calls what the user has selected."""
    return path in _WRITTEN_BY_GRADVIZ or path.startswith(_API)


def is_in_protocol(path: str) -> bool:
    """Whether a file implements how torch asks for an override of a function."""
    return path == f"{_TORCH}/overrides.py"


@functools.cache
def is_library(path: str) -> bool:
    """Whether a file belongs to Python or to an installed package."""
    return is_hidden(path) or path.startswith(_LIBRARIES) or _is_installed(path)


def _is_installed(path: str) -> bool:
    """Whether a file is in another folder for packages, as of ``pip install --user``."""
    folders = [Path(each) for each in sys.path if each and path.startswith(each.rstrip("/\\"))]
    return any(folder in Path(path).parents and _has_packages(folder) for folder in folders)


def _has_packages(folder: Path) -> bool:
    # No iterator of the folder, which an exception of another thread could leave open.
    return folder.is_dir() and any(each.endswith(".dist-info") for each in os.listdir(folder))


def outward(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield a frame and those that have called it."""
    while frame is not None:
        yield frame
        frame = frame.f_back


LineOfCode = tuple[CodeType, int]


def current_line(frame: FrameType | None) -> LineOfCode | None:
    """The current line of a frame, with its code."""
    return None if frame is None else (frame.f_code, frame.f_lineno)


def caller() -> FrameType | None:
    """The user's frame from which the recorder was called."""
    frame: FrameType | None = current_frame(1)
    while frame is not None and is_hidden(frame.f_code.co_filename):
        frame = frame.f_back
    return frame


def caller_below_engine() -> FrameType | None:
    """Same as `caller`, but None in a backward pass or in torch's code around a Function.

    ``loss.backward()`` is the line of the pass, but not of any op in it.
    """
    frame: FrameType | None = current_frame(1)
    while frame is not None:
        code = frame.f_code
        path = code.co_filename
        if not is_hidden(path):
            return frame
        if code.co_name in _AROUND_TORCH and is_recorder(path):
            return None
        frame = frame.f_back
    return None


def find_caller(function: Any, frame: FrameType | None) -> tuple[FrameType | None, bool]:
    """The user's frame from which the recorder was called, and whether it calls a torch function.

    It does not if the call goes through other functions: ``y = self.block(x)`` is the user's line
    for everything that happens inside, but its ``x`` is not the argument of those calls. The search
    begins at ``frame``, if it is known which one called the recorder.
    """
    frame, is_direct = frame or current_frame(1), True
    own: CodeType | None = getattr(getattr(function, "__func__", function), "__code__", None)
    while frame is not None and is_direct:
        code = frame.f_code
        path = code.co_filename
        if not is_hidden(path):
            return frame, True
        is_direct = code is own or is_recorder(path) or path in _PLUMBING
        frame = frame.f_back
    while frame is not None and is_hidden(frame.f_code.co_filename):
        frame = frame.f_back
    return frame, is_direct


class SourceRecorder:
    """Creates locations. Call with the log's lock held.

    Attributes:
        own: Files that count as the user's wherever they are, because they define a Function that
            is called.
    """

    def __init__(self, log: RecordLog, *, keeps_text: bool = True) -> None:
        self._keeps_text = keeps_text
        self.own: set[str] = set()
        self._log = log
        self._ids: dict[str, int | None] = {}
        self._lengths: dict[str, int] = {}
        # By `id`, because the hash of a code object depends on its whole content.
        self._codes: dict[int, tuple[CodeType, dict[int, Location]]] = {}

    def at(self, frame: FrameType | None) -> Location | None:
        """The current line of a frame."""
        return None if frame is None else self.line(frame.f_code, frame.f_lineno)

    def line(self, code: CodeType, line: int | None) -> Location:
        """A line of a code object; its first line if ``line`` is None."""
        number = line or code.co_firstlineno
        try:
            return self._codes[id(code)][1][number]
        except KeyError:
            path = code.co_filename
            location = Location(
                source=self._source(path, number),
                path=printable_text(shown_path(path)),
                line=max(1, number),
                function=printable_text(_qualified_name(code)),
            )
            self._codes.setdefault(id(code), (code, {}))[1][number] = location
            return location

    def definition(self, function: Any) -> Location | None:
        """Where a function is defined, without decorators; None for non-Python callables."""
        return self.first_line(code_of(function))

    def first_line(self, code: CodeType | None) -> Location | None:
        """Where a code object begins; None for None."""
        return None if code is None else self.line(code, code.co_firstlineno)

    def adopt(self, *codes: CodeType | None) -> None:
        """Treat the files of a Function's methods as the user's, even in an installed package."""
        for code in codes:
            if code is None or code.co_filename in self.own:
                continue
            path = code.co_filename
            self.own.add(path)
            # It was taken for a library file, so its locations refer to no source yet.
            if self._ids.get(path, 0) is None:
                del self._ids[path]
                self._codes = {
                    key: known for key, known in self._codes.items() if known[0].co_filename != path
                }

    def _source(self, path: str, line: int) -> int | None:
        """The source of a line; None if it has no such line, as after a change of the file."""
        if path not in self._ids:
            hidden = not self._keeps_text or (is_library(path) and path not in self.own)
            text = "" if hidden else text_of(path)
            self._lengths[path] = len(source_lines(text))
            if not text or len(text) > _MOST_CHARACTERS:
                self._ids[path] = None
            else:
                number = self._log.next("source")
                name = printable_text(shown_path(path))
                self._log.put(SourceFile(id=number, path=name, text=printable_text(text)))
                self._ids[path] = number
        return self._ids[path] if line <= self._lengths[path] else None


def code_of(function: Any) -> CodeType | None:
    """The user's own code of a function, below decorators that set ``__wrapped__``."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function.__code__ if isinstance(function, FunctionType) else None


def shown_path(path: str) -> str:
    """Path of a source file for people: ``In [3]`` for a cell that IPython has run.

    IPython compiles a cell under the name of a file that does not exist.
    """
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    found = None if shell is None else shell.compile.format_code_name(path)
    return path if found is None else found[1].replace("In[", "In [")


def text_of(path: str) -> str:
    """The text of a source file; empty if it has none."""
    # Since Python 3.13, `linecache` knows the text of `python -c` by the name that code from any
    # other string has too.
    return "" if path == "<string>" or _is_device(path) else "".join(linecache.getlines(path))


def _is_device(path: str) -> bool:
    """Whether to read a path could wait for ever, or never end, as that of a pipe."""
    try:
        found = os.stat(path)
    except (OSError, ValueError) as error:
        if is_asynchronous(error):
            raise
        return False
    return not stat.S_ISREG(found.st_mode)


def tree_of(path: str) -> ast.Module | None:
    """The syntax tree of a source file; None if there is no text or it cannot be parsed."""
    return parse_source(text_of(path))


def _qualified_name(code: CodeType) -> str:
    name: str = getattr(code, "co_qualname", code.co_name)
    return "" if name == "<module>" else name
