"""Names in `backticks` in docstrings and comments exist."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from tests.architecture.layers import PACKAGE
from tests.architecture.modules import modules

DOCSTRING = re.compile(r'^ *"""(.*?)"""', re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"^ *#.*|  # .*", re.MULTILINE)
REFERENCE = re.compile(r"(?<!`)`([A-Za-z_][\w.]*)`(?!`)")


def names_in(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.Name(id=name):
                yield name
            case ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name
            case ast.alias(name=name, asname=other):
                yield (other or name).rpartition(".")[2]


def texts_in(source: str) -> Iterator[str]:
    yield from DOCSTRING.findall(source)
    yield from COMMENT.findall(source)


def test_what_a_docstring_refers_to_exists() -> None:
    found = modules().values()
    known = {part for module in found for part in module.name.split(".")}
    known |= {name for module in found for name in names_in(module.tree)}
    wrong = {
        f"{module.path}: {reference}"
        for module in found
        for text in texts_in((PACKAGE / module.path).read_text(encoding="utf-8"))
        for reference in REFERENCE.findall(text)
        if reference.rpartition(".")[2] not in known
    }
    assert wrong == set()
