"""Losses that a loop computes, of which backward gets only the last."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from gradviz.catalogue.messages import say
from gradviz.linter.training.source_search import (
    Loop,
    SourceMatch,
    assigns,
    is_at,
    lines_of,
    names_in,
    parsed_sources,
    statement_blocks,
)
from gradviz.linter.training.training_run import LearningProblem, TrainingSteps
from gradviz.model.source import SourceFile
from gradviz.model.step import ForwardStep

_FEWEST = 3
"""With two losses one cannot tell whether the second depends on the first iteration."""


def find_unused_losses(run: TrainingSteps) -> Iterator[LearningProblem]:
    """Calls of backward after a loop, where the graphs of its earlier iterations stay unused."""
    for source, tree in parsed_sources(run.index, "backward") if run.is_whole else ():
        for _, block in statement_blocks(tree):
            for at, line in enumerate(block):
                name = _differentiated(line)
                loop = next((each for each in block[:at][::-1] if isinstance(each, Loop)), None)
                if not name or loop is None:
                    continue
                if any(assigns(each, name) for each in block[block.index(loop) + 1 : at]):
                    continue
                made = [each for each in loop.body if _makes(each, name)]
                count = _count(run, source, made[0], line) if len(made) == 1 else 0
                if count:
                    yield LearningProblem(
                        code="losses_unused",
                        severity="warning",
                        message=say(
                            "finding.losses_unused",
                            line=line.lineno,
                            count=count,
                            loop=loop.lineno,
                        ),
                        step=_begins(run, source, line)[0],
                        location=SourceMatch(tree=line, source=source).location,
                    )
                    return


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


def _begins(run: TrainingSteps, source: SourceFile, line: ast.stmt) -> list[int]:
    """The passes that a line starts."""
    return [each.number for each in run.begins if is_at(source, each.location, lines_of(line))]


def _count(run: TrainingSteps, source: SourceFile, made: ast.stmt, line: ast.stmt) -> int:
    """How many losses each pass of a line could have used, where it used only the last."""
    counts = []
    for after, before in pairwise((0, *_begins(run, source, line))):
        steps = [
            each
            for each in run.forwards
            if after < each.number < before and is_at(source, each.location, lines_of(made))
        ]
        parts = {item.tensor for each in steps for item in each.inputs}
        losses = [each.number for each in steps if _is_number(run, each, parts)]
        earlier = range(losses[0], losses[-2] + 1) if len(losses) >= _FEWEST else range(0)
        unused = [each for each in run.forwards if each.number in earlier]
        if not unused or any(node in run.index.visits for each in unused for node in each.nodes):
            return 0
        counts.append(len(losses))
    return min(counts, default=0)


def _is_number(run: TrainingSteps, step: ForwardStep, parts: set[int | None]) -> bool:
    """Whether a step makes a number that is no part of another."""
    made = [each.tensor for each in step.outputs if each.tensor is not None]
    return len(made) == 1 and made[0] not in parts and run.index.tensor.bare(made[0]).shape == ()
