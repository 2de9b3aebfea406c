"""The number of values that ``backward`` returns, against the inputs of ``forward``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass, FunctionMethod
from gradviz.linter.returned_gradients import is_none, returned_gradients
from gradviz.linter.violation import Violation
from gradviz.text.gradient_counts import gradient_count, input_count


def find_wrong_count(function: FunctionClass) -> Iterator[Violation]:
    """Yield returns with too few values, or with gradients beyond the inputs."""
    for method, line, values, inputs in _returns(function):
        if len(values) < len(inputs) or not all(map(is_none, values[len(inputs) :])):
            yield _violation(method, line, values, inputs)


def find_surplus_none(function: FunctionClass) -> Iterator[Violation]:
    """Yield returns with Nones beyond the inputs, unless another Function may need them."""
    for method, line, values, inputs in _returns(function):
        counts = [each.inputs for each in function.sharing]
        if any(each is None or len(each) > len(inputs) for each in counts):
            continue
        # A mixin that is not a Function itself is made to be shared, also with other files.
        if function.is_inherited(method):
            continue
        if len(values) > len(inputs) and all(map(is_none, values[len(inputs) :])):
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
    if method is not None and inputs is not None:
        for line, values in returned_gradients(function):
            yield method, line, values, inputs
