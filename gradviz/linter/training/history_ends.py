"""The line at which the history of a parameter ends, so that backward cannot reach it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.analysis.index.trace_index import TraceIndex
from gradviz.catalogue.messages import say
from gradviz.linter.training.source_search import (
    SourceMatch,
    calls_named,
    last_name,
    names_in,
    parsed_sources,
)
from gradviz.linter.training.training_run import LeafUpdate, LearningProblem, TrainingSteps
from gradviz.model.source import SourceFile

_ENDS = frozenset(("detach", "numpy", "item", "tolist", "argmax"))
_NO_GRAD = frozenset(("no_grad", "inference_mode"))


def find_history_end(run: TrainingSteps, update: LeafUpdate) -> LearningProblem | None:
    """The line that cuts a parameter off, which an optimizer has and no pass reaches."""
    for source, tree in parsed_sources(run.index):
        name = _variable(update, source, tree, run.index)
        if not name:
            continue
        found = next(_ends(tree, name), None)
        if found is None:
            continue
        kind, where = found
        return LearningProblem(
            code="parameter_cut_off",
            severity="warning",
            message=say(
                f"finding.parameter_cut_off.{kind}",
                name=name,
                line=getattr(where, "lineno", 0),
                optimizer=update.step.optimizer,
                call=ast.unparse(where.func) if isinstance(where, ast.Call) else "",
            ),
            step=update.step.number,
            location=SourceMatch(tree=where, source=source).location,
        )
    return None


def _variable(update: LeafUpdate, source: SourceFile, tree: ast.Module, index: TraceIndex) -> str:
    """The variable or attribute of the parameter, or of the module that it is part of."""
    name = update.before.name
    if not name.startswith("parameter "):
        return name.partition(".")[0].partition("#")[0]
    # A list in the call of the optimizer names what has no name of its own.
    for call in calls_named(tree, update.step.optimizer):
        given = call.args[0] if call.args else None
        if isinstance(given, ast.List | ast.Tuple):
            place = [each.name for each in update.step.before].index(name)
            plain = all(isinstance(each, ast.Name) for each in given.elts)
            if plain and place < len(given.elts):
                return last_name(given.elts[place])
    return ""


def _ends(tree: ast.Module, name: str) -> Iterator[tuple[str, ast.AST]]:
    """Where the value of a variable leaves the graph: how, and the part of the source."""
    for each in ast.walk(tree):
        if isinstance(each, ast.Compare) and name in names_in(each) and not _is_identity(each):
            yield "compared", each
        elif isinstance(each, ast.With) and _switches_off(each) and _is_used(each.body, name):
            yield "no_grad", each
        elif (
            isinstance(each, ast.Call)
            and isinstance(each.func, ast.Attribute)
            and each.func.attr in _ENDS
            and name in names_in(each.func.value)
            and not _is_shown(tree, each)
        ):
            yield "detached", each


def _is_identity(compared: ast.Compare) -> bool:
    return all(isinstance(each, ast.Is | ast.IsNot | ast.In | ast.NotIn) for each in compared.ops)


def _switches_off(block: ast.With) -> bool:
    contexts = (each.context_expr for each in block.items)
    return any(isinstance(each, ast.Call) and last_name(each.func) in _NO_GRAD for each in contexts)


def _is_used(body: list[ast.stmt], name: str) -> bool:
    """Whether a block assigns what it computes with a variable."""
    return any(
        isinstance(each, ast.Assign | ast.AugAssign) and name in names_in(each.value)
        for statement in body
        for each in ast.walk(statement)
    )


def _is_shown(tree: ast.Module, call: ast.Call) -> bool:
    """Whether a call is only part of what is printed."""
    return any(
        call in ast.walk(each)
        for each in ast.walk(tree)
        if isinstance(each, ast.Call) and last_name(each.func) in ("print", "append", "write")
    )
