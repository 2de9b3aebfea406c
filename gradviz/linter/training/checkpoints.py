"""Reentrant checkpoints that autograd does not see, as no input of them requires a gradient."""

from __future__ import annotations

import ast

from gradviz.linter.training.source_search import ParsedFile, last_name, parsed_files
from gradviz.linter.training.training_run import (
    CutOff,
    Problems,
    TrainingSteps,
    problem,
    reported_once,
)


@reported_once
def find_checkpoints_without_gradient(run: TrainingSteps) -> Problems:
    """Reentrant checkpoints none of whose inputs requires a gradient, unlike parameters inside."""
    for cut in run.cuts:
        found = find_cut_checkpoint(run, cut)
        # In another iteration, a pass may have reached the parameters.
        if found is None or not any(_is_missed(run, each) for each in cut.leaves):
            continue
        file, call = found
        yield problem(
            "checkpoint_without_gradient",
            "warning",
            step=run.begins[0].number,
            location=file.location(call),
            function=ast.unparse(call.args[0]) if call.args else last_name(call.func),
        )


def _is_missed(run: TrainingSteps, memory: int) -> bool:
    return memory not in run.leaves or not run.leaves[memory].accumulations


def find_cut_checkpoint(run: TrainingSteps, cut: CutOff) -> tuple[ParsedFile, ast.Call] | None:
    """The call of a checkpoint that ends a history; None for other ends."""
    if cut.kind != "checkpoint":
        return None
    found = [
        (file, call)
        for file in parsed_files(run.index, "checkpoint")
        for call in file.calls("checkpoint")
        if any(each.arg == "use_reentrant" and _is_true(each.value) for each in call.keywords)
    ]
    runs = (each for each in found if _runs(*each, cut))
    return next(runs, found[0] if found else None)


def _runs(file: ParsedFile, call: ast.Call, cut: CutOff) -> bool:
    """Whether a line is the call of a checkpoint, or in the function that it runs."""
    name = last_name(call.args[0]) if call.args else ""
    named = [each for each in file.functions if each.name == name]
    parts: list[ast.expr | ast.stmt] = [call, *named]
    return any(file.is_in(cut.location, each) for each in parts)


def _is_true(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is True
