"""``forward`` returns tensors inside a list, dict or set."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass
from gradviz.linter.saved_values import SavedValues
from gradviz.linter.violation import Violation

_KINDS: dict[type[ast.expr], str] = {ast.List: "list", ast.Dict: "dict", ast.Set: "set"}


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield each returned display of a container that certainly holds a tensor."""
    method = function.forward
    if method is None:
        return
    for value, kind in SavedValues(function=function, method=method).returned():
        container = _KINDS.get(type(value))
        if container and kind:
            values = {"kind": container}
            yield Violation(method=method, line=value.lineno, values=values)
