"""How the source calls the step of an optimizer: through which variable, with which closure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.linter.training.source_search import lines_of, names_in, parsed_file
from gradviz.model.step import OptimizerStep


def optimizer_variable(index: TraceIndex, step: OptimizerStep) -> str:
    """What the source calls the optimizer of a step; ``optimizer`` if that is unknown."""
    call = _step_call(index, step)
    if call is None or not isinstance(call.func, ast.Attribute):
        return "optimizer"
    owner = call.func.value
    # A GradScaler gets the optimizer as an argument.
    given = call.args[0] if call.args and "scal" in ast.unparse(owner).lower() else owner
    is_name = isinstance(given, ast.Name | ast.Attribute | ast.Subscript)
    return ast.unparse(given) if is_name else "optimizer"


def closure_of(index: TraceIndex, step: OptimizerStep) -> ast.FunctionDef | None:
    """The function of the source that a step was given to compute the loss; None without one."""
    call, file = _step_call(index, step), parsed_file(index, step.location)
    given = () if call is None else (*call.args, *(each.value for each in call.keywords))
    names = {name for each in given for name in names_in(each)}
    functions = () if file is None else file.functions
    return next((each for each in functions if each.name in names), None)


def _step_call(index: TraceIndex, step: OptimizerStep) -> ast.Call | None:
    """The call of ``step`` at the line of a step; None if there are several."""
    file = parsed_file(index, step.location)
    if file is None or step.location is None:
        return None
    calls = file.calls("step")
    found = [each for each in calls if step.location.line in lines_of(each)]
    return found[0] if len(found) == 1 else None


def direct_statements(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block that run once when it runs, also those in ``with``."""
    for each in block:
        if isinstance(each, ast.With):
            yield from direct_statements(each.body)
        else:
            yield each
