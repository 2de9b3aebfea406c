"""Every diagnosis is declared once, can be found, and appears in guide and window."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradviz.catalogue.diagnoses import DIAGNOSES, MESSAGES_DIAGNOSES, severity_of
from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo
from gradviz.checks.diagnosis import examination
from gradviz.checks.diagnosis.rules.wrong_some_indices import unknown
from gradviz.checks.diagnosis.support.rule import DiagnosisRule, diagnosed, yields
from gradviz.gallery.guide.pages import page_text
from gradviz.model.diagnosis import HARMLESS, Diagnosis
from gradviz.viewer.jacobians.check_text import title_of
from tests.architecture.layers import PACKAGE

RULES = (*examination.RULES, *examination.PATTERNS, unknown)
INVESTIGATIONS = (*examination.BEFORE, *examination.AFTER, *examination.SPARSE)
ELSEWHERE = {
    "fails_for_variation",  # from trials with other inputs, after the examination
    "wrong_pass_gradient",  # from runs of the whole program, after the check of its Function
    "none",  # the conclusion if nothing else was found
}
FINDERS = ("diagnosed", "diagnosis", "Cause")
FILES = sorted((PACKAGE / "checks").rglob("*.py"))
_ROW = re.compile(r"^\| `(\w+)` \| (.+) \|$", re.MULTILINE)


def codes_in(*trees: ast.AST) -> set[str]:
    """The codes that begin strings, such as the keys of sentences."""
    strings = {
        node.value
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    return {each.partition(".")[0] for each in strings} & DIAGNOSES.keys()


def found_codes(tree: ast.AST) -> set[str]:
    """The codes of sentences in calls that make a diagnosis."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args)
    return codes_in(
        *(each.args[0] for each in calls if ast.unparse(each.func).split(".")[-1] in FINDERS)
    )


def without_declarations(tree: ast.Module) -> tuple[ast.AST, list[ast.expr]]:
    """A module without the decorators of its functions, and these."""
    decorators = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            decorators += node.decorator_list
            node.decorator_list = []
    return tree, decorators


def test_each_can_be_found() -> None:
    found = {code for rule in (*RULES, *INVESTIGATIONS) for code in rule.yields}
    assert found | ELSEWHERE == set(DIAGNOSES)


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if path.parent.name in ("rules", "investigations")],
    ids=lambda path: path.stem,
)
def test_a_rule_yields_what_it_declares(path: Path) -> None:
    tree, decorators = without_declarations(ast.parse(path.read_text(encoding="utf-8")))
    declared = codes_in(*decorators)
    assert found_codes(tree) <= declared <= codes_in(tree)


def test_an_undeclared_diagnosis_is_rejected() -> None:
    @yields("kink")
    def find(code: str) -> Diagnosis:
        return Diagnosis(code=code, message="So.", output=None, input=None)

    assert find.declared(find("kink")).code == "kink"
    with pytest.raises(LookupError, match="transposed"):
        find.declared(find("transposed"))
    assert isinstance(find, DiagnosisRule)
    with pytest.raises(LookupError, match="kinky"):
        yields("kinky")
    with pytest.raises(LookupError, match="kinky"):
        diagnosed("kinky", "So.")


def test_the_guide_explains_each_once() -> None:
    rows = _ROW.findall(page_text("check-it"))
    assert [code for code, _ in rows] == list(DIAGNOSES)
    assert len({words for _, words in rows}) == len(DIAGNOSES)


def test_each_has_a_title_of_its_own() -> None:
    titles = {code: title_of(code) for code in DIAGNOSES}
    assert [code for code, title in titles.items() if title == code] == []
    assert len(set(titles.values())) == len(DIAGNOSES)


def test_the_severity_agrees_with_the_verdict() -> None:
    harmless = {code for code, each in DIAGNOSES.items() if each.severity in ("check", "calm")}
    assert harmless == HARMLESS
    newer = Diagnosis(code="sign_of_the_times", message="So.", output=None, input=None)
    assert severity_of(newer.code) == "fault"


@pytest.mark.parametrize("info", DIAGNOSES.values(), ids=lambda info: info.code)
def test_its_sentences_carry_its_code(info: DiagnosisInfo) -> None:
    assert all(key.startswith(f"{info.code}.") for key in info.messages)
    assert not {f"{info.code}.title", f"{info.code}.guide"} & set(info.messages)
    for text in info.messages.values():
        assert all(name is None or name.isidentifier() for _, name, _, _ in _fields(text))


def _fields(text: str) -> Iterator[tuple[str, str | None, str | None, str | None]]:
    yield from string.Formatter().parse(text)


def test_every_sentence_is_used() -> None:
    keys, patterns = set(), set()
    for path in FILES:
        if not {"diagnosis", "program"} & set(path.parts):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                keys.add(node.value)
            elif isinstance(node, ast.JoinedStr):
                parts = [
                    each.value if isinstance(each, ast.Constant) else None for each in node.values
                ]
                if any(parts):
                    patterns.add(
                        "".join(r"[\w.]+" if part is None else re.escape(part) for part in parts)
                    )
    own = {f"{code}.{name}" for code in DIAGNOSES for name in ("title", "guide")}
    unused = {
        key
        for key in set(MESSAGES_DIAGNOSES) - own - keys
        if not any(re.fullmatch(pattern, key) for pattern in patterns if "." in pattern)
    }
    assert unused == set()
