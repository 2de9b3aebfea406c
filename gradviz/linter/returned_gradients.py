"""The values that ``backward`` returns, as far as their number can be read."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from gradviz.linter.function_class import FunctionClass, FunctionMethod

_MOST_DEPTH = 5
"""Most variables and calls that are followed from a ``return``."""


def returned_gradients(function: FunctionClass) -> Iterator[tuple[int, list[ast.expr]]]:
    """Yield line and values of each ``return`` of ``backward`` whose number can be read."""
    method = function.backward
    if method is None:
        return
    for node in method.nodes():
        if isinstance(node, ast.Return) and node.value is not None:
            values = _values(node.value, function, list(method.nodes()), _MOST_DEPTH)
            # An empty tuple stands for a backward that is never called.
            if values:
                yield node.lineno, values


def differentiable_inputs(function: FunctionClass) -> tuple[str, ...]:
    """Parameters that are certainly tensors, since ``backward`` returns a gradient for them."""
    inputs, method = function.inputs, function.backward
    if not inputs or method is None:
        return ()
    found = {
        name
        for _, values in returned_gradients(function)
        for name, value in zip(inputs, values, strict=False)
        if not is_none(value)
    }
    returns = [node.value for node in method.nodes() if isinstance(node, ast.Return)]
    if len(inputs) == 1 and any(each is not None and not is_none(each) for each in returns):
        found |= {*inputs}
    return tuple(name for name in inputs if name in found)


def returned_members(value: ast.expr | None) -> list[ast.expr]:
    """What a ``return`` may return, alone or in a tuple, on any path."""
    match value:
        case None:
            return []
        case ast.Tuple():
            return [member for each in value.elts for member in returned_members(each)]
        case ast.IfExp():
            return [*returned_members(value.body), *returned_members(value.orelse)]
        case _:
            return [value]


def is_none(value: ast.expr) -> bool:
    """Whether an expression is the literal None."""
    return isinstance(value, ast.Constant) and value.value is None


def _values(
    value: ast.expr, function: FunctionClass, scope: Sequence[ast.AST], depth: int
) -> list[ast.expr] | None:
    """The values of a ``return``; None if their number cannot be read."""
    if isinstance(value, ast.Tuple):
        return _members(value, function, scope, depth)
    # A product of tensors is one value; a name or a call may stand for a tuple.
    is_product = isinstance(value, ast.BinOp) and not isinstance(value.op, ast.Add | ast.Mult)
    if is_product or is_none(value) or isinstance(value, ast.UnaryOp):
        return [value]
    if isinstance(value, ast.BinOp):
        unclear = ast.Tuple | ast.List | ast.Call | ast.Constant
        return None if any(isinstance(each, unclear) for each in ast.walk(value)) else [value]
    return _passed_on(value, function, scope, depth)


def _members(
    value: ast.Tuple, function: FunctionClass, scope: Sequence[ast.AST], depth: int
) -> list[ast.expr] | None:
    found: list[ast.expr] = []
    for each in value.elts:
        inner = [each]
        if isinstance(each, ast.Starred):
            unpacked = _passed_on(each.value, function, scope, depth)
            if unpacked is None:
                return None
            inner = unpacked
        found += inner
    return found


def _passed_on(
    value: ast.expr, function: FunctionClass, scope: Sequence[ast.AST], depth: int
) -> list[ast.expr] | None:
    """The members of a tuple that a variable or another function of the file passes on."""
    if isinstance(value, ast.Tuple):
        return _members(value, function, scope, depth)
    if not depth:
        return None
    if isinstance(value, ast.Name):
        assigned = [node for node in scope if _assigns(node, value.id)]
        only = assigned[0] if len(assigned) == 1 else None
        # One that is changed elsewhere, as in a loop, has another number of members.
        if not isinstance(only, ast.Assign) or not isinstance(only.targets[0], ast.Name):
            return None
        return _passed_on(only.value, function, scope, depth - 1)
    helper = function.helpers.get(ast.unparse(value.func)) if isinstance(value, ast.Call) else None
    if helper is None or not _is_plain(helper):
        return None
    nodes = list(FunctionMethod(name=helper.name, node=helper).nodes())
    returns = [node.value for node in nodes if isinstance(node, ast.Return)]
    found = [
        None if each is None else _passed_on(each, function, nodes, depth - 1) for each in returns
    ]
    sizes = {None if each is None else len(each) for each in found}
    return found[0] if len(sizes) == 1 else None


def _assigns(node: ast.AST, name: str) -> bool:
    return isinstance(
        node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.For | ast.With
    ) and any(
        isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Store)
        for each in ast.walk(node)
    )


def _is_plain(helper: ast.FunctionDef) -> bool:
    """Whether a call returns what the function's body returns; a decorator may change it."""
    static = ("staticmethod", "classmethod")
    return all(getattr(each, "id", "") in static for each in helper.decorator_list)
