"""Calls that do nothing: with a generator that is used up, or past the hooks of a module."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.training.source_search import ParsedFile, lines_of, parsed_files
from gradviz.linter.training.training_run import Problems, TrainingSteps, problem, reported_once

_GENERATORS = frozenset(("parameters", "named_parameters"))
_EXITS = ast.Return | ast.Raise | ast.Continue | ast.Break


@reported_once
def find_used_up_generators(run: TrainingSteps) -> Problems:
    """Generators of parameters that a function uses twice, or again in a loop."""
    for file in parsed_files(run.index, "parameters") if run.updates else ():
        functions = [each for each in _walk(file.tree) if isinstance(each, ast.FunctionDef)]
        # A method of this name may return a list.
        if any(each.name in _GENERATORS for each in functions):
            continue
        scopes: list[ast.Module | ast.FunctionDef] = [file.tree]
        for scope in scopes + [each for each in functions if _has_run(run, file, each)]:
            for made, name in _generators(scope):
                uses = _uses(scope, made, name)
                if len(uses) > 1:
                    yield problem(
                        "generator_used_up",
                        "warning",
                        step=run.updates[0].number,
                        location=file.location(made),
                        name=name,
                        first=uses[0].lineno,
                        second=uses[1].lineno,
                        call=ast.unparse(made.value),
                    )


def _has_run(run: TrainingSteps, file: ParsedFile, function: ast.FunctionDef) -> bool:
    """Whether a step of the run was made in a function."""
    lines = lines_of(function)
    return any(source == file.source.id and line in lines for source, line in run.lines)


def _walk(tree: ast.AST) -> Iterator[ast.AST]:
    """All parts of a tree, in order of the source."""
    yield tree
    for each in ast.iter_child_nodes(tree):
        yield from _walk(each)


def _generators(scope: ast.Module | ast.FunctionDef) -> Iterator[tuple[ast.Assign, str]]:
    """The assignments that make a generator of parameters, and their variables."""
    for line in scope.body:
        match line:
            case ast.Assign(
                targets=[ast.Name(id=name), *_], value=ast.Call(func=ast.Attribute(attr=made))
            ) if made in _GENERATORS:
                yield line, name
            case _:
                continue


def _uses(scope: ast.Module | ast.FunctionDef, made: ast.Assign, name: str) -> list[ast.Name]:
    """Where a variable is used after its assignment; in a loop, twice. Empty if that is open."""
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


@reported_once
def find_skipped_hooks(run: TrainingSteps) -> Problems:
    """Direct calls of ``forward`` of a module on which the program has registered hooks."""
    for file in parsed_files(run.index, "register_", "forward"):
        parts = [*_walk(file.tree)]
        calls = [
            (each, each.func)
            for each in parts
            if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute)
        ]
        if any(method.attr == "remove" for _, method in calls):
            continue
        functions = [each for each in parts if isinstance(each, ast.FunctionDef)]
        idle = [each for each in functions if not _has_run(run, file, each)]
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
                yield problem(
                    "hooks_skipped",
                    "warning",
                    step=run.begins[0].number,
                    location=file.location(call),
                    name=name,
                    hook=hooked[name],
                )
