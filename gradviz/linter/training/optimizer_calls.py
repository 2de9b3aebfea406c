"""How the source calls the step of an optimizer: through which variable, with which closure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.analysis.source_statements import parse_source
from gradviz.linter.training.source_search import calls_named, lines_of, names_in, source_at
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
    call, tree = _step_call(index, step), _tree_of(index, step)
    given = () if call is None else (*call.args, *(each.value for each in call.keywords))
    names = {name for each in given for name in names_in(each)}
    if tree is None or not names:
        return None
    functions = (each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef))
    return next((each for each in functions if each.name in names), None)


def _step_call(index: TraceIndex, step: OptimizerStep) -> ast.Call | None:
    """The call of ``step`` at the line of a step; None if there are several."""
    tree, location = _tree_of(index, step), step.location
    if tree is None or location is None:
        return None
    found = [each for each in calls_named(tree, "step") if location.line in lines_of(each)]
    return found[0] if len(found) == 1 else None


def _tree_of(index: TraceIndex, step: OptimizerStep) -> ast.Module | None:
    source = source_at(index, step.location)
    return None if source is None else parse_source(source.text)


def direct_statements(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block that run once when it runs, also those in ``with``."""
    for each in block:
        if isinstance(each, ast.With):
            yield from direct_statements(each.body)
        else:
            yield each
