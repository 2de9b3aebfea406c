"""The parameters of ``backward``, against the outputs of ``forward``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass
from gradviz.linter.saved_values import SavedValues
from gradviz.linter.violation import Violation


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield a ``backward`` that takes another number of gradients."""
    method, outputs = function.backward, _output_count(function)
    if method is None or outputs is None or method.star:
        return
    arguments = method.node.args
    most = len(method.parameters) - 1
    least = most - len(arguments.defaults)
    if not least <= outputs <= most:
        values = {"count": str(most), "outputs": str(outputs)}
        yield Violation(method=method, line=method.node.lineno, values=values)


def _output_count(function: FunctionClass) -> int | None:
    """Number of outputs of ``forward``; None if it depends on the path, or cannot be read."""
    forward = function.forward
    if forward is None:
        return None
    counts: set[int | None] = set()
    returned = SavedValues(function=function, method=forward).returned()
    kinds = {id(node): kind for node, kind in returned}
    for node in forward.nodes():
        if isinstance(node, ast.Return):
            value = node.value
            if isinstance(value, ast.Tuple):
                is_open = any(isinstance(each, ast.Starred) for each in value.elts)
                counts.add(None if is_open else len(value.elts))
            else:
                # A name or a call may stand for a tuple, unless it is certainly a tensor.
                counts.add(1 if kinds.get(id(value)) in ("input", "computed", "constant") else None)
    return counts.pop() if len(counts) == 1 else None
