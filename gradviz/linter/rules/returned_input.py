"""``forward`` returns one of its inputs, or a view of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.differentiable_inputs import differentiable_inputs
from gradviz.linter.function_class import FunctionClass, FunctionMethod
from gradviz.linter.local_aliases import LocalAliases
from gradviz.linter.returned_gradients import returned_members
from gradviz.linter.violation import Violation

# `x.view_as(x)` says that a view is meant; autograd does not know that of `x.detach()`.
_COPIES = frozenset({"contiguous", "reshape", "view_as", "detach", "data"})


def is_identity(forward: ast.FunctionDef) -> bool:
    """Whether a ``forward`` never returns anything but its inputs, whatever else it does.

    That is its purpose then, as in a reversal of gradients or a straight-through estimator.
    """
    parameters = {each.arg for each in (*forward.args.posonlyargs, *forward.args.args)}
    nodes = FunctionMethod(name=forward.name, node=forward).nodes()
    bound = {
        node.id
        for node in nodes
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    returned = [
        each
        for node in nodes
        if isinstance(node, ast.Return)
        for each in returned_members(node.value)
    ]
    return all(isinstance(each, ast.Name) and each.id in parameters - bound for each in returned)


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield returned inputs that are neither copied nor marked as dirty."""
    method = function.forward
    if method is None or function.marks_dirty or is_identity(method.node):
        return
    inputs = differentiable_inputs(function)
    # An input that is written to violates another rule.
    written = {name for _, name in LocalAliases(method, inputs).writes()}
    aliases = LocalAliases(method, inputs, copies=_COPIES)
    for statement in aliases.statements():
        value = statement.value if isinstance(statement, ast.Return) else None
        for each in returned_members(value):
            name = aliases.origin(each)
            if name is not None and name not in written:
                variant = "" if isinstance(each, ast.Name) and each.id == name else "view"
                yield Violation(
                    method=method, line=each.lineno, variant=variant, values={"name": name}
                )
