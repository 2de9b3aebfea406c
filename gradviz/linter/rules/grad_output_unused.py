"""``backward`` never reads the gradients that it receives."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass, FunctionMethod
from gradviz.linter.violation import Violation

_ZERO = frozenset({"zeros_like", "zeros", "new_zeros"})


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield a ``backward`` that returns gradients without using any incoming one."""
    method = function.backward
    if method is None:
        return
    gradients = [*method.parameters[1:], *filter(None, [method.star])]
    if not gradients:
        return
    # Without saved tensors, the gradient may come from elsewhere on purpose.
    saved = any(method.is_context(node, "saved_tensors") for node in method.nodes())
    if saved and _returns_gradients(method) and not any(map(method.reads, gradients)):
        yield Violation(method=method, line=method.node.lineno, values={"name": gradients[0]})


def _returns_gradients(method: FunctionMethod) -> bool:
    """Whether something other than None and zeros is returned: a zero derivative needs nothing."""
    return any(
        isinstance(node, ast.Return)
        and node.value is not None
        and any(map(_is_gradient, _members(node.value)))
        for node in method.nodes()
    )


def _members(value: ast.expr) -> list[ast.expr]:
    return value.elts if isinstance(value, ast.Tuple | ast.List) else [value]


def _is_gradient(value: ast.expr) -> bool:
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return value.func.attr not in _ZERO
    # What a list holds that is converted to a tuple cannot be read from the return.
    is_converted = isinstance(value, ast.Call) and ast.unparse(value.func) in ("tuple", "list")
    return not is_converted and any(isinstance(each, ast.Name) for each in ast.walk(value))
