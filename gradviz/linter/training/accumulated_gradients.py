"""Gradients of several batches that should be added, but are cleared before each of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.catalogue.language import format_count
from gradviz.catalogue.messages import say
from gradviz.linter.training.optimizer_calls import direct_statements, optimizer_variable
from gradviz.linter.training.source_search import (
    Loop,
    SourceMatch,
    below,
    calls_named,
    is_at,
    lines_of,
    parsed_sources,
    statement_blocks,
)
from gradviz.linter.training.training_run import LearningProblem, TrainingSteps
from gradviz.model.source import SourceFile
from gradviz.model.step import OptimizerStep


def find_cleared_accumulations(run: TrainingSteps) -> Iterator[LearningProblem]:
    """Loops that clear before each pass, although an optimizer steps only after several."""
    for source, tree in parsed_sources(run.index, "zero_grad") if run.updates else ():
        for _, block in statement_blocks(tree):
            for at, loop in enumerate(block):
                if isinstance(loop, Loop):
                    problem = _cleared_in(run, source, loop, below(block, at))
                    if problem is not None:
                        yield problem
                        return


def _cleared_in(
    run: TrainingSteps, source: SourceFile, loop: Loop, after: list[ast.stmt]
) -> LearningProblem | None:
    lines = list(direct_statements(loop.body))
    clear, begin = (_line_calling(lines, name) for name in ("zero_grad", "backward"))
    # What the loop reads itself need not be added.
    if clear is None or begin is None or ".grad" in ast.unparse(loop):
        return None
    inside = any(True for _ in calls_named(loop, "step"))
    places = [each for each in lines if _is_periodic(each)] if inside else after
    update = next(
        (u for u in run.updates if any(is_at(source, u.location, lines_of(p)) for p in places)),
        None,
    )
    count = 0 if update is None else _count_lost(run, source, begin, update)
    if update is None or not count:
        return None
    return LearningProblem(
        code="gradients_cleared_early",
        severity="error",
        message=say(
            "finding.gradients_cleared_early.accumulation",
            optimizer=update.optimizer,
            variable=optimizer_variable(run.index, update),
            update=0 if update.location is None else update.location.line,
            count=format_count(count + 1),
            begin=begin.lineno,
            line=clear.lineno,
        ),
        step=update.number,
        location=SourceMatch(tree=clear, source=source).location,
    )


def _line_calling(lines: list[ast.stmt], name: str) -> ast.stmt | None:
    """The statement that consists of a call of a method; None without one."""
    plain = (each for each in lines if isinstance(each, ast.Expr))
    return next((each for each in plain if any(calls_named(each, name))), None)


def _is_periodic(line: ast.stmt) -> bool:
    """Whether a statement runs something in each turn of a fixed number."""
    return isinstance(line, ast.If) and any(
        word in ast.unparse(line.test).lower() for word in ("%", "accum")
    )


def _count_lost(
    run: TrainingSteps, source: SourceFile, begin: ast.stmt, update: OptimizerStep
) -> int:
    """How many passes of a line come to nothing before the last one, which a step uses."""
    earlier = max((each.number for each in run.updates if each.number < update.number), default=0)
    passes = [
        each.pass_id
        for each in run.begins
        if earlier < each.number < update.number and is_at(source, each.location, lines_of(begin))
    ]
    used = [
        each
        for leaf in run.updates_with(update)
        for each in leaf.accumulations
        if passes and each.pass_id == passes[-1]
    ]
    are_kept = any(each.added and run.differ(each.total, each.contribution) for each in used)
    return len(passes) - 1 if used and not are_kept else 0
