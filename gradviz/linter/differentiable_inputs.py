"""Inputs of ``forward`` for which ``backward`` returns a gradient."""

from __future__ import annotations

import ast

from gradviz.linter.function_class import FunctionClass
from gradviz.linter.returned_gradients import is_none, returned_gradients


def differentiable_inputs(function: FunctionClass) -> tuple[str, ...]:
    """Parameters that are certainly tensors, since ``backward`` returns a gradient for them."""
    inputs, method = function.inputs, function.backward
    if not inputs or method is None:
        return ()
    found = {
        name
        for _, values in returned_gradients(function)
        for name, value in zip(inputs, values, strict=False)
        if not is_none(value)
    }
    returns = [node.value for node in method.nodes() if isinstance(node, ast.Return)]
    if len(inputs) == 1 and any(each is not None and not is_none(each) for each in returns):
        found |= {*inputs}
    return tuple(name for name in inputs if name in found)
