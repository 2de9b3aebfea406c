"""``backward`` leaves autograd without being declared once differentiable."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass, FunctionMethod
from gradviz.linter.violation import Violation

_LEAVING_CALLS = frozenset({"detach", "numpy", "item", "tolist"})
_ARRAYS = frozenset({"np.asarray", "np.array", "numpy.asarray", "numpy.array"})
# What describes a tensor, or makes one of its shape, has no derivative.
_DESCRIPTIONS = frozenset(
    {"shape", "size", "dim", "ndim", "numel", "stride", "dtype", "device", "layout", "len"}
    | {"is_contiguous", "requires_grad", "argmax", "argmin", "argsort", "nonzero"}
    | {"new_zeros", "new_empty", "new_ones", "zeros_like", "ones_like", "empty_like"}
)


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield the first value that a ``backward`` takes out of autograd."""
    method = function.backward
    if method is None or method.is_declared("once_differentiable"):
        return
    tensors = _tensors(method)
    tests = {id(part) for node in method.nodes() for part in _test_of(node)}
    for node in method.nodes():
        text = "" if id(node) in tests else _leaving(node)
        if text and _depends(method, node, tensors):
            yield Violation(method=method, line=getattr(node, "lineno", 0), values={"text": text})
            return


def _test_of(node: ast.AST) -> Iterator[ast.AST]:
    """What only decides a branch or a mask: its value does not enter the gradient."""
    if isinstance(node, ast.If | ast.IfExp | ast.While | ast.Assert):
        yield from ast.walk(node.test)
    elif isinstance(node, ast.Compare):
        yield from ast.walk(node)


def _tensors(method: FunctionMethod) -> frozenset[str]:
    """Incoming gradients, saved tensors, and what is computed from them by assignments."""
    names = {*method.parameters[1:], method.star} - {""}
    for node in method.nodes():
        if isinstance(node, ast.Assign) and _depends(method, node.value, frozenset(names)):
            for target in node.targets:
                names |= {each.id for each in ast.walk(target) if isinstance(each, ast.Name)}
    return frozenset(names)


def _depends(method: FunctionMethod, root: ast.AST, tensors: frozenset[str]) -> bool:
    """Whether an expression reads elements of tensors, not only shapes or dtypes."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Attribute) and node.attr in _DESCRIPTIONS:
            continue
        if isinstance(node, ast.Call) and _last_name(node.func) in _DESCRIPTIONS:
            continue
        if isinstance(node, ast.Name) and node.id in tensors:
            return True
        if method.is_context(node, "saved_tensors"):
            return True
        waiting += ast.iter_child_nodes(node)
    return False


def _last_name(function: ast.expr) -> str:
    return getattr(function, "attr", getattr(function, "id", ""))


def _leaving(node: ast.AST) -> str:
    """How a node leaves autograd, as it is written; empty if it does not."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if ast.unparse(node.func) in _ARRAYS:
            return f"{ast.unparse(node.func)}()"
        return f".{node.func.attr}()" if node.func.attr in _LEAVING_CALLS else ""
    is_data = isinstance(node, ast.Attribute) and node.attr == "data"
    return ".data" if is_data and isinstance(node.ctx, ast.Load) else ""  # type: ignore[attr-defined]
