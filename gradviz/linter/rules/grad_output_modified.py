"""``backward`` changes a gradient that it receives in place."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

from gradviz.linter.function_class import FunctionClass, FunctionMethod
from gradviz.linter.violation import Violation

# Torch's in-place methods end in one underscore; a dunder method does not match.
_IN_PLACE = re.compile(r"[a-z]\w*[a-z0-9]_")
# Those that change a shape leave the elements as they are; on a view, nobody else sees it.
_HARMLESS = frozenset(
    {"requires_grad_", "retain_grad_", "detach_", "unsqueeze_", "squeeze_", "t_", "transpose_"}
)
_MODULES = frozenset({"torch", "F", "nn"})
_VIEW_ATTRIBUTES = frozenset({"data", "T", "mT"})
# A contiguous gradient is returned itself by contiguous().
_VIEWS = frozenset(
    {"contiguous", "detach", "view", "view_as", "t", "transpose", "permute", "unsqueeze"}
    | {"squeeze", "flatten", "narrow", "select", "numpy"}
)
_UNRELATED = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield each statement that writes to an incoming gradient, not to a copy of it."""
    method = function.backward
    if method is None:
        return
    # Names of incoming gradients and of views of them, with the parameter they come from.
    origins = {name: name for name in (*method.parameters[1:], method.star) if name}
    packs = {method.star} - {""}
    for statement in _statements(method):
        for node in _own_nodes(statement):
            name = _written(node, packs)
            if name in origins:
                line = getattr(node, "lineno", 0)
                values = {"name": origins[name]}
                yield Violation(method=method, line=line, variant="", values=values)
        _rebind(statement, origins, packs)


def _statements(method: FunctionMethod) -> Iterator[ast.stmt]:
    """Statements in the order of their lines."""
    return (node for node in method.nodes() if isinstance(node, ast.stmt))


def _own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """Nodes of a statement without those of the statements in its body."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        inner = reversed(list(ast.iter_child_nodes(node)))
        waiting += [each for each in inner if not isinstance(each, ast.stmt | _UNRELATED)]


def _rebind(statement: ast.stmt, origins: dict[str, str], packs: set[str]) -> None:
    """Follow what the names in an assignment stand for after it, on whichever path it is."""
    if isinstance(statement, ast.AugAssign):
        return
    for node in _own_nodes(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            source = _source(statement, node, origins, packs)
            packs.discard(node.id)
            origins.pop(node.id, None)
            if source:
                origins[node.id] = source


def _source(
    statement: ast.stmt, name: ast.Name, origins: dict[str, str], packs: set[str]
) -> str | None:
    """The parameter whose gradient a name receives; None if it receives something else."""
    if isinstance(statement, ast.For):
        return origins[statement.iter.id] if _is_pack(statement.iter, packs) else None
    if not isinstance(statement, ast.Assign):
        return None
    if _is_pack(statement.value, packs):
        is_unpacked = name not in statement.targets
        return origins[statement.value.id] if is_unpacked else None
    return origins.get(_tensor(statement.value, packs)) if name in statement.targets else None


def _written(node: ast.AST, packs: set[str]) -> str:
    """Name of the tensor that a node changes in place; empty if it changes none."""
    if isinstance(node, ast.AugAssign):
        if _is_pack(node.target, packs):
            return ""
        target = node.target
        return _tensor(target.value if isinstance(target, ast.Subscript) else target, packs)
    if isinstance(node, ast.Assign):
        written = [_tensor(e.value, packs) for e in node.targets if isinstance(e, ast.Subscript)]
        return written[0] if written else ""
    if not isinstance(node, ast.Call):
        return ""
    for keyword in node.keywords:
        if keyword.arg == "out":
            return _tensor(keyword.value, packs)
    method = node.func
    if not isinstance(method, ast.Attribute) or not _IN_PLACE.fullmatch(method.attr):
        return ""
    if method.attr in _HARMLESS:
        return ""
    if ast.unparse(method.value).split(".")[0] in _MODULES:
        return _tensor(node.args[0], packs) if node.args else ""
    return _tensor(method.value, packs)


def _is_pack(node: ast.expr, packs: set[str]) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and node.id in packs


def _tensor(node: ast.expr, packs: set[str]) -> str:
    """Name of the tensor whose memory ``g``, ``g[...]`` or ``g.view(-1)`` is; empty if unknown."""
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Subscript):
            if not _is_pack(node.value, packs) and not _is_basic(node.slice):
                return ""
            node = node.value
        elif isinstance(node, ast.Attribute) and node.attr in _VIEW_ATTRIBUTES:
            node = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr not in _VIEWS and not _IN_PLACE.fullmatch(node.func.attr):
                return ""
            node = node.func.value
        else:
            return ""
    return node.id


def _is_basic(index: ast.expr) -> bool:
    """Whether indexing with an expression gives a view: a tensor or list of indices copies."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return all(isinstance(each, ast.Slice | ast.Constant | ast.UnaryOp) for each in parts)
