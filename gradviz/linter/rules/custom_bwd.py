"""One of ``custom_fwd`` and ``custom_bwd`` without the other."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass
from gradviz.linter.violation import Violation

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


def _sets_by_hand(function: FunctionClass) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr == "_fwd_used_autocast"
        for method in function.methods.values()
        for node in ast.walk(method.node)
    )
