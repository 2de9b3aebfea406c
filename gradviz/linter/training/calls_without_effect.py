"""Calls that do nothing: with a generator that is used up, or past the hooks of a module."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.catalogue.messages import say
from gradviz.linter.training.source_search import SourceMatch, parsed_sources
from gradviz.linter.training.training_run import LearningProblem, TrainingSteps
from gradviz.model.source import SourceFile
from gradviz.model.step import ForwardStep, OptimizerStep, PassBeginStep

_GENERATORS = frozenset(("parameters", "named_parameters"))
_EXITS = ast.Return | ast.Raise | ast.Continue | ast.Break


def find_used_up_generators(run: TrainingSteps) -> Iterator[LearningProblem]:
    """Generators of parameters that a function uses twice, or again in a loop."""
    for source, tree in parsed_sources(run.index, "parameters") if run.updates else ():
        # A method of this name may return a list.
        functions = [each for each in _walk(tree) if isinstance(each, ast.FunctionDef)]
        if any(each.name in _GENERATORS for each in functions):
            continue
        scopes: list[ast.Module | ast.FunctionDef] = [
            tree,
            *(each for each in functions if _has_run(run, source, each)),
        ]
        for scope in scopes:
            for made in (each for each in scope.body if _makes_generator(each)):
                assert isinstance(made, ast.Assign)
                uses = _uses(scope, made)
                if len(uses) < 2:
                    continue
                name = ast.unparse(made.targets[0])
                yield LearningProblem(
                    code="generator_used_up",
                    severity="warning",
                    message=say(
                        "finding.generator_used_up",
                        name=name,
                        line=made.lineno,
                        first=uses[0].lineno,
                        second=uses[1].lineno,
                        call=ast.unparse(made.value),
                    ),
                    step=run.updates[0].number,
                    location=SourceMatch(tree=made, source=source).location,
                )
                return


def _has_run(run: TrainingSteps, source: SourceFile, function: ast.FunctionDef) -> bool:
    """Whether a step of the run was made in a function."""
    lines = range(function.lineno, (function.end_lineno or function.lineno) + 1)
    steps: tuple[PassBeginStep | OptimizerStep | ForwardStep, ...] = (
        *run.begins,
        *run.updates,
        *run.forwards,
    )
    places = (each.location for each in steps)
    return any(
        each is not None and each.source == source.id and each.line in lines for each in places
    )


def _walk(tree: ast.AST) -> Iterator[ast.AST]:
    """All parts of a tree, in order of the source."""
    yield tree
    for each in ast.iter_child_nodes(tree):
        yield from _walk(each)


def _makes_generator(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Name)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Attribute)
        and statement.value.func.attr in _GENERATORS
    )


def _uses(scope: ast.Module | ast.FunctionDef, made: ast.Assign) -> list[ast.Name]:
    """Where a variable is used after its assignment; in a loop, twice. Empty if that is open."""
    name = ast.unparse(made.targets[0])
    found: list[ast.Name] = []
    for statement in scope.body[scope.body.index(made) + 1 :]:
        named = [
            each for each in _walk(statement) if isinstance(each, ast.Name) and each.id == name
        ]
        if any(isinstance(each.ctx, ast.Store) for each in named):
            break
        # With branches and exits, the uses may exclude each other.
        inside = [each for each in _walk(statement) if isinstance(each, ast.If | ast.Try | _EXITS)]
        if named and any(each in _walk(part) for part in inside for each in named):
            return []
        found += named
        if isinstance(statement, ast.For | ast.While):
            found += [each for each in named if not _is_iterated(statement, each)]
    return sorted(found, key=lambda each: each.lineno)


def _is_iterated(loop: ast.For | ast.While, name: ast.Name) -> bool:
    """Whether a loop takes a variable only once, at its beginning."""
    return isinstance(loop, ast.For) and name in _walk(loop.iter)


def find_skipped_hooks(run: TrainingSteps) -> Iterator[LearningProblem]:
    """Direct calls of ``forward`` of a module on which the program has registered hooks."""
    for source, tree in parsed_sources(run.index, "register_", "forward"):
        calls = [
            (each, each.func)
            for each in _walk(tree)
            if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute)
        ]
        if any(method.attr == "remove" for _, method in calls):
            continue
        functions = [each for each in _walk(tree) if isinstance(each, ast.FunctionDef)]
        idle = [each for each in functions if not _has_run(run, source, each)]
        hooked = {
            ast.unparse(method.value): call.lineno
            for call, method in reversed(calls)
            if method.attr.startswith("register_") and method.attr.endswith("hook")
        }
        for call, method in calls:
            name = ast.unparse(method.value)
            if method.attr != "forward" or any(call in _walk(each) for each in idle):
                continue
            if hooked.get(name, call.lineno) < call.lineno:
                yield LearningProblem(
                    code="hooks_skipped",
                    severity="warning",
                    message=say(
                        "finding.hooks_skipped", name=name, line=call.lineno, hook=hooked[name]
                    ),
                    step=run.begins[0].number,
                    location=SourceMatch(tree=call, source=source).location,
                )
                return
