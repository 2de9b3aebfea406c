"""``backward`` leaves autograd without being declared once differentiable."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass, FunctionMethod
from gradviz.linter.violation import Violation

_LEAVING_CALLS = frozenset({"detach", "numpy", "item", "tolist"})


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield the first value that a ``backward`` takes out of autograd."""
    method = function.backward
    if method is None or "once_differentiable" in method.decorators():
        return
    tensors = _tensors(method)
    tests = {id(part) for node in method.nodes() for part in _test_of(node)}
    for node in method.nodes():
        text = "" if id(node) in tests else _leaving(node)
        if text and any(
            (isinstance(each, ast.Name) and each.id in tensors)
            or method.is_context(each, "saved_tensors")
            for each in ast.walk(node)
        ):
            yield Violation(method=method, line=getattr(node, "lineno", 0), values={"text": text})
            return


def _test_of(node: ast.AST) -> Iterator[ast.AST]:
    """What only decides a branch: its value does not enter the gradient."""
    if isinstance(node, ast.If | ast.IfExp | ast.While | ast.Assert):
        yield from ast.walk(node.test)


def _tensors(method: FunctionMethod) -> frozenset[str]:
    """Incoming gradients, saved tensors, and what is computed from them by assignments."""
    names = {*method.parameters[1:], method.star} - {""}
    for node in method.nodes():
        if isinstance(node, ast.Assign) and any(
            (isinstance(each, ast.Name) and each.id in names)
            or method.is_context(each, "saved_tensors")
            for each in ast.walk(node.value)
        ):
            for target in node.targets:
                names |= {each.id for each in ast.walk(target) if isinstance(each, ast.Name)}
    return frozenset(names)


def _leaving(node: ast.AST) -> str:
    """How a node leaves autograd, as it is written; empty if it does not."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return f".{node.func.attr}()" if node.func.attr in _LEAVING_CALLS else ""
    is_data = isinstance(node, ast.Attribute) and node.attr == "data"
    return ".data" if is_data and isinstance(node.ctx, ast.Load) else ""  # type: ignore[attr-defined]
