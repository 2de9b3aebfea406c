"""``forward`` reads ``ctx.saved_tensors``, which is empty until it has returned."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass
from gradviz.linter.violation import Violation


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield the first such read in the method that saves, or the first assignment."""
    method = function.saving
    if method is None:
        return
    for node in method.nodes():
        if isinstance(node, ast.Attribute) and method.is_context(node, "saved_tensors"):
            variant = "source" if isinstance(node.ctx, ast.Load) else "assigned"
            yield Violation(method=method, line=node.lineno, variant=variant)
            return
