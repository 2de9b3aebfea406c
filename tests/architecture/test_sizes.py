"""Limits on the sizes of files, functions and folders."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.architecture.layers import PACKAGE, ROOT
from tests.architecture.modules import modules, nodes_of

Function = ast.FunctionDef | ast.AsyncFunctionDef
FORBIDDEN_NAMES = {"utils.py", "util.py", "helpers.py", "misc.py", "common.py"}
FILE_EIGHT_OF_TEN, FILE_MOST, FOLDER_MOST = 300, 500, 40
FUNCTION_NINE_OF_TEN, FUNCTION_MOST = 30, 60


def sources(*folders: str) -> list[Path]:
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def share(sizes: Iterable[int], limit: int) -> float:
    """The share of sizes within a limit."""
    counted = list(sizes)
    return sum(size <= limit for size in counted) / len(counted) if counted else 1.0


def lines_of(path: Path) -> int:
    return len(path.read_text().splitlines())


def functions(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Name and lines of each function; its docstring does not count, as we ask for it."""
    for node in nodes_of(tree):
        if isinstance(node, Function):
            yield node.name, _span(node) - _docstring_lines(node)


def _span(node: ast.stmt | ast.expr) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def _docstring_lines(node: Function) -> int:
    if ast.get_docstring(node, clean=False) is None:
        return 0
    return _span(node.body[0])


def test_no_folder_is_a_drawer() -> None:
    # Scenes are a list by nature: one small module for each.
    folders = {path.parent for path in PACKAGE.rglob("*.py")} - {PACKAGE / "gallery" / "scenes"}
    counts = {str(folder.relative_to(ROOT)): len([*folder.glob("*.py")]) - 1 for folder in folders}
    assert {name: count for name, count in counts.items() if count > FOLDER_MOST} == {}


def test_eight_of_ten_files_are_moderate() -> None:
    # The docstring of a package is not a module.
    sizes = [size for path in PACKAGE.rglob("*.py") if (size := lines_of(path)) > 3]
    assert share(sizes, FILE_EIGHT_OF_TEN) >= 0.8, sorted(sizes)


def test_no_file_is_large() -> None:
    large = {
        str(path.relative_to(ROOT)): lines_of(path)
        for path in sources("gradviz", "tests", "benchmarks")
        if lines_of(path) > FILE_MOST
    }
    assert large == {}


def test_nine_of_ten_functions_are_small_and_none_is_large() -> None:
    sizes = [
        (size, f"{module.path}:{name}")
        for module in modules().values()
        for name, size in functions(module.tree)
    ]
    assert [each for each in sizes if each[0] > FUNCTION_MOST] == []
    above = sorted(each for each in sizes if each[0] > FUNCTION_NINE_OF_TEN)
    assert share((size for size, _ in sizes), FUNCTION_NINE_OF_TEN) >= 0.9, above


def test_no_file_has_a_name_that_says_nothing() -> None:
    named = [path for path in sources("gradviz", "tests") if path.name in FORBIDDEN_NAMES]
    assert named == []


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("def f():\n    return 1\n", 2),
        ('def f():\n    """One.\n\n    Two.\n    """\n    return 1\n', 2),
        ("async def f():\n    a = 1\n\n    return a\n", 4),
        ("class A:\n    @property\n    def f(self):\n        return 1\n", 2),
    ],
)
def test_functions_are_counted_without_docstring(source: str, lines: int) -> None:
    assert list(functions(ast.parse(source))) == [("f", lines)]


def test_share_counts() -> None:
    assert share([1, 2, 3, 400], 3) == 0.75
    assert share([], 3) == 1.0
