"""Tensors that require a gradient only after the forward pass in which they were used."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.catalogue.messages import say
from gradviz.linter.training.source_search import (
    SourceMatch,
    assigns,
    calls_named,
    is_at,
    last_name,
    lines_of,
    names_in,
    parsed_sources,
    statement_blocks,
)
from gradviz.linter.training.training_run import LearningProblem, TrainingSteps
from gradviz.model.source import SourceFile


def find_late_requirements(run: TrainingSteps) -> Iterator[LearningProblem]:
    """Tensors whose ``requires_grad`` is set between forward and backward: no pass gets there."""
    reached = {leaf.name for leaf in run.leaves.values() if leaf.accumulations}
    reached |= {item.name for end in run.ends for item in end.results}
    reached |= {each.path for each in run.index.trace.modules}
    for source, tree in parsed_sources(run.index, "requires_grad") if run.is_whole else ():
        # A module has `requires_grad_` too, and leaves with names of their own.
        modules = {last_name(each.func) for each in ast.walk(tree) if isinstance(each, ast.Call)}
        for _, block in statement_blocks(tree):
            for at, line in enumerate(block):
                name = _required(line)
                if not name or name in reached | modules:
                    continue
                use = _last_use(run, source, block[:at], name)
                later = _first_pass(run, source, block[at + 1 :])
                # What is used again in between has its gradient from there.
                if use is None or later is None or name in _names(block[at + 1 :], later):
                    continue
                yield LearningProblem(
                    code="requires_grad_late",
                    severity="warning",
                    message=say(
                        "finding.requires_grad_late", name=name, line=line.lineno, use=use.lineno
                    ),
                    step=next(
                        each.number
                        for each in run.begins
                        if is_at(source, each.location, lines_of(later))
                    ),
                    location=SourceMatch(tree=line, source=source).location,
                )
                return


def _required(line: ast.stmt) -> str:
    """The variable in ``x.requires_grad_()`` or ``x.requires_grad = True``; else empty."""
    match line:
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="requires_grad_"), args=args
            )
        ):
            return name if not args or ast.unparse(args[0]) == "True" else ""
        case ast.Assign(
            targets=[ast.Attribute(value=ast.Name(id=name), attr="requires_grad")],
            value=ast.Constant(value=True),
        ):
            return name
        case _:
            return ""


def _last_use(
    run: TrainingSteps, source: SourceFile, before: list[ast.stmt], name: str
) -> ast.stmt | None:
    """The last line that computes something recorded from a variable that it does not replace."""
    for line in reversed(before):
        if assigns(line, name):
            return None
        if name in names_in(line):
            made = any(is_at(source, each.location, lines_of(line)) for each in run.forwards)
            return line if made else None
    return None


def _first_pass(run: TrainingSteps, source: SourceFile, after: list[ast.stmt]) -> ast.stmt | None:
    """The first line that starts a backward pass."""
    for line in after:
        if any(True for _ in calls_named(line, "backward")):
            is_run = any(is_at(source, each.location, lines_of(line)) for each in run.begins)
            return line if is_run else None
    return None


def _names(lines: list[ast.stmt], end: ast.stmt) -> set[str]:
    """The variables in the lines before one."""
    return {name for each in lines[: lines.index(end) + 1] for name in names_in(each)}
