"""The rules, and that every code a finding can have is declared."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import gradviz
from gradviz.catalogue.finding_kinds import OTHER_KINDS, finding_kind
from gradviz.catalogue.messages import MESSAGES
from gradviz.catalogue.rules import DOCTOR_RULES

PACKAGE = Path(gradviz.__file__).parent
CODES = {kind.code for kind in OTHER_KINDS}.union(
    *((rule.code, *rule.cases) for rule in DOCTOR_RULES)
)
PUTS = {"find": 0, "say": 0, "record_notes": 1, "_report": 1, "_report_engine_conversion": 1}
"""Functions that put findings, and at which argument they may be given a code."""


def written_codes() -> set[str]:
    """Literal codes in calls that report a finding, and codes listed in tuples of the rules."""
    found: set[str] = set()
    for folder in ("recorder", "worker"):
        for path in (PACKAGE / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
                    name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
                    at = PUTS.get(name)
                    if at is None or len(node.args) <= at:
                        continue
                    first = node.args[at]
                    if isinstance(first, ast.Constant) and isinstance(first.value, str):
                        found.add(first.value)
    # `say` is also what fills in a sentence of the catalogue.
    return {code for code in found - MESSAGES.keys() if re.fullmatch(r"[a-z_]+", code)}


def test_every_code_that_is_written_is_known() -> None:
    written = written_codes()
    assert len(written) > 15
    assert written <= CODES


def test_the_rules_are_numbered_by_group() -> None:
    ids = [rule.id for rule in DOCTOR_RULES]
    assert ids == sorted(set(ids))
    for rule in DOCTOR_RULES:
        assert re.fullmatch(r"GV\d{3}", rule.id)
        assert all(text.endswith(".") for text in (rule.summary, rule.why, rule.remedy))
        assert all(code.startswith(rule.code) for code in rule.cases)


def test_each_kind_of_finding_explains_itself() -> None:
    assert len(CODES) == len(OTHER_KINDS) + sum(
        len((rule.code, *rule.cases)) for rule in DOCTOR_RULES
    )
    for code in CODES:
        kind = finding_kind(code)
        assert kind.title
        assert kind.recording or kind.about


def test_a_sentence_is_whole() -> None:
    for rule in DOCTOR_RULES:
        for key, text in rule.messages.items():
            assert key.split(".")[:2] == ["finding", rule.code]
            # The others are parts of such sentences.
            assert text.endswith(".") or "{where}" not in text


def test_a_code_of_a_newer_program_is_shown_as_it_is() -> None:
    kind = finding_kind("made_up_later")
    assert (kind.title, kind.rule) == ("made up later", "")
    assert finding_kind("silent_cast").rule == "GV205"
