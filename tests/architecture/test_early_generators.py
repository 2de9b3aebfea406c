"""No generator expression of the recorder ends early while the run may be interrupted.

When Python closes a generator before its end, it drops the exceptions of signal handlers and other
threads that arrive in the meantime, as Ctrl+C's: the run would go on.
"""

from __future__ import annotations

import ast

import pytest

from tests.architecture.modules import modules_below, nodes_of

ENDING_EARLY = ("any", "all", "next")

ALLOWED = {
    "has ended or failed": (
        *("errors/history_ends", "errors/refusals", "own_errors", "user_traceback"),
    ),
    "is read once for each place in the source": (
        *("call_site_names", "forward/function_source", "module_call_names"),
        *("source_expressions", "sources"),
    ),
}
"""Modules that may have some, by what is true of what they work on."""


def early_generators(tree: ast.Module) -> list[int]:
    """The lines with a generator expression that is passed to what may not take all of it."""
    return [
        call.lineno
        for call in nodes_of(tree)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in ENDING_EARLY
        and isinstance(call.args[0], ast.GeneratorExp)
    ]


def found() -> dict[str, list[int]]:
    modules = {each.path: early_generators(each.tree) for each in modules_below("recorder")}
    return {
        str(path.relative_to("recorder").with_suffix("")): lines
        for path, lines in modules.items()
        if lines
    }


def test_no_generator_expression_ends_early() -> None:
    """`any(map(...))`, a comprehension or a loop does the same."""
    allowed = {name for names in ALLOWED.values() for name in names}
    assert {name: lines for name, lines in found().items() if name not in allowed} == {}


def test_every_exception_is_needed() -> None:
    assert {name for names in ALLOWED.values() for name in names} <= found().keys()


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("any(each for each in values)", [1]),
        ("x = 1\nif not all(each.is_set for each in values): ...", [2]),
        ("next((each for each in values), None)", [1]),
        ("any(map(str, values))", []),
        ("tuple(each for each in values)", []),
        ("values.any()", []),
    ],
)
def test_what_ends_early(source: str, lines: list[int]) -> None:
    assert early_generators(ast.parse(source)) == lines
