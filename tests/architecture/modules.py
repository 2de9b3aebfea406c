"""The modules of the package, parsed once, and which modules each imports."""

from __future__ import annotations

import ast
import functools
from dataclasses import dataclass
from pathlib import PurePosixPath

from tests.architecture.layers import PACKAGE


@dataclass(frozen=True)
class Module:
    """A module of the package.

    Attributes:
        name: Dotted name, with the package.
        path: Path below the package.
        tree: Its parsed source.
        source: Its text.
    """

    name: str
    path: PurePosixPath
    tree: ast.Module
    source: str = ""

    @property
    def is_package(self) -> bool:
        return self.path.name == "__init__.py"


@functools.cache
def modules() -> dict[str, Module]:
    """Every module of the package, by its dotted name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        below = PurePosixPath(path.relative_to(PACKAGE))
        parts = below.with_suffix("").parts
        name = ".".join(("gradviz", *(parts[:-1] if parts[-1] == "__init__" else parts)))
        source = path.read_text("utf-8")
        found[name] = Module(name, below, ast.parse(source), source)
    return found


def modules_below(folder: str) -> list[Module]:
    """The modules of a folder of the package."""
    return [each for each in modules().values() if each.path.is_relative_to(folder)]


@functools.cache
def nodes_of(tree: ast.Module) -> tuple[ast.AST, ...]:
    """All nodes of a module: walking it takes as long as parsing it, and many tests do."""
    return tuple(ast.walk(tree))


def import_graph(found: dict[str, Module]) -> dict[str, set[str]]:
    """The modules that each module imports: at the top, in functions, and for types only."""
    return {name: imported_by(module, found) - {name} for name, module in found.items()}


def imported_by(module: Module, found: dict[str, Module]) -> set[str]:
    """The modules that a module imports, also in its functions."""
    targets: set[str] = set()
    parts = module.name.split(".")
    package = parts if module.is_package else parts[:-1]
    for node in nodes_of(module.tree):
        if isinstance(node, ast.Import):
            targets |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            start = ".".join([*base, *([node.module] if node.module else [])])
            below = {f"{start}.{alias.name}" for alias in node.names}
            targets |= below & found.keys()
            if not below <= found.keys():
                targets.add(start)
    return targets & found.keys()


def cycles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The groups of nodes that reach each other, by Tarjan's algorithm."""
    numbers: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    groups: list[list[str]] = []

    def visit(node: str) -> None:
        numbers[node] = lowest[node] = len(numbers)
        stack.append(node)
        for target in sorted(graph[node]):
            if target not in numbers:
                visit(target)
                lowest[node] = min(lowest[node], lowest[target])
            elif target in stack:
                lowest[node] = min(lowest[node], numbers[target])
        if lowest[node] == numbers[node]:
            at = stack.index(node)
            group, stack[at:] = stack[at:], []
            if len(group) > 1:
                groups.append(sorted(group))

    for node in graph:
        if node not in numbers:
            visit(node)
    return groups
