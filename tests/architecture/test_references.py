"""Names in `backticks` in docstrings and comments exist."""

from __future__ import annotations

import ast
import builtins
import functools
import re
from collections.abc import Iterator

from tests.architecture.modules import modules, nodes_of

DOCSTRING = re.compile(r'^ *"""(.*?)"""', re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"^ *#.*|  # .*", re.MULTILINE)
REFERENCE = re.compile(r"(?<!`)`([A-Za-z_][\w.]*)`(?!`)")


RAISES = re.compile(r"^ +([A-Z]\w*Error): ", re.MULTILINE)


@functools.cache
def known_names() -> frozenset[str]:
    return frozenset(name for module in modules().values() for name in names_in(module.tree))


def names_in(tree: ast.Module) -> Iterator[str]:
    for node in nodes_of(tree):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.Name(id=name):
                yield name
            case ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=str(name)):
                yield name
            case ast.alias(name=name, asname=other):
                yield (other or name).rpartition(".")[2]


def texts_in(source: str) -> Iterator[str]:
    yield from DOCSTRING.findall(source)
    yield from COMMENT.findall(source)


def test_what_a_docstring_refers_to_exists() -> None:
    found = modules().values()
    known = {part for module in found for part in module.name.split(".")}
    known |= known_names()
    wrong = {
        f"{module.path}: {reference}"
        for module in found
        for text in texts_in(module.source)
        for reference in REFERENCE.findall(text)
        if reference.rpartition(".")[2] not in known
    }
    assert wrong == set()


def test_the_errors_that_a_docstring_lists_exist() -> None:
    found = modules().values()
    known = known_names() | set(dir(builtins))
    wrong = {
        f"{module.path}: {error}"
        for module in found
        for text in texts_in(module.source)
        for error in RAISES.findall(text)
        if error not in known
    }
    assert wrong == set()
