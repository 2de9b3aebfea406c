"""Source lines of a Function that a finding can point to, found in its syntax tree."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable
from types import CodeType

from gradviz.recorder.sources import tree_of


@functools.lru_cache(maxsize=256)
def definition_line(code: CodeType | None) -> int | None:
    """The line with ``def``, below decorators; None without source."""
    return _one(code, lambda node: isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@functools.lru_cache(maxsize=256)
def return_line(code: CodeType | None) -> int | None:
    """The line of the only ``return``; otherwise the line with ``def``."""
    return _one(code, lambda node: isinstance(node, ast.Return)) or definition_line(code)


@functools.lru_cache(maxsize=256)
def saving_line(code: CodeType | None) -> int | None:
    """The line of the only ``ctx.save_for_backward``; otherwise the line with ``def``."""
    return _one(code, _saves) or definition_line(code)


@functools.lru_cache(maxsize=256)
def attribute_line(code: CodeType | None, name: str) -> int | None:
    """The line of the only ``ctx.name = ...``; otherwise the line with ``def``."""
    return _one(code, lambda node: _assigns(node, name)) or definition_line(code)


def _saves(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr == "save_for_backward"


def _assigns(node: ast.AST, name: str) -> bool:
    if not isinstance(node, ast.Assign):
        return False
    return any(isinstance(each, ast.Attribute) and each.attr == name for each in node.targets)


def _one(code: CodeType | None, wanted: Callable[[ast.AST], bool]) -> int | None:
    lines = set() if code is None else {line for node, line in nodes_of(code) if wanted(node)}
    return lines.pop() if len(lines) == 1 else None


def nodes_of(code: CodeType) -> tuple[tuple[ast.AST, int], ...]:
    """All syntax nodes of a function with their lines, except those of inner functions."""
    tree = tree_of(code.co_filename)
    if tree is None:
        return ()
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        if first == code.co_firstlineno and node.name == code.co_name:
            inner = [each for part in node.body for each in _walk(part)]
            return ((node, node.lineno), *((each, getattr(each, "lineno", 0)) for each in inner))
    return ()


def _walk(node: ast.AST) -> list[ast.AST]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
        return []
    found: list[ast.AST] = [node]
    for child in ast.iter_child_nodes(node):
        found += _walk(child)
    return found
