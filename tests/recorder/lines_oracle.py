"""Which statements run in the methods of Functions, found by a plain ``sys.settrace``."""

from __future__ import annotations

import ast
import linecache
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any

import pytest
import torch

from gradviz.recorder import compat
from tests.recorder.recorded_run import RecordedRun

Step = tuple[str, int]
"""File, and first line of the statement that runs."""

_LIBRARIES = tuple(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))
METHODS = ("forward", "setup_context", "backward", "vjp", "__torch_function__")
_INNER = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}


def methods() -> set[CodeType]:
    """The code objects of all methods that torch may call on any Function."""
    found: set[CodeType] = set()
    classes: list[type] = [torch.autograd.Function, torch.Tensor]
    while classes:
        cls = classes.pop()
        classes += cls.__subclasses__()
        if cls.__module__.startswith("torch.") and "testing" not in cls.__module__:
            continue
        for name in METHODS:
            function = vars(cls).get(name)
            function = getattr(function, "__func__", function)
            while function is not None:
                if hasattr(function, "__code__"):
                    found.add(function.__code__)
                function = getattr(function, "__wrapped__", None)
    return found


def apply(cls: Any, *args: Any, **kwargs: Any) -> Any:
    """A frame that shows a call by torch where ``Function.apply`` is in C++."""
    return vars(compat.FunctionBaseInC)["apply"].__get__(None, cls)(*args, **kwargs)


class Text:
    """The innermost statement at each line of a file."""

    def __init__(self, path: str) -> None:
        try:
            tree = ast.parse("".join(linecache.getlines(path)))
        except SyntaxError:
            tree = ast.Module([], [])
        self.first: dict[int, int] = {}
        self.plain_yields: set[int] = set()
        self.yields: set[int] = set()
        for node in self._outermost_first(tree):
            end = node.body[-1].end_lineno if isinstance(node, ast.match_case) else node.end_lineno
            begin = self._begin(node)
            for line in range(begin, (end or begin) + 1):
                self.first[line] = begin
            inner = list(ast.walk(node)) if not hasattr(node, "body") else []
            if any(isinstance(each, ast.Yield | ast.YieldFrom | ast.Await) for each in inner):
                self.yields.add(begin)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield):
                self.plain_yields.add(begin)

    def _outermost_first(self, node: ast.AST) -> Iterator[Any]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
                yield child
            yield from self._outermost_first(child)

    def _begin(self, node: Any) -> int:
        if isinstance(node, ast.match_case):
            return node.pattern.lineno
        return min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])


class Oracle:
    """Collects the statements of each method call by torch, in call order."""

    def __init__(self, also: tuple[str, ...] = ()) -> None:
        self.calls: list[list[Step]] = []
        self._methods = methods()
        self._also = also
        self._texts: dict[str, Text] = {}
        self._here: dict[FrameType, list[Step]] = {}
        self._at: dict[FrameType, int] = {}
        self._one_parses = threading.Lock()

    def run(self, program: Callable[[], Any]) -> Any:
        if compat.IS_APPLY_PYTHON:
            return self._run(program)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(torch.autograd.Function, "apply", classmethod(apply))
            return self._run(program)

    def _run(self, program: Callable[[], Any]) -> Any:
        before = sys.gettrace()
        threading.settrace(self._enter)
        sys.settrace(self._enter)
        try:
            return program()
        finally:
            sys.settrace(before)
            threading.settrace(before)  # type: ignore[arg-type]
            self._here.clear()
            self._at.clear()

    def _enter(self, frame: FrameType, event: str, arg: object) -> Any:
        code = frame.f_code
        path = code.co_filename
        if code.co_name in METHODS and code not in self._methods:
            self._methods = methods()
        if code.co_name in _INNER or code is apply.__code__:
            return None
        # What libraries make of strings, such as named tuples, is not of the user.
        others = path.startswith((*_LIBRARIES, "<")) or not linecache.getlines(path)
        if others and path not in self._also:
            return None
        caller = frame.f_back
        by_torch = False
        while caller is not None and caller not in self._here:
            # Of another Function, or of a node of another pass.
            by_torch |= caller.f_code.co_name == "apply"
            caller = caller.f_back
        fresh = frame not in self._here
        if caller is None or (code in self._methods and by_torch):
            if code not in self._methods:
                return None
            self.calls.append([])
            self._here[frame] = self.calls[-1]
        else:
            self._here[frame] = self._here[caller]
        text = self._text(path)
        if not fresh and text.first.get(frame.f_lineno) in text.yields - text.plain_yields:
            self._at.pop(frame, None)
            self._line(frame)
        return self._local

    def _local(self, frame: FrameType, event: str, arg: object) -> Any:
        if event == "line":
            self._line(frame)
        return self._local

    def _line(self, frame: FrameType) -> None:
        path = frame.f_code.co_filename
        first = self._text(path).first.get(frame.f_lineno, frame.f_lineno)
        if self._at.get(frame) != first:
            self._at[frame] = first
            self._here[frame].append((path, first))

    def _text(self, path: str) -> Text:
        # Python 3.11 counts how deep it is in a syntax tree for all threads together.
        with self._one_parses:
            if path not in self._texts:
                self._texts[path] = Text(path)
            return self._texts[path]


def recorded(recording: RecordedRun) -> list[list[Step]]:
    """The same lines, from a trace."""
    parts = [
        part
        for inside in recording.trace.insides
        for part in inside.parts
        if part.frames and part.lines
    ]
    parts.sort(key=lambda part: part.started_ns)
    return [[(line.location.path, line.location.line) for line in part.lines] for part in parts]
