"""Docstrings and comments refer in `backticks` to names that exist."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator

from tests.architecture.layers import PACKAGE

REFERENCE = re.compile(r"(?<!`)`([A-Za-z_][\w.]*)`(?!`)")
SOURCES = {path: path.read_text(encoding="utf-8") for path in sorted(PACKAGE.rglob("*.py"))}


def names_in(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.Name(id=name):
                yield name
            case ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name
            case ast.alias(name=name, asname=other):
                yield (other or name).rpartition(".")[2]


def texts_in(source: str, tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield str(node.value.value)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def test_what_a_docstring_refers_to_exists() -> None:
    trees = {path: ast.parse(source) for path, source in SOURCES.items()}
    known = {path.stem for path in SOURCES} | {path.parent.name for path in SOURCES}
    known |= {name for tree in trees.values() for name in names_in(tree)}
    wrong = {
        f"{path.relative_to(PACKAGE)}: {reference}"
        for path, tree in trees.items()
        for text in texts_in(SOURCES[path], tree)
        for reference in REFERENCE.findall(text)
        if reference.rpartition(".")[2] not in known
    }
    assert wrong == set()
