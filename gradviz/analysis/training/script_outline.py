"""What a training script would do, read from its text."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from gradviz.analysis.source_statements import parse_source


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptOutline:
    """The training loop of a script, by its lines.

    Attributes:
        loop: Line of the outermost loop around the backward pass.
        backward: Line that starts the backward pass.
        update: Line of the optimizer's step; 0 if there is none.
    """

    loop: int
    backward: int
    update: int


def script_outline(text: str) -> ScriptOutline | None:
    """Find the first loop that calls ``backward``; None if there is none, or no valid Python."""
    tree = parse_source(text)
    for loop in () if tree is None else ast.walk(tree):
        # The outermost loops come first.
        if not isinstance(loop, ast.For | ast.While):
            continue
        calls = [
            (each.func.attr, each.lineno)
            for each in ast.walk(loop)
            if isinstance(each, ast.Call) and isinstance(each.func, ast.Attribute)
        ]
        backward = min((line for name, line in calls if name == "backward"), default=0)
        if backward:
            later = [line for name, line in calls if name == "step" and line >= backward]
            return ScriptOutline(loop=loop.lineno, backward=backward, update=min(later, default=0))
    return None
