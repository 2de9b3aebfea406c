"""Each class or type alias is defined once in the package."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator

import pytest

from tests.architecture.modules import modules

ALLOWED: dict[str, str] = {}
"""Names with several definitions, each with the reason."""

PROGRAMS = "gallery/scenes/"
"""Scenes are programs of their own, and a user's Functions often have the same names."""


def types_in(tree: ast.Module) -> Iterator[str]:
    """Names of the classes and type aliases that a module defines at its top level."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (each.id for each in node.targets if _is_type(each))
        elif isinstance(node, ast.AnnAssign) and _is_type(node.target):
            yield node.target.id


def _is_type(target: ast.expr) -> bool:
    if not isinstance(target, ast.Name):
        return False
    name = target.id.lstrip("_")
    return name[:1].isupper() and not name.isupper()


def definitions() -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for module in modules().values():
        if not str(module.path).startswith(PROGRAMS):
            for name in types_in(module.tree):
                found[name].append(module.name)
    return found


def test_each_type_has_one_definition() -> None:
    several = {name: where for name, where in definitions().items() if len(where) > 1}
    assert {name: where for name, where in several.items() if name not in ALLOWED} == {}


def test_every_exception_is_needed() -> None:
    found = definitions()
    assert [name for name in ALLOWED if len(found[name]) < 2] == []


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("class A: ...\nclass _B:\n    class Inner: ...", ["A", "_B"]),
        ("Rows = list[int]\nLIMIT = 3\nvalue = 2\nT = TypeVar('T')", ["Rows"]),
        ("Sizes: TypeAlias = tuple[int, ...]\ntable: dict[str, int] = {}", ["Sizes"]),
        ("def f():\n    class Local: ...", []),
    ],
)
def test_types_are_found(source: str, names: list[str]) -> None:
    assert list(types_in(ast.parse(source))) == names
