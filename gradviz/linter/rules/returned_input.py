"""``forward`` returns one of its inputs, or a view of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.differentiable_inputs import differentiable_inputs
from gradviz.linter.function_class import FunctionClass
from gradviz.linter.local_aliases import LocalAliases
from gradviz.linter.violation import Violation

# `x.view_as(x)` says that a view is meant; autograd does not know that of `x.detach()`.
_COPIES = frozenset({"contiguous", "reshape", "view_as", "detach", "data"})


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield returned inputs that are neither copied nor marked as dirty."""
    method = function.forward
    if method is None or function.marks_dirty:
        return
    inputs = differentiable_inputs(function)
    # An input that is written to violates another rule.
    written = {name for _, name in LocalAliases(method, inputs).writes()}
    aliases = LocalAliases(method, inputs, copies=_COPIES)
    for statement in aliases.statements():
        value = statement.value if isinstance(statement, ast.Return) else None
        for each in value.elts if isinstance(value, ast.Tuple) else filter(None, [value]):
            name = aliases.origin(each)
            if name is not None and name not in written:
                variant = "" if isinstance(each, ast.Name) and each.id == name else "view"
                yield Violation(
                    method=method, line=each.lineno, variant=variant, values={"name": name}
                )
