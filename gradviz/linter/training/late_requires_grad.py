"""Tensors that require a gradient only after the forward pass in which they were used."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.training.source_search import (
    ParsedFile,
    assigns,
    is_called,
    last_name,
    made_to_require_grad,
    names_in,
    parsed_files,
)
from gradviz.linter.training.training_run import Problems, TrainingSteps, problem, reported_once
from gradviz.model.step import PassBeginStep


@reported_once
def find_late_requires_grad(run: TrainingSteps) -> Problems:
    """Tensors whose ``requires_grad`` is set between forward and backward: no pass gets there."""
    reached = {leaf.name for leaf in run.leaves.values() if leaf.accumulations}
    reached |= {item.name for end in run.ends for item in end.results}
    reached |= {each.path for each in run.index.trace.modules}
    for file in parsed_files(run.index, "requires_grad") if run.is_whole else ():
        made = [*_made_to_require_grad(file)]
        # A module has `requires_grad_` too, and leaves with names of their own.
        calls = (each for each in file.nodes if made and isinstance(each, ast.Call))
        others = reached.union(last_name(each.func) for each in calls)
        for block, at, name in made:
            if name in others:
                continue
            use = _last_use(run, file, block[:at], name)
            begin = _first_pass(run, file, block[at + 1 :], name)
            if use is not None and begin is not None:
                yield problem(
                    "requires_grad_late",
                    "warning",
                    step=begin.number,
                    location=file.location(block[at]),
                    name=name,
                    use=use.lineno,
                )


def _made_to_require_grad(file: ParsedFile) -> Iterator[tuple[list[ast.stmt], int, str]]:
    """The lines that do that to a variable: their block, their place in it, and its name."""
    for _, block in file.blocks():
        for at, line in enumerate(block):
            owner = made_to_require_grad(line.value if isinstance(line, ast.Expr) else line)
            if isinstance(owner, ast.Name):
                yield block, at, owner.id


def _last_use(
    run: TrainingSteps, file: ParsedFile, before: list[ast.stmt], name: str
) -> ast.stmt | None:
    """The last line that computes something recorded from a variable that it does not replace."""
    for line in reversed(before):
        if assigns(line, name):
            return None
        if name in names_in(line):
            made = any(file.is_in(each.location, line) for each in run.forwards)
            return line if made else None
    return None


def _first_pass(
    run: TrainingSteps, file: ParsedFile, after: list[ast.stmt], name: str
) -> PassBeginStep | None:
    """The first pass that lines start; None if they use a variable again before it has run."""
    for line in after:
        # What is used again in between has its gradient from there.
        if name in names_in(line):
            return None
        if is_called(line, "backward"):
            return next((each for each in run.begins if file.is_in(each.location, line)), None)
    return None
