"""``setup_context`` saves a tensor that it computes itself."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass, FunctionMethod
from gradviz.linter.violation import Violation

_MOST_TEXT = 40


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield computed arguments of ``save_for_backward``."""
    method = function.methods.get("setup_context")
    if method is None:
        return
    computed = dict(_products(method))
    for node in method.context_calls("save_for_backward"):
        for each in node.args:
            # What is computed here has no history, so a double backward through it is silently
            # wrong.
            value = computed.get(each.id) if isinstance(each, ast.Name) else each
            if isinstance(value, ast.BinOp | ast.Call):
                text = ast.unparse(each)[:_MOST_TEXT]
                yield Violation(method=method, line=each.lineno, values={"text": text})


def _products(method: FunctionMethod) -> Iterator[tuple[str, ast.BinOp]]:
    """Names of what an operator computes: a call may only convert or unpack an input."""
    for node in method.nodes():
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.BinOp):
            yield from ((e.id, node.value) for e in node.targets if isinstance(e, ast.Name))
