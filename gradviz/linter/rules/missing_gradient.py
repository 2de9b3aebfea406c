"""``backward`` prepares a gradient that it does not return."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass, FunctionMethod
from gradviz.linter.returned_gradients import is_none, returned_gradients
from gradviz.linter.violation import Violation


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield the last ``return`` with None for an input whose gradient is asked for or computed.

    An input that never has a gradient, such as a mask, gets None as well; so None alone says
    nothing.
    """
    method, inputs = function.backward, function.inputs
    returns = list(returned_gradients(function))
    if method is None or not inputs or not returns:
        return
    if any(len(values) < len(inputs) for _, values in returns):
        return
    missing = [
        position
        for position in range(len(inputs))
        if all(is_none(values[position]) for _, values in returns)
    ]
    asked = _asked_for(method)
    line, _ = returns[-1]
    unreturned = next(_unreturned(method), "")
    for position in missing:
        name = inputs[position]
        if position in asked:
            yield Violation(
                method=method, line=line, variant="asked", values=_words(name, position)
            )
        elif unreturned and len(missing) == 1:
            values = {"name": name, "value": unreturned}
            yield Violation(method=method, line=line, variant="computed", values=values)


def _words(name: str, position: int) -> dict[str, str]:
    return {"name": name, "index": str(position)}


def _asked_for(method: FunctionMethod) -> frozenset[int]:
    """Indices at which ``backward`` reads ``ctx.needs_input_grad``."""
    return frozenset(
        node.slice.value
        for node in method.nodes()
        if isinstance(node, ast.Subscript)
        and method.is_context(node.value, "needs_input_grad")
        and isinstance(node.slice, ast.Constant)
        and isinstance(node.slice.value, int)
    )


def _unreturned(method: FunctionMethod) -> Iterator[str]:
    """Names that receive something computed from an incoming gradient and are never read."""
    gradients = {*method.parameters[1:], method.star}
    for node in method.nodes():
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.BinOp | ast.Call):
            continue
        reads = {each.id for each in ast.walk(node.value) if isinstance(each, ast.Name)}
        for target in node.targets:
            if isinstance(target, ast.Name) and not method.reads(target.id) and reads & gradients:
                yield target.id
