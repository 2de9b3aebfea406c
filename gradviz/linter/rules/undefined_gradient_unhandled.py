"""``backward`` computes with a gradient that may be None."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass, FunctionMethod
from gradviz.linter.violation import Violation


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield the first use of each gradient that is not tested for None."""
    method = function.backward
    if method is None or not _leaves_undefined(function) or _handles_errors(method):
        return
    names = {*_gradients(method)} - _tested(method)
    for node in method.nodes():
        for each in _operands(node):
            if isinstance(each, ast.Name) and each.id in names:
                names.discard(each.id)
                yield Violation(method=method, line=each.lineno, values={"name": each.id})


def _leaves_undefined(function: FunctionClass) -> bool:
    """Whether undefined gradients arrive as None."""
    saving = function.saving
    calls = [] if saving is None else saving.context_calls("set_materialize_grads")
    values = [each for call in calls for each in (*call.args, *(k.value for k in call.keywords))]
    return any(isinstance(each, ast.Constant) and each.value is False for each in values)


def _gradients(method: FunctionMethod) -> Iterator[str]:
    yield from method.parameters[1:]
    for node in method.nodes():
        # As in `grad_sum, grad_product = grads`.
        if isinstance(node, ast.Assign) and getattr(node.value, "id", None) == method.star:
            yield from (each.id for each in ast.walk(node.targets[0]) if isinstance(each, ast.Name))


def _handles_errors(method: FunctionMethod) -> bool:
    return any(isinstance(node, ast.Try) for node in method.nodes())


def _tested(method: FunctionMethod) -> set[str]:
    """Names that decide something or are bound again, such as ``g`` in ``g is not None``."""
    found = set()
    for part in method.node.body:
        for node in ast.walk(part):
            match node:
                case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
                    found |= _names(test)
                case ast.Compare() | ast.BoolOp() | ast.Assert():
                    found |= _names(node)
                case ast.comprehension():
                    # `all(g is None for g in (a, b))` tests what it iterates over.
                    found |= _names(node.iter)
                case ast.Assign():
                    found |= {name for each in node.targets for name in _names(each)}
    return found - set(_star_names(method))


def _star_names(method: FunctionMethod) -> Iterator[str]:
    return (name for name in _gradients(method) if name not in method.parameters)


def _names(root: ast.AST) -> set[str]:
    return {each.id for each in ast.walk(root) if isinstance(each, ast.Name)}


def _operands(node: ast.AST) -> list[ast.expr]:
    """Operands that must not be None: of an operator, or before a dot or bracket."""
    match node:
        case ast.BinOp():
            return [node.left, node.right]
        case ast.UnaryOp(op=ast.USub()):
            return [node.operand]
        case ast.Attribute() | ast.Subscript():
            return [node.value]
        case _:
            return []
