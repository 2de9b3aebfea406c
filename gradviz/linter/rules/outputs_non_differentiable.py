"""All outputs are marked as non-differentiable, although ``backward`` returns a gradient."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass, FunctionMethod
from gradviz.linter.returned_gradients import is_none, returned_members
from gradviz.linter.violation import Violation


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield the call that marks the outputs, if it marks all of them."""
    method, backward = function.saving, function.backward
    if method is None or backward is None or function.is_inherited(backward):
        return
    # One without a gradient, as of a search for indices, is only there because torch wants it.
    if all(map(is_none, _returned(backward))):
        return
    call = next(iter(_unconditional_calls(method)), None)
    if call is None:
        return
    marked = {_name(each) for each in call.args}
    outputs = _outputs(function, method)
    if outputs and outputs <= marked - _assigned_after(method, call):
        values = {"line": str(call.lineno)}
        yield Violation(method=method, line=call.lineno, values=values)


def _outputs(function: FunctionClass, method: FunctionMethod) -> set[str]:
    """Names of all outputs in the method that fills the context; empty for one without a name."""
    if method is function.forward:
        found = {_name(each) for each in _returned(method)}
        return set() if "" in found else found
    output = "".join(method.parameters[2:3])
    unpacked = (
        {_name(each) for each in target.elts}
        for node in method.nodes()
        if isinstance(node, ast.Assign) and _name(node.value) == output
        for target in node.targets
        if isinstance(target, ast.Tuple)
    )
    is_marked = any(
        _name(each) == output for call in _unconditional_calls(method) for each in call.args
    )
    return {output} if is_marked else next(unpacked, set())


def _returned(method: FunctionMethod) -> list[ast.expr]:
    """The expressions that a method returns."""
    returns = (node.value for node in method.nodes() if isinstance(node, ast.Return))
    return [each for value in returns for each in returned_members(value)]


def _unconditional_calls(method: FunctionMethod) -> list[ast.Call]:
    """The calls of ``mark_non_differentiable`` outside of branches and loops."""
    plain = {id(node.value) for node in method.node.body if isinstance(node, ast.Expr)}
    calls = method.context_calls("mark_non_differentiable")
    return [each for each in calls if id(each) in plain]


def _assigned_after(method: FunctionMethod, call: ast.Call) -> set[str]:
    return {
        node.id
        for node in method.nodes()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        if node.lineno > call.lineno
    }


def _name(value: ast.expr) -> str:
    """Name of a variable, or of the one that is unpacked; empty for other expressions."""
    value = value.value if isinstance(value, ast.Starred) else value
    return value.id if isinstance(value, ast.Name) else ""
