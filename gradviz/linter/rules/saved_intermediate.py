"""A saved tensor is neither an input nor an output."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass
from gradviz.linter.returned_gradients import returned_members
from gradviz.linter.saved_values import SavedValues
from gradviz.linter.violation import Violation


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield each saved value that is certainly computed from inputs, or a view of one."""
    method, reader = function.saving, function.backward
    # Without a double backward, a saved intermediate value does no harm.
    if method is None or reader is None or reader.is_declared("once_differentiable"):
        return
    outputs = _returned_names(function)
    for each, kind, origin in SavedValues(function=function, method=method).saved() or ():
        text = ast.unparse(each)
        if text in outputs or kind not in ("computed", "view"):
            continue
        (line,) = (call.lineno for call in method.context_calls("save_for_backward"))
        values = {"name": text} | ({"argument": origin} if kind == "view" else {})
        variant = "view" if kind == "view" else ""
        yield Violation(method=method, line=line, variant=variant, values=values)


def _returned_names(function: FunctionClass) -> frozenset[str]:
    """Names of what ``forward`` returns."""
    nodes = () if function.forward is None else function.forward.nodes()
    return frozenset(
        each.id
        for node in nodes
        if isinstance(node, ast.Return)
        for each in returned_members(node.value)
        if isinstance(each, ast.Name)
    )
