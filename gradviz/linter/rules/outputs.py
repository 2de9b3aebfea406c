"""Rules on outputs, and on inputs that are changed in place or returned."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass, FunctionMethod
from gradviz.linter.local_aliases import LocalAliases
from gradviz.linter.returned_gradients import differentiable_inputs, is_none, returned_members
from gradviz.linter.saved_values import SavedValues
from gradviz.linter.violation import Violation


def outputs_non_differentiable(function: FunctionClass) -> Iterator[Violation]:
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
        yield Violation(method, call.lineno, values={"line": str(call.lineno)})


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


_KINDS: dict[type[ast.expr], str] = {ast.List: "list", ast.Dict: "dict", ast.Set: "set"}


def outputs_in_container(function: FunctionClass) -> Iterator[Violation]:
    """Yield each returned display of a container that certainly holds a tensor."""
    method = function.forward
    if method is None:
        return
    for value, kind in SavedValues(function=function, method=method).returned():
        container = _KINDS.get(type(value))
        if container and kind:
            yield Violation(method, value.lineno, values={"kind": container})


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


def returned_input(function: FunctionClass) -> Iterator[Violation]:
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
                yield Violation(method, each.lineno, variant, {"name": name})


def grad_output_modified(function: FunctionClass) -> Iterator[Violation]:
    """Yield each statement that writes to an incoming gradient, not to a copy of it."""
    method = function.backward
    if method is None:
        return
    aliases = LocalAliases(method, (*method.parameters[1:], method.star))
    for line, name in aliases.writes():
        yield Violation(method, line, "", {"name": name})


def saved_modified_in_backward(function: FunctionClass) -> Iterator[Violation]:
    """Yield each statement of ``backward`` that writes to a saved tensor, not to a copy of it."""
    method = function.backward
    if method is None:
        return
    for line, name in LocalAliases(method, (), saved=True).writes():
        yield Violation(method, line, values={"name": name})


def in_place_unmarked(function: FunctionClass) -> Iterator[Violation]:
    """Yield each statement of ``forward`` that writes to an input without ``mark_dirty``."""
    method = function.forward
    if method is None or function.marks_dirty:
        return
    inputs = differentiable_inputs(function)
    for line, name in LocalAliases(method, inputs).writes():
        yield Violation(method, line, "plain", {"name": name})
