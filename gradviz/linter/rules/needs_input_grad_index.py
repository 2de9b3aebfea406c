"""``ctx.needs_input_grad`` is read beyond the inputs of ``forward``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass
from gradviz.linter.violation import Violation
from gradviz.text.gradient_counts import input_count


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield each constant index that no input has, in any Function that shares the method."""
    method, inputs = function.backward, function.inputs
    counts = [each.inputs for each in function.sharing]
    if method is None or inputs is None or any(each is None for each in counts):
        return
    most = max([len(inputs), *(len(each) for each in counts if each is not None)])
    for node in method.nodes():
        match node:
            case ast.Subscript(value=value, slice=ast.Constant(value=int(index))):
                if method.is_context(value, "needs_input_grad") and index >= most:
                    words = {"index": str(index), "arguments": input_count(len(inputs), inputs)}
                    yield Violation(method=method, line=node.lineno, values=words)
