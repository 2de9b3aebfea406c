"""``save_for_backward`` is called more than once on one path."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from gradviz.linter.function_class import FunctionClass, FunctionMethod
from gradviz.linter.violation import Violation


def find(function: FunctionClass) -> Iterator[Violation]:
    """Yield the second call on a path through the method that saves."""
    method = function.saving
    if method is None:
        return
    calls = _longest_path(method, method.node.body)
    if len(calls) > 1:
        yield Violation(method=method, line=calls[1].lineno)


def _longest_path(method: FunctionMethod, body: list[ast.stmt]) -> list[ast.Call]:
    """The calls on the path that has most of them."""
    found: list[ast.Call] = []
    for statement in body:
        branches = [
            _longest_path(method, branch)
            for name in ("body", "orelse", "finalbody")
            if (branch := getattr(statement, name, []))
        ]
        heads = [each for each in ast.iter_child_nodes(statement) if isinstance(each, ast.expr)]
        found += [
            node
            for head in heads
            for node in ast.walk(head)
            if isinstance(node, ast.Call) and method.is_context(node.func, "save_for_backward")
        ]
        longest = _longest(branches)
        found += longest
        if isinstance(statement, ast.For | ast.While) and _repeats(statement):
            # The second iteration calls it again.
            found += longest
        if isinstance(statement, ast.Return | ast.Raise):
            break
        if isinstance(statement, ast.If) and found and _always_leaves(statement.body):
            # The path through this branch ends here; the other one goes on without its calls.
            rest = _longest_path(method, body[body.index(statement) + 1 :])
            return _longest([found, rest])
    return found


def _longest(paths: list[list[ast.Call]]) -> list[ast.Call]:
    return next((each for each in paths if len(each) == max(map(len, paths))), [])


def _repeats(loop: ast.For | ast.While) -> bool:
    """Whether nothing in a loop can end it early."""
    ends = ast.Break | ast.Return | ast.Raise
    return not any(isinstance(node, ends) for node in ast.walk(loop))


def _always_leaves(body: list[ast.stmt]) -> bool:
    return isinstance(body[-1], ast.Return | ast.Raise)
