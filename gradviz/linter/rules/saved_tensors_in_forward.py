"""``forward`` reads ``ctx.saved_tensors``, which is empty until it has returned."""

from __future__ import annotations

from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass
from gradviz.linter.violation import Violation


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield the first such read in the method that saves."""
    method = function.saving
    if method is None:
        return
    for node in method.nodes():
        if method.is_context(node, "saved_tensors"):
            yield Violation(method=method, line=getattr(node, "lineno", 0))
            return
