"""Every key of the catalogue has one template, and every use fills it completely."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import string
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import gradviz
from gradviz import catalogue
from gradviz.catalogue.messages import say_list
from gradviz.catalogue.templates import MESSAGES

PACKAGE = Path(gradviz.__file__).parent
PREFIXES = {"say": "", "say_count": "", "make_problem": "problem.", "problem": "finding."}
"""Functions that fill a template, and what they put in front of its key."""

ADDED = {"problem": {"line", "step"}}
"""Values that such a function gives itself."""


def tables() -> Iterator[dict[str, str]]:
    for each in pkgutil.iter_modules(catalogue.__path__):
        module = importlib.import_module(f"{catalogue.__name__}.{each.name}")
        for name, value in vars(module).items():
            if name.startswith("MESSAGES_") and each.name not in ("messages", "templates"):
                yield value


def placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def uses() -> Iterator[tuple[str, str, set[str]]]:
    """Where a literal key is used, the key, and the names of the values."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
                first, given = node.args[0], {each.arg or "**" for each in node.keywords}
                given |= ADDED.get(node.func.id, set())
                if node.func.id in PREFIXES and isinstance(first, ast.Constant):
                    key = PREFIXES[node.func.id] + str(first.value)
                    where = f"{path.relative_to(PACKAGE)}:{node.lineno}"
                    if node.func.id == "say_count":
                        yield where, f"{key}.one", given | {"count"}
                        yield where, f"{key}.more", given | {"count"}
                    else:
                        yield where, key, given


def test_no_key_means_two_templates() -> None:
    counts = Counter(key for table in tables() for key in table)
    assert len(counts) > 500
    assert [key for key, count in counts.items() if count > 1] == []
    for table in tables():
        assert {key: MESSAGES[key] for key in table} == table


def test_every_use_names_a_template_and_gives_what_it_needs() -> None:
    found = list(uses())
    assert len(found) > 300
    wrong = [
        f"{where}: {key} {sorted(placeholders(MESSAGES.get(key, '')))} {sorted(given)}"
        for where, key, given in found
        if key not in MESSAGES or not ("**" in given or placeholders(MESSAGES[key]) <= given)
    ]
    assert wrong == []


def test_phrases_are_joined_in_words() -> None:
    assert say_list([]) == "nothing"
    assert say_list(["a"], "or") == "a"
    assert say_list(["a", "b", "c"]) == "a, b and c"
    assert say_list(["a", "b", "c"], "or") == "a, b or c"
    assert say_list([*"abcdefg"]) == "a, b, c, d, e, f and g"
