"""A tensor is stored where all calls share it: on the class, or in a global variable."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass
from gradviz.linter.saved_values import SavedValues
from gradviz.linter.violation import Violation


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield each such assignment of what is certainly a tensor."""
    method = function.saving
    if method is None:
        return
    declared = {
        name for node in method.nodes() if isinstance(node, ast.Global) for name in node.names
    }
    for target in SavedValues(function=function, method=method).stores():
        match target:
            case ast.Attribute(value=ast.Name(id=function.name)):
                name = ast.unparse(target)
            case ast.Name(id=name) if name in declared:
                pass
            case _:
                continue
        yield Violation(method=method, line=target.lineno, values={"name": name})
