"""Reentrant checkpoints that autograd does not see, as no input of them requires a gradient."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.analysis.source_statements import parse_source
from gradviz.catalogue.messages import say
from gradviz.linter.training.source_search import (
    SourceMatch,
    calls_named,
    is_at,
    last_name,
    lines_of,
    parsed_sources,
)
from gradviz.linter.training.training_run import CutOff, LearningProblem, TrainingSteps


def find_checkpoints_without_gradient(run: TrainingSteps) -> Iterator[LearningProblem]:
    """Reentrant checkpoints none of whose inputs requires a gradient, unlike parameters inside."""
    for cut in run.cuts:
        match = find_cut_checkpoint(run, cut)
        # In another iteration, a pass may have reached the parameters.
        if match is None or not any(_is_missed(run, each) for each in cut.leaves):
            continue
        call = match.tree
        assert isinstance(call, ast.Call)
        yield LearningProblem(
            code="checkpoint_without_gradient",
            severity="warning",
            message=say(
                "finding.checkpoint_without_gradient",
                function=ast.unparse(call.args[0]) if call.args else last_name(call.func),
                line=call.lineno,
            ),
            step=run.begins[0].number,
            location=match.location,
        )
        return


def _is_missed(run: TrainingSteps, memory: int) -> bool:
    return memory not in run.leaves or not run.leaves[memory].accumulations


def find_cut_checkpoint(run: TrainingSteps, cut: CutOff) -> SourceMatch | None:
    """The call of a checkpoint that ends a history; None for other ends."""
    found = [
        SourceMatch(tree=call, source=source)
        for source, tree in parsed_sources(run.index, "checkpoint")
        for call in calls_named(tree, "checkpoint")
        if any(each.arg == "use_reentrant" and _is_true(each.value) for each in call.keywords)
    ]
    if cut.kind != "checkpoint" or not found:
        return None
    return next((each for each in found if _runs(each, cut)), found[0])


def _runs(match: SourceMatch, cut: CutOff) -> bool:
    """Whether a line is the call of a checkpoint, or in the function that it runs."""
    call, source = match.tree, match.source
    assert isinstance(call, ast.Call)
    lines = range(call.lineno, (call.end_lineno or call.lineno) + 1)
    if is_at(source, cut.location, lines):
        return True
    name = last_name(call.args[0]) if call.args else ""
    tree = parse_source(source.text)
    return any(
        isinstance(each, ast.FunctionDef)
        and each.name == name
        and is_at(source, cut.location, lines_of(each))
        for each in (() if tree is None else ast.walk(tree))
    )


def _is_true(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is True
