"""Diagnoses of generated Functions: what is called certain is right, and nothing is invented."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.checks.generated_mistakes import BASES, CORRECT, generated
from tests.checks.sample_functions import checked


def test_there_are_enough_functions() -> None:
    correct = sum(case.codes == CORRECT for name, *_ in BASES for case in generated(name))
    assert correct >= 60
    assert sum(1 for name, *_ in BASES for _ in generated(name)) - correct >= 150


@pytest.mark.sweep
@pytest.mark.parametrize("base", [name for name, *_ in BASES])
def test_certain_diagnoses_are_right(base: str) -> None:
    unknown: Counter[str] = Counter()
    for case in generated(base):
        report, _ = checked(case.function, case.inputs)
        for found in report.diagnoses:
            right = found.code in case.codes
            assert right or found.confidence == "likely", (case.name, found.code, found.message)
        first = report.diagnoses[0].code
        assert first in case.codes or first == "unknown", (case.name, first)
        unknown[case.mistake] += first == "unknown" and first not in case.codes
    assert +unknown == Counter()
