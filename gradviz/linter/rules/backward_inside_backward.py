"""``backward`` starts another backward pass that accumulates into leaves."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass
from gradviz.linter.violation import Violation


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield each call of ``backward()`` on a tensor, and of ``torch.autograd.backward``."""
    method = function.backward
    if method is None:
        return
    for statement in method.nodes():
        # What returns something is no `backward()` of a tensor, but perhaps a kernel's function.
        node = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        # `Base.backward(ctx, g)` is the method of another Function.
        passes_context = any(getattr(each, "id", "") == method.context for each in node.args)
        is_limited = any(each.arg == "inputs" for each in node.keywords)
        if node.func.attr == "backward" and not passes_context and not is_limited:
            text = f"{ast.unparse(node.func)}()"
            yield Violation(method=method, line=node.lineno, values={"text": text})
