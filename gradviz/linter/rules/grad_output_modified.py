"""``backward`` changes a gradient that it receives in place."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass, FunctionMethod
from gradviz.linter.violation import Violation

# Torch's in-place methods end in one underscore; a dunder method does not match.
_IN_PLACE = re.compile(r"[a-z]\w*[a-z0-9]_")
_HARMLESS = frozenset({"requires_grad_", "retain_grad_"})


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield each statement that writes to an incoming gradient, not to a copy of it."""
    method = function.backward
    if method is None:
        return
    names = set(method.parameters[1:]) - _assigned(method)
    for node in method.nodes():
        name = _written(node)
        if name in names:
            yield Violation(
                method=method, line=getattr(node, "lineno", 0), variant="", values={"name": name}
            )


def _assigned(method: FunctionMethod) -> set[str]:
    """Names that are assigned in the method: from some line on, they may stand for a copy."""
    return {
        each.id
        for node in method.nodes()
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr | ast.For)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        for each in ast.walk(target)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }


def _written(node: ast.AST) -> str:
    """Name of the tensor that a node changes in place; empty if it changes none."""
    if isinstance(node, ast.AugAssign):
        return _name(node.target)
    if isinstance(node, ast.Assign):
        written = [_name(each) for each in node.targets if isinstance(each, ast.Subscript)]
        return written[0] if written else ""
    if not isinstance(node, ast.Call):
        return ""
    for keyword in node.keywords:
        if keyword.arg == "out":
            return _name(keyword.value)
    method = node.func
    if isinstance(method, ast.Attribute) and _IN_PLACE.fullmatch(method.attr):
        return "" if method.attr in _HARMLESS else _name(method.value)
    return ""


def _name(node: ast.expr) -> str:
    """The tensor behind ``g``, ``g[...]`` or ``g.T``; empty for anything else."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
