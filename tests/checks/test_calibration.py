"""Diagnoses of generated Functions: what is called certain is right, and nothing is invented."""

from __future__ import annotations

import pytest

from tests.checks.generated_mistakes import CASES, generated
from tests.checks.sample_functions import checked


@pytest.mark.sweep
@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(case).replace(" ", "-"))
def test_diagnoses_are_right(case: tuple[str, str]) -> None:
    for each in generated(*case):
        report, _ = checked(each.function, each.inputs)
        for found in report.diagnoses:
            right = found.code in each.codes
            assert right or found.confidence == "likely", (each.name, found.code, found.message)
        assert report.diagnoses[0].code in each.codes, each.name
