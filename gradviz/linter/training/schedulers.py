"""Learning rates that a scheduler skips, because it steps before the optimizer."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.training.source_search import (
    ParsedFile,
    below,
    is_called,
    last_name,
    parsed_files,
)
from gradviz.linter.training.training_run import Problems, TrainingSteps, problem, reported_once
from gradviz.model.step import OptimizerStep


@reported_once
def find_early_schedulers(run: TrainingSteps) -> Problems:
    """Schedulers whose step comes before the first step of an optimizer of the run."""
    if not (run.updates and run.index.begins_with_the_run):
        return
    update = run.updates[0]
    for file in parsed_files(run.index, "lr_scheduler", "step"):
        # A scheduler that goes on where a file ended may step first.
        if is_called(file.tree, "load_state_dict"):
            continue
        schedulers = set(scheduler_names(file.tree))
        for _, block in file.blocks():
            for at, line in enumerate(block):
                if _stepped(line) not in schedulers:
                    continue
                if any(_updates(file, each, update) for each in below(block, at)):
                    yield problem(
                        "scheduler_first",
                        "warning",
                        step=update.number,
                        location=file.location(line),
                        optimizer=update.optimizer,
                        update=update.location,
                    )


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


def _updates(file: ParsedFile, line: ast.stmt, update: OptimizerStep) -> bool:
    """Whether a line makes an optimizer step, or calls the function that does, as no other does."""
    if file.is_in(update.location, line):
        return True
    for each in file.functions:
        if file.is_in(update.location, each):
            calls = [*file.calls(each.name)]
            return len(calls) == 1 and calls[0] in ast.walk(line)
    return False
