"""Each rule reports its bad example and not its good one, in both source and recording."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from gradviz.catalogue.language import load_language
from gradviz.catalogue.rules import DOCTOR_RULES, doctor_rule
from gradviz.catalogue.rules.declaration import DoctorRule
from gradviz.linter.rules import SOURCE_RULES
from gradviz.linter.source_findings import findings_of_tree, source_findings
from tests.linter.rule_prelude import PRELUDE
from tests.linter.shared_trees import assert_unchanged
from tests.recorder.recorded_run import record_run


def codes_of(example: str, folder: Path, *, refused: bool = False) -> set[str]:
    """Codes of the rules that a program violates; `refused` if torch raises."""
    folder.mkdir()
    path = folder / "example.py"
    path.write_text(PRELUDE + example, encoding="utf-8")
    code = compile(path.read_text(encoding="utf-8"), str(path), "exec")

    def run() -> None:
        exec(code, {"__name__": "example"})

    recording = record_run(folder, run, level="ops", raises=refused)
    assert recording.notes == []
    found = {each.code for each in recording.trace.findings}
    found |= {each.code for each in source_findings(PRELUDE + example)}
    assert_unchanged(PRELUDE + example)
    return {rule.code for each in found if (rule := doctor_rule(each)) is not None}


@pytest.mark.parametrize("rule", DOCTOR_RULES, ids=lambda rule: rule.code)
def test_the_bad_example_violates_the_rule_and_the_good_one_none(
    rule: DoctorRule, tmp_path: Path
) -> None:
    refused = "torch" in rule.evidence or rule.code == "saved_modified"
    assert rule.code in codes_of(rule.bad, tmp_path / "bad", refused=refused)
    assert codes_of(rule.good, tmp_path / "good") == set()


def test_what_is_read_from_the_source_is_declared_so() -> None:
    declared = {rule.code for rule in DOCTOR_RULES if "source" in rule.evidence}
    assert declared == SOURCE_RULES.keys()


def test_remembered_findings_are_those_of_a_tree_just_parsed_in_the_chosen_language() -> None:
    sources = [PRELUDE + rule.bad for rule in DOCTOR_RULES]
    try:
        for name in ("en", "de", "en"):
            load_language(name)
            found = [source_findings(each) for each in sources]
            assert found == [findings_of_tree(ast.parse(each)) for each in sources]
    finally:
        load_language("en")
    assert any(found)
