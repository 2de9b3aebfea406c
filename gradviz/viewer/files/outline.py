"""Detects, without running a file, whether an edit may have changed the inputs it offers."""

from __future__ import annotations

import ast

MOST_CHARACTERS = 200_000
"""A longer file is not parsed, since that would block the window."""

_Function = ast.FunctionDef | ast.AsyncFunctionDef


def outline(source: str) -> str | None:
    """Return a text that changes only if the inputs a file offers may have changed.

    Edits of how its Functions compute do not change it. It covers all code outside classes and
    functions, the functions that this code names, those that they name in turn, and the names of
    all others.

    Returns:
        The text; None if the file is too long or is not valid Python.
    """
    if len(source) > MOST_CHARACTERS:
        return None
    try:
        body = ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    functions = {each.name: each for each in body if isinstance(each, _Function)}
    classes = [each for each in body if isinstance(each, ast.ClassDef)]
    outside = [each for each in body if not isinstance(each, _Function | ast.ClassDef)]
    # gradviz calls the function `examples` by its name.
    named = _reached({"examples", *_names(outside)}, functions)
    parts = [ast.dump(each) for each in outside]
    parts += [ast.dump(functions[name]) for name in sorted(named)]
    return "\n".join([*parts, *sorted(functions), *(each.name for each in classes)])


def _names(nodes: list[ast.stmt]) -> set[str]:
    walked = (each for node in nodes for each in ast.walk(node))
    return {each.id for each in walked if isinstance(each, ast.Name)}


def _reached(names: set[str], functions: dict[str, _Function]) -> set[str]:
    reached: set[str] = set()
    waiting = [name for name in names if name in functions]
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            more = _names([functions[name]])
            waiting += [each for each in more if each in functions]
    return reached
