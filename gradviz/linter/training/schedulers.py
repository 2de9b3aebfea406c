"""Learning rates that a scheduler skips, because it steps before the optimizer."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.catalogue.messages import say
from gradviz.linter.training.source_search import (
    SourceMatch,
    below,
    calls_named,
    is_at,
    last_name,
    lines_of,
    parsed_sources,
    statement_blocks,
)
from gradviz.linter.training.training_run import LearningProblem, TrainingSteps
from gradviz.model.source import SourceFile
from gradviz.model.step import OptimizerStep


def find_early_schedulers(run: TrainingSteps) -> Iterator[LearningProblem]:
    """Schedulers whose step comes before the first step of an optimizer of the run."""
    if not (run.updates and run.index.begins_with_the_run):
        return
    update = run.updates[0]
    for source, tree in parsed_sources(run.index, "lr_scheduler", "step"):
        # A scheduler that goes on where a file ended may step first.
        if any(calls_named(tree, "load_state_dict")):
            continue
        schedulers = set(scheduler_names(tree))
        for _, block in statement_blocks(tree):
            for at, line in enumerate(block):
                if _stepped(line) not in schedulers:
                    continue
                if any(_updates(source, tree, each, update) for each in below(block, at)):
                    yield LearningProblem(
                        code="scheduler_first",
                        severity="warning",
                        message=say(
                            "finding.scheduler_first",
                            line=line.lineno,
                            optimizer=update.optimizer,
                            update=0 if update.location is None else update.location.line,
                        ),
                        step=update.number,
                        location=SourceMatch(tree=line, source=source).location,
                    )
                    return


def scheduler_names(tree: ast.Module) -> Iterator[str]:
    """The variables and attributes that get a scheduler."""
    imported = {
        each.asname or each.name
        for line in ast.walk(tree)
        if isinstance(line, ast.ImportFrom) and line.module == "torch.optim.lr_scheduler"
        for each in line.names
    }
    for line in ast.walk(tree):
        if isinstance(line, ast.Assign) and isinstance(line.value, ast.Call):
            made = line.value.func
            if "lr_scheduler" in ast.unparse(made) or last_name(made) in imported:
                yield ast.unparse(line.targets[0])


def _stepped(line: ast.stmt) -> str:
    """What a line calls ``step`` of; empty for any other line."""
    match line:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=receiver, attr="step"))):
            return ast.unparse(receiver)
        case _:
            return ""


def _updates(source: SourceFile, tree: ast.Module, line: ast.stmt, update: OptimizerStep) -> bool:
    """Whether a line makes an optimizer step, or calls the function that does, as no other does."""
    if is_at(source, update.location, lines_of(line)):
        return True
    for each in ast.walk(tree):
        if isinstance(each, ast.FunctionDef) and is_at(source, update.location, lines_of(each)):
            calls = [*calls_named(tree, each.name)]
            return len(calls) == 1 and calls[0] in ast.walk(line)
    return False
