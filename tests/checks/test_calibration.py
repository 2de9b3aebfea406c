"""Diagnoses of generated Functions: what is called certain is right, and nothing is invented."""

from __future__ import annotations

import pytest

from tests.checks.generated_mistakes import CASES, CORRECT, generated
from tests.checks.sample_functions import checked


def test_there_are_enough_functions() -> None:
    every = [each for case in CASES for each in generated(*case)]
    correct = sum(each.codes == CORRECT for each in every)
    assert correct >= 60
    assert len(every) - correct >= 150


@pytest.mark.sweep
@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(case).replace(" ", "-"))
def test_diagnoses_are_right(case: tuple[str, str]) -> None:
    for each in generated(*case):
        report, _ = checked(each.function, each.inputs)
        for found in report.diagnoses:
            right = found.code in each.codes
            assert right or found.confidence == "likely", (each.name, found.code, found.message)
        assert report.diagnoses[0].code in each.codes, each.name
