"""The rules, and that each finding that can be written is known."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import gradviz
from gradviz.catalogue.finding_messages import MESSAGES_FINDINGS
from gradviz.catalogue.function_rules import FINDINGS, RULES, finding_kind, rule_of
from gradviz.catalogue.messages import MESSAGES

PACKAGE = Path(gradviz.__file__).parent
CODES = {kind.code for kind in FINDINGS}
PUTS = {"find": 0, "say": 0, "record_notes": 1, "_report": 1, "_report_engine_conversion": 1}
"""Functions that put findings, and at which argument they may be given a code."""


def written_codes() -> set[str]:
    """Literal codes in calls that put a finding, and all that the judges name in a tuple."""
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


def test_the_rules_are_numbered_as_they_are_taught() -> None:
    assert [rule.number for rule in RULES] == list(range(1, 14))
    for rule in RULES:
        assert rule.title
        assert rule.text.endswith(".")
        assert rule.remedy.endswith(".")


def test_each_kind_of_finding_explains_itself() -> None:
    assert len(CODES) == len(FINDINGS)
    for kind in FINDINGS:
        assert kind.title
        assert kind.recording or kind.about or kind.rule is not None


def test_what_is_sought_in_a_run_can_be_found() -> None:
    sought = {rule.number for rule in RULES if rule.sought == "run"}
    assert {kind.rule for kind in FINDINGS} - {None} == sought


@pytest.mark.parametrize("code", sorted({key.split(".")[1] for key in MESSAGES_FINDINGS} & CODES))
def test_a_sentence_names_what_helps(code: str) -> None:
    for key, text in MESSAGES_FINDINGS.items():
        if key.split(".")[1] == code:
            assert text.endswith(".")


def test_a_code_of_a_newer_program_is_shown_as_it_is() -> None:
    assert finding_kind("made_up_later").title == "made up later"
    assert rule_of("made_up_later") is None
    rule = rule_of("silent_cast")
    assert rule is not None
    assert rule.number == 13
