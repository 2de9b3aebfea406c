"""No code of the package misses a kind of step: readers use `values_of`, and matches name kinds."""

from __future__ import annotations

import ast
from typing import get_args

import pytest

from gradviz.model.item import Item
from gradviz.model.step import Step
from gradviz.model.step_values import ROLES, fields_with_type
from tests.architecture.modules import modules, nodes_of

KINDS = {kind.__name__ for kind in get_args(Step)}


def catch_alls(tree: ast.Module) -> list[int]:
    """Lines of `case _` and `case other` in matches over kinds of steps."""
    matches = [node for node in nodes_of(tree) if isinstance(node, ast.Match)]
    return [
        case.pattern.lineno
        for match in matches
        if any(_names(case.pattern) & KINDS for case in match.cases)
        for case in match.cases
        if isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None
    ]


def _names(pattern: ast.pattern) -> set[str]:
    classes = [node.cls for node in ast.walk(pattern) if isinstance(node, ast.MatchClass)]
    return {ast.unparse(each).rpartition(".")[2] for each in classes}


def test_no_match_over_steps_ends_in_a_catch_all() -> None:
    found = {str(each.path): catch_alls(each.tree) for each in modules().values()}
    assert {path: lines for path, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    ("cases", "lines"),
    [
        ("case NodeStep():\n  pass\n case _:\n  pass", [4]),
        ("case NodeStep() | None:\n  pass\n case other:\n  pass", [4]),
        ("case step.ForwardStep(call=None):\n  pass\n case _ if x:\n  pass", [4]),
        ("case NodeStep() as step:\n  pass\n case None:\n  pass", []),
        ("case Node():\n  pass\n case _:\n  pass", []),
    ],
)
def test_catch_alls_are_found(cases: str, lines: list[int]) -> None:
    assert catch_alls(ast.parse(f"match x:\n {cases}\n")) == lines


def test_every_role_belongs_to_a_field() -> None:
    fields = {name for kind in get_args(Step) for name in fields_with_type(kind, Item)}
    assert {name.partition(".")[0] for name in ROLES} == fields
