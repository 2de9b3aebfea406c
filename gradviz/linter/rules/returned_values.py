"""The number of values that ``backward`` returns, against the inputs of ``forward``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass, FunctionMethod
from gradviz.linter.violation import Violation
from gradviz.text.gradient_counts import gradient_count, input_count


def find_wrong_count(function: FunctionClass) -> Iterator[Violation]:
    """Yield returns with too few values, or with gradients beyond the inputs."""
    for method, line, values, inputs in _returns(function):
        if len(values) < len(inputs) or not all(map(_is_none, values[len(inputs) :])):
            yield _violation(method, line, values, inputs)


def find_surplus_none(function: FunctionClass) -> Iterator[Violation]:
    """Yield returns with Nones beyond the inputs."""
    for method, line, values, inputs in _returns(function):
        if len(values) > len(inputs) and all(map(_is_none, values[len(inputs) :])):
            yield _violation(method, line, values, inputs)


def _violation(
    method: FunctionMethod, line: int, values: list[ast.expr], inputs: tuple[str, ...]
) -> Violation:
    counts = {
        "count": gradient_count(len(values)),
        "arguments": input_count(len(inputs), inputs),
    }
    return Violation(method=method, line=line, variant="", values=counts)


def _returns(
    function: FunctionClass,
) -> Iterator[tuple[FunctionMethod, int, list[ast.expr], tuple[str, ...]]]:
    method, inputs = function.backward, function.inputs
    if method is None or inputs is None:
        return
    for node in method.nodes():
        values = _returned_values(node) if isinstance(node, ast.Return) else None
        # An empty tuple stands for a backward that is never called.
        if values:
            yield method, getattr(node, "lineno", 0), values, inputs


def _returned_values(node: ast.Return) -> list[ast.expr] | None:
    """The values of a ``return`` whose number can be read from it; None otherwise."""
    value = node.value
    if isinstance(value, ast.Tuple):
        return None if any(isinstance(each, ast.Starred) for each in value.elts) else value.elts
    # A name or a call may stand for a tuple; a product of tensors cannot.
    is_product = isinstance(value, ast.BinOp) and not isinstance(value.op, ast.Add | ast.Mult)
    if value is not None and (is_product or _is_none(value) or isinstance(value, ast.UnaryOp)):
        return [value]
    if isinstance(value, ast.BinOp) and not any(
        isinstance(each, ast.Tuple | ast.List | ast.Call | ast.Constant) for each in ast.walk(value)
    ):
        return [value]
    return None


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None
