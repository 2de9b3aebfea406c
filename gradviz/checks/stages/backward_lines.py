"""Lines in a custom Function's ``backward`` that compute the gradient of one argument.

Covers only what can be read directly from the source: the expression returned in the argument's
position, and the assignments to the names in it. Gradients that come from a dictionary or another
function are not traced.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence
from types import CodeType
from typing import Any

from torch import Tensor

from gradviz.checks.gradient_paths import argument_of, custom_nodes
from gradviz.checks.names import function_class
from gradviz.checks.subject import CheckSubject
from gradviz.model.source import Location
from gradviz.recorder.forward.function_source import nodes_of, read_function_source
from gradviz.recorder.sources import code_of, shown_path

Nodes = Sequence[ast.AST]
"""Syntax nodes of one function, without those of nested functions."""

_MOST = 12


def backward_lines(subject: CheckSubject, output: Tensor, target: Tensor) -> tuple[Location, ...]:
    """The lines that compute the gradient of an input from an output, last line first.

    If the checked function is not a custom Function, this reads the only custom Function on the way
    to the input. The result is empty if there are several.
    """
    if subject.order != 1:
        return ()
    cls = function_class(subject.function)
    places = [(cls, _position(subject, target))] if cls is not None else _used(output, target)
    if len(places) != 1 or places[0][0] is None:
        return ()
    code = code_of(read_function_source(places[0][0]).backward)
    if code is None:
        return ()
    name = getattr(code, "co_qualname", code.co_name)
    return tuple(
        [
            Location(source=None, path=shown_path(code.co_filename), line=line, function=name)
            for line in _lines(code, places[0][1])
        ]
    )


def _position(subject: CheckSubject, target: Tensor) -> int:
    return next(each.position for each in subject.inputs if each.tensor is target)


def _used(output: Tensor, target: Tensor) -> list[tuple[Any, int]]:
    """Custom Functions on the way to an input, each with the argument position it uses."""
    found = {
        (getattr(type(node), "_forward_cls", None), argument_of(node, slot)): None
        for node, slots in custom_nodes(output, target)
        for slot in slots
    }
    return list(found)


@functools.lru_cache(maxsize=256)
def _lines(code: CodeType, argument: int) -> tuple[int, ...]:
    nodes = [node for node, _ in nodes_of(code)]
    found: set[int] = set()
    for node in nodes:
        if isinstance(node, ast.Return) and node.value is not None:
            found |= _of_returned(nodes, node.value, argument)
    return tuple(sorted(found, reverse=True)[:_MOST])


def _of_returned(nodes: Nodes, value: ast.expr, argument: int) -> set[int]:
    """Lines that one ``return`` uses for an argument; empty if the source is not clear."""
    value = _unwrapped(value)
    if isinstance(value, ast.Tuple | ast.List):
        return _of_element(nodes, value, argument)
    if isinstance(value, ast.IfExp):
        branches = (value.body, value.orelse)
        return set().union(*(_of_returned(nodes, each, argument) for each in branches))
    if isinstance(value, ast.Name):
        found = _of_sequence(nodes, value.id, argument)
        if found:
            return found | {value.lineno}
    # A single expression is the gradient of the first argument only.
    if argument:
        return set()
    return {value.lineno} | _of_names(nodes, value)


def _of_element(nodes: Nodes, value: ast.Tuple | ast.List, argument: int) -> set[int]:
    # A star before the argument moves it by an unknown number of positions.
    if any(isinstance(each, ast.Starred) for each in value.elts[: argument + 1]):
        return set()
    if argument >= len(value.elts):
        return set()
    element = value.elts[argument]
    return {element.lineno} | _of_names(nodes, element)


def _of_sequence(nodes: Nodes, name: str, argument: int) -> set[int]:
    """Lines that fill one position of a named tuple or list variable."""
    found: set[int] = set()
    for node in nodes:
        if not isinstance(node, ast.Assign):
            continue
        value = _unwrapped(node.value)
        for target in node.targets:
            if _is_place(target, name, argument):
                found |= {node.lineno} | _of_names(nodes, node.value)
            is_name = isinstance(target, ast.Name) and target.id == name
            if is_name and isinstance(value, ast.Tuple | ast.List):
                found |= _of_element(nodes, value, argument)
    return found


def _is_place(target: ast.expr, name: str, argument: int) -> bool:
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name):
        return False
    index = target.slice
    is_index = isinstance(index, ast.Constant) and index.value == argument
    return is_index and target.value.id == name


def _unwrapped(value: ast.expr) -> ast.expr:
    """The argument of ``tuple(...)`` or ``list(...)``; any other expression unchanged."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and len(value.args) == 1:
        return value.args[0] if value.func.id in ("tuple", "list") else value
    return value


def _of_names(nodes: Nodes, value: ast.expr) -> set[int]:
    """Lines that assign to an expression that is just a name, also through other names."""
    waiting, known, found = [value], set[str](), set[int]()
    while waiting:
        each = waiting.pop()
        branches = [each.body, each.orelse] if isinstance(each, ast.IfExp) else [each]
        names = {branch.id for branch in branches if isinstance(branch, ast.Name)} - known
        known |= names
        for node in nodes:
            if any(_gives(node, name) for name in names):
                found.add(getattr(node, "lineno", 0))
                given = getattr(node, "value", None)
                waiting += [given] if isinstance(given, ast.Name | ast.IfExp) else []
    return found


def _gives(node: ast.AST, name: str) -> bool:
    """Whether a statement assigns to a name or modifies it in place."""
    if isinstance(node, ast.Assign):
        return any(_names_it(target, name) for target in node.targets)
    if isinstance(node, ast.AugAssign | ast.AnnAssign):
        return _names_it(node.target, name)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        called = node.value.func
        if isinstance(called, ast.Attribute) and called.attr.endswith("_"):
            return _names_it(called.value, name)
    return False


def _names_it(target: ast.expr, name: str) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return any(_names_it(each, name) for each in target.elts)
    while isinstance(target, ast.Subscript | ast.Starred):
        target = target.value
    return isinstance(target, ast.Name) and target.id == name
