"""Losses that a loop computes, of which backward gets only the last."""

from __future__ import annotations

import ast
from itertools import pairwise

from gradviz.linter.training.source_search import Loop, ParsedFile, assigns, names_in, parsed_files
from gradviz.linter.training.training_run import Problems, TrainingSteps, problem, reported_once

_FEWEST = 3
"""With two losses one cannot tell whether the second depends on the first iteration."""


@reported_once
def find_unused_losses(run: TrainingSteps) -> Problems:
    """Calls of backward after a loop, where the graphs of its earlier iterations stay unused."""
    for file in parsed_files(run.index, "backward") if run.is_whole else ():
        for _, block in file.blocks():
            for at, line in enumerate(block):
                name = _differentiated(line)
                loop = next((each for each in block[:at][::-1] if isinstance(each, Loop)), None)
                if not name or loop is None:
                    continue
                if any(assigns(each, name) for each in block[block.index(loop) + 1 : at]):
                    continue
                made = [each for each in loop.body if _makes(each, name)]
                begins = [each.number for each in run.begins if file.is_in(each.location, line)]
                count = _count(run, file, made[0], begins) if len(made) == 1 else 0
                if count:
                    yield problem(
                        "losses_unused",
                        "warning",
                        step=begins[0],
                        location=file.location(line),
                        count=count,
                        loop=loop.lineno,
                    )


def _differentiated(line: ast.stmt) -> str:
    """The variable in ``loss.backward()``, or the list in ``losses[-1].backward()``."""
    match line:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=root, attr="backward"))):
            root = root.value if isinstance(root, ast.Subscript) else root
            return root.id if isinstance(root, ast.Name) else ""
        case _:
            return ""


def _makes(line: ast.stmt, name: str) -> bool:
    """Whether a line of a loop gives a variable a new loss, or appends it to a list."""
    match line:
        case ast.Assign(targets=[ast.Name(id=target)], value=value):
            return target == name and name not in names_in(value)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=target), attr="append"))):
            return target == name
        case _:
            return assigns(line, name)


def _count(run: TrainingSteps, file: ParsedFile, made: ast.stmt, begins: list[int]) -> int:
    """How many losses each of some passes could have used, where it used only the last."""
    counts = []
    for after, before in pairwise((0, *begins)):
        steps = [
            each
            for each in run.forwards
            if after < each.number < before and file.is_in(each.location, made)
        ]
        parts = {item.tensor for each in steps for item in each.inputs}
        # A number that is part of another is no loss of its own.
        losses = [
            each.number
            for each in steps
            if run.makes_number(each) and parts.isdisjoint(item.tensor for item in each.outputs)
        ]
        earlier = range(losses[0], losses[-2] + 1) if len(losses) >= _FEWEST else range(0)
        unused = [each for each in run.forwards if each.number in earlier]
        if not unused or any(node in run.index.visits for each in unused for node in each.nodes):
            return 0
        counts.append(len(losses))
    return min(counts, default=0)
