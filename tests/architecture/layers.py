"""The import table: which layer may import which layers and third-party packages.

The data flows: user code -> recorder -> trace -> reader -> drawing and analysis -> window.
"""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "gradviz"


@dataclass(frozen=True)
class Layer:
    """What a layer may import.

    Attributes:
        ours: Names of other layers.
        others: Top-level names of packages of others.
        lazily: Whether imports of other layers must stand inside functions, and may be any.
    """

    ours: frozenset[str] = field(default_factory=frozenset)
    others: frozenset[str] = field(default_factory=frozenset)
    lazily: bool = False


def layer(ours: str = "", others: str = "", *, lazily: bool = False) -> Layer:
    return Layer(ours=frozenset(ours.split()), others=frozenset(others.split()), lazily=lazily)


# A layer is a folder of the package, or a module or folder of the gallery.
TABLE = {
    "model": layer(others="numpy msgspec"),
    "catalogue": layer(),
    "analysis": layer("model catalogue", "numpy msgspec"),
    "text": layer("analysis catalogue model", "numpy msgspec"),
    "document": layer("text analysis catalogue model", "numpy msgspec"),
    "lesson": layer("model analysis catalogue gallery.guide gallery.registry"),
    "store": layer("model catalogue", "numpy msgspec"),
    "protocol": layer("model", "numpy msgspec"),
    "linter": layer("model catalogue analysis text", "msgspec"),
    "drawing": layer("text analysis catalogue model", "numpy graphviz pygments fontTools"),
    "gallery.scene": layer("model catalogue"),
    "gallery.groups": layer("model gallery.scene"),
    "gallery.registry": layer("model catalogue gallery.scene gallery.groups"),
    "gallery.guide": layer("catalogue", "markdown_it mdit_py_plugins"),
    "gallery.scenes": layer(others="torch numpy"),
    "recorder": layer("model store catalogue analysis text linter", "torch numpy msgspec"),
    "checks": layer("model catalogue analysis linter recorder", "torch numpy msgspec"),
    "worker": layer(
        "model catalogue analysis text store protocol linter recorder checks"
        " gallery.registry gallery.scenes",
        "torch numpy msgspec safetensors",
    ),
    "host": layer("model catalogue protocol", "psutil msgspec"),
    "story": layer("model catalogue analysis text document drawing lesson", "numpy msgspec"),
    "export": layer(
        "model catalogue analysis text document store drawing linter lesson story gallery.guide",
        "numpy msgspec PIL fontTools pptx",
    ),
    "api": layer(
        "model catalogue analysis text drawing checks export host linter recorder store",
        "torch numpy msgspec IPython",
    ),
    "testing": layer(
        "model catalogue analysis text checks api recorder store",
        "torch pytest",
    ),
    "viewer": layer(
        "model catalogue analysis text document store protocol drawing host export linter"
        " gallery.registry gallery.guide lesson story",
        "PySide6 shiboken6 pyqtgraph numpy msgspec",
    ),
    "cli": layer("catalogue", "msgspec", lazily=True),
    "preflight": layer("catalogue"),
    "pytest_plugin": layer(others="pytest", lazily=True),
    "__main__": layer(lazily=True),
    "__init__": layer(lazily=True),
}
# Small modules of the package's top that import nothing of ours; every layer may import them.
FREE = frozenset({"late_import", "resource", "version"})
# Each of these packages is imported by one file only, which stands before it with types.
ONE_FILE = {
    "imageio_ffmpeg": "export/film/encoder.py",
    "pptx": "export/slides_pptx.py",
    "pygraphviz": "drawing/graphviz/library_process.py",
    "shtab": "cli/completion.py",
}


@dataclass(frozen=True)
class Import:
    """One import; `later` if it does not run when the module is imported."""

    name: str
    line: int
    later: bool


def layer_of(parts: tuple[str, ...]) -> str:
    """The layer of a dotted name or path below the package; `__init__` for the package itself."""
    if not parts:
        return "__init__"
    if parts[0] == "gallery":
        return ".".join(parts[:2]) if len(parts) > 1 else "__init__"
    return parts[0]


def violations(path: PurePosixPath, tree: ast.Module) -> list[str]:
    """What a file, with its path below the package, imports against the table."""
    own = layer_of(path.with_suffix("").parts)
    if own == "gallery.__init__":
        own = "__init__"
    if own not in TABLE and own not in FREE:
        return [f"{path}: the layer {own!r} is not in the table"]
    found = []
    for each in imports(path, tree):
        reason = _why_not(own, path, each)
        if reason:
            found.append(f"{path}:{each.line}: {own} {reason}")
    return found


def _why_not(own: str, path: PurePosixPath, each: Import) -> str:
    rule = TABLE.get(own, layer())
    top, *rest = each.name.split(".")
    if top != "gradviz":
        allowed = top in rule.others or top in sys.stdlib_module_names
        if allowed or ONE_FILE.get(top) == str(path):
            return ""
        return f"may not import {top}"
    target = layer_of(tuple(rest))
    if target in {own, "__init__"} or target in FREE or target in rule.ours:
        return ""
    if rule.lazily:
        return "" if each.later else f"may import {target} inside functions only"
    return f"may not import {target}"


@functools.cache
def imports(path: PurePosixPath, tree: ast.Module) -> tuple[Import, ...]:
    """Every import of a file, those inside functions and by a constant name included."""
    package = ("gradviz", *path.parts[:-1])
    return tuple(_walk(tree, package, later=False))


def _walk(node: ast.AST, package: tuple[str, ...], *, later: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        for name in _names(child, package):
            yield Import(name, getattr(child, "lineno", 0), later)
        yield from _walk(child, package, later=later or _runs_later(child))


def _runs_later(node: ast.AST) -> bool:
    """Whether the body does not run when the module is imported."""
    if isinstance(node, ast.If):
        return ast.unparse(node.test).endswith("TYPE_CHECKING") and not node.orelse
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)


def _names(node: ast.AST, package: tuple[str, ...]) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        base = package[: len(package) - node.level + 1] if node.level else ()
        start = ".".join([*base, *([node.module] if node.module else [])])
        # `from gradviz import model` and `from gradviz.gallery import scenes` name a layer last.
        if start in {"gradviz", "gradviz.gallery"}:
            return [_below(start, alias.name) for alias in node.names]
        return [start]
    if isinstance(node, ast.Call) and called_name(node) in {"import_module", "__import__"}:
        return [
            argument.value
            for argument in node.args[:1]
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
        ]
    return []


def called_name(call: ast.Call) -> str:
    """The last part of the name of what is called; empty if it has no name."""
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _below(start: str, name: str) -> str:
    place = PACKAGE.joinpath(*start.split(".")[1:])
    known = (place / name).is_dir() or (place / f"{name}.py").exists()
    layers = {key.split(".")[-1] for key in TABLE} | FREE
    return f"{start}.{name}" if known or name in layers else start
