"""Where a file stands in a package, so that it can be imported with its relative imports."""

from __future__ import annotations

import ast
import os
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PackagePlace:
    """The place of a file in a package.

    Attributes:
        root: The folder that contains the outermost package.
        name: Name of the module, such as ``package.module``.
    """

    root: str
    name: str

    @property
    def package(self) -> str:
        """Name of the package to which relative imports refer."""
        return self.name.rpartition(".")[0]


def package_place(path: str) -> PackagePlace | None:
    """Find the package of a file by the ``__init__.py`` files above it; None if it has none.

    A project with a ``pyproject.toml`` may leave them out: its packages begin in the project's
    folder, or in ``src`` below it.

    Args:
        path: Absolute path of a Python file.
    """
    folder, file = os.path.split(path)
    root = folder
    while os.path.isfile(os.path.join(root, "__init__.py")) and os.path.dirname(root) != root:
        root = os.path.dirname(root)
    if root == folder:
        root = _project_root(folder)
    parts = os.path.relpath(folder, root).split(os.sep)
    stem = os.path.splitext(file)[0]
    names = [*parts, stem] if stem != "__init__" else parts
    if root == folder or not all(each.isidentifier() for each in names):
        return None
    return PackagePlace(root=root, name=".".join(names))


def _project_root(folder: str) -> str:
    """The folder in which a project's packages begin; the folder itself if there is no project."""
    above = folder
    while not os.path.isfile(os.path.join(above, "pyproject.toml")):
        if os.path.dirname(above) == above:
            return folder
        above = os.path.dirname(above)
    source = os.path.join(above, "src")
    return source if folder.startswith(os.path.join(source, "")) else above


def imports_relatively(tree: ast.AST) -> bool:
    """Whether a file imports from its own package, as in ``from .module import name``."""
    return any(isinstance(node, ast.ImportFrom) and node.level > 0 for node in ast.walk(tree))
