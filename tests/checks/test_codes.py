"""Every code that a diagnosis can have is known, explained in the guide, and has a title."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from gradviz.catalogue.diagnosis_codes import CODES, HARMLESS_OR_UNKNOWN
from gradviz.gallery.guide.pages import page_text
from gradviz.model.diagnosis import HARMLESS
from gradviz.viewer.jacobians.diagnosis_titles import title_of
from tests.architecture.layers import PACKAGE

_ROW = re.compile(r"^\| `(\w+)` \| (.+) \|$", re.MULTILINE)


def constants(node: ast.expr) -> Iterator[str]:
    """The words that an expression can be, as far as they stand in it."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from constants(node.body)
        yield from constants(node.orelse)


def codes_in(tree: ast.AST) -> Iterator[str]:
    """What is given to a diagnosis as its code, or is called CODE."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("CODE", "_CODE"):
            yield from constants(node.value)
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func).split(".")[-1]
        if called == "diagnosis" and node.args:
            yield from constants(node.args[0])
        if "iagnosis" in called:
            for each in node.keywords:
                yield from constants(each.value) if each.arg == "code" else ()


def test_every_code_of_the_checks_is_known() -> None:
    found = {
        code
        for path in (PACKAGE / "checks").rglob("*.py")
        for code in codes_in(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert len(found) > 10
    assert found <= set(CODES)


def test_the_guide_explains_each_once() -> None:
    rows = _ROW.findall(page_text("check-it"))
    assert [code for code, _ in rows] == list(CODES)
    assert len({words for _, words in rows}) == len(CODES)


def test_each_has_a_title_of_its_own() -> None:
    titles = {code: title_of(code) for code in CODES}
    assert [code for code, title in titles.items() if title == code] == []
    assert len(set(titles.values())) == len(CODES)


def test_what_is_harmless_is_listed_as_such() -> None:
    assert set(HARMLESS_OR_UNKNOWN) == {*HARMLESS, "unknown"}
