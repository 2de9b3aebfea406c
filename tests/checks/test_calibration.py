"""A diagnosis that is called certain is right in 99 of 100 generated Functions."""

from __future__ import annotations

import sys
from collections import Counter

import pytest

from tests.checks.generated_mistakes import generated
from tests.checks.sample_functions import checked


@pytest.mark.sweep
def test_certain_diagnoses_are_right() -> None:
    tallies: dict[str, Counter[str]] = {}
    wrong, kinds = [], Counter[str]()
    for case in generated():
        report, _ = checked(case.function, case.inputs)
        kinds["correct" if "none" in case.codes else "broken"] += 1
        if "none" in case.codes:
            assert [each.code for each in report.diagnoses] == ["none"], case.name
            continue
        first = report.diagnoses[0]
        right = first.code in case.codes
        tally = tallies.setdefault(min(case.codes - {"unknown"}, default="unknown"), Counter())
        outcome = "right" if right else "unknown" if first.code == "unknown" else "wrong"
        tally[outcome] += 1
        for each in report.diagnoses:
            certain = each.confidence == "certain"
            kinds["certain"] += certain
            if certain and each.code not in case.codes:
                wrong.append((case.name, each.code, each.message))
    for code, tally in sorted(tallies.items()):
        sys.stdout.write(f"{code:25} {sum(tally.values())} {dict(tally)}\n")
    assert kinds["broken"] >= 150
    assert kinds["correct"] >= 60
    assert len(wrong) <= 0.01 * kinds["certain"], wrong
