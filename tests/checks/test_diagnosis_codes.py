"""Every diagnosis is declared once, can be found, and appears in guide and window."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradviz.catalogue import diagnoses
from gradviz.catalogue.diagnoses import DIAGNOSES, GROUPS, MESSAGES_DIAGNOSES, codes_of
from gradviz.catalogue.diagnoses.declaration import DiagnosisInfo
from gradviz.checks.diagnosis import examination
from gradviz.checks.diagnosis.rules.unknown import unknown
from gradviz.checks.diagnosis.support.rule import DiagnosisRule, yields
from gradviz.gallery.guide.pages import page_text
from gradviz.model.diagnosis import HARMLESS, Diagnosis
from gradviz.viewer.jacobians.diagnosis_titles import diagnosis_severity, title_of
from tests.architecture.layers import PACKAGE

RULES = (*examination.RULES, *examination.PATTERNS, unknown)
INVESTIGATIONS = (*examination.BEFORE, *examination.AFTER, *examination.SPARSE)
ELSEWHERE = {
    "fails_for_variation",  # from trials with other inputs, after the examination
    "wrong_pass_gradient",  # from runs of the whole program, after the check of its Function
    "none",  # the conclusion if nothing else was found
}
FILES = sorted((PACKAGE / "checks").rglob("*.py"))
DECLARED = sorted(
    path
    for path in Path(diagnoses.__file__).parent.rglob("*.py")
    if path.parent.name in GROUPS and path.name != "__init__.py"
)
_ROW = re.compile(r"^\| `(\w+)` \| (.+) \|$", re.MULTILINE)


def literals(node: ast.expr) -> Iterator[str]:
    """The codes that an expression contains."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from literals(node.body)
        yield from literals(node.orelse)


def literal_codes(tree: ast.AST) -> Iterator[str]:
    """Strings passed to a diagnosis as its code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func).split(".")[-1]
            if called == "diagnosis" and node.args:
                yield from literals(node.args[0])
            if "iagnosis" in called:
                for each in node.keywords:
                    yield from literals(each.value) if each.arg == "code" else ()


def used_declarations(tree: ast.AST) -> set[str]:
    """Names in capitals whose ``code`` is used."""
    return {
        node.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr == "code"
        and isinstance(node.value, ast.Name)
        and node.value.id.isupper()
    }


def yielded_declarations(tree: ast.AST) -> set[str]:
    """Names in a decorator ``yields``."""
    return {
        argument.id
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "yields"
        for argument in decorator.args
        if isinstance(argument, ast.Name)
    }


def test_each_module_declares_the_diagnosis_of_its_name() -> None:
    assert sorted(path.stem for path in DECLARED) == sorted(DIAGNOSES)
    for path in DECLARED:
        assert DIAGNOSES[path.stem] in GROUPS[path.parent.name]


def test_each_can_be_found() -> None:
    found = {
        code for rule in (*RULES, *INVESTIGATIONS) for code in codes_of(rule.yields)
    } | ELSEWHERE
    assert found == set(DIAGNOSES)


@pytest.mark.parametrize(
    "path",
    [path for path in FILES if path.parent.name in ("rules", "investigations")],
    ids=lambda path: path.stem,
)
def test_a_rule_yields_what_it_declares(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert used_declarations(tree) == yielded_declarations(tree)
    assert list(literal_codes(tree)) == []


def test_an_undeclared_diagnosis_is_rejected() -> None:
    @yields(DIAGNOSES["kink"])
    def find(code: str) -> Diagnosis:
        return Diagnosis(code=code, message="So.", output=None, input=None)

    assert find.declared(find("kink")).code == "kink"
    with pytest.raises(LookupError, match="transposed"):
        find.declared(find("transposed"))
    assert isinstance(find, DiagnosisRule)


def test_every_code_of_the_checks_is_known() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in FILES]
    found = {code for tree in trees for code in literal_codes(tree)}
    assert found
    assert found <= set(DIAGNOSES)


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
    assert diagnosis_severity(newer) == "fault"


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
        if "diagnosis" not in path.parts:
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
