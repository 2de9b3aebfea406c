"""One of ``custom_fwd`` and ``custom_bwd`` without the other."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass
from gradviz.linter.saved_values import last_name
from gradviz.linter.violation import Violation

_CAST = frozenset(
    {"matmul", "mm", "mv", "bmm", "addmm", "addmv", "addbmm", "baddbmm", "linear", "bilinear"}
    | {"conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d"}
    | {"einsum", "chain_matmul", "multi_dot", "scaled_dot_product_attention", "prelu"}
)
_STATIC = frozenset({"staticmethod", "classmethod"})


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield a ``backward`` whose decorator misses what the other one keeps on the context."""
    backward, forward = function.backward, function.forward
    if backward is None or forward is None or not backward.is_declared("custom_bwd"):
        return
    # An unknown decorator may be, or contain, the missing one.
    if {*forward.decorators(), *forward.wrappers} <= _STATIC and not _sets_by_hand(function):
        lines = zip(backward.node.decorator_list, backward.decorators(), strict=True)
        line = next((node.lineno for node, name in lines if name == "custom_bwd"), None)
        yield Violation(method=backward, line=line or backward.node.lineno)


def find_custom_fwd(function: FunctionClass) -> Iterator[Violation]:
    """Yield a ``forward`` that keeps an autocast state which ``backward`` does not use."""
    backward, forward = function.backward, function.forward
    if backward is None or forward is None or not forward.is_declared("custom_fwd"):
        return
    if {*backward.decorators(), *backward.wrappers} <= _STATIC | {"once_differentiable"}:
        lines = zip(forward.node.decorator_list, forward.decorators(), strict=True)
        line = next((node.lineno for node, name in lines if name == "custom_fwd"), None)
        values = {"reader": backward.name}
        yield Violation(method=forward, line=line or forward.node.lineno, values=values)


def find_autocast(function: FunctionClass) -> Iterator[Violation]:
    """Yield a ``forward`` that is applied under autocast and computes what autocast casts."""
    forward, lines = function.forward, function.autocast_lines
    if forward is None or not lines or not {*forward.decorators(), *forward.wrappers} <= _STATIC:
        return
    if any(map(_is_cast, forward.nodes())):
        values = {"line": str(lines[0])}
        yield Violation(method=forward, line=forward.node.lineno, values=values)


def _is_cast(node: ast.AST) -> bool:
    """Whether autocast computes an operation in a smaller dtype."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.MatMult)
    return isinstance(node, ast.Call) and last_name(node.func) in _CAST


def _sets_by_hand(function: FunctionClass) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr == "_fwd_used_autocast"
        for method in function.methods.values()
        for node in ast.walk(method.node)
    )
