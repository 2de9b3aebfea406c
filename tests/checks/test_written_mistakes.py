"""First diagnoses of Functions as people write them; correct ones are not accused."""

from __future__ import annotations

import pytest

from tests.checks import written_choices, written_layers, written_sequences
from tests.checks.sample_functions import checked
from tests.checks.written_mistakes import FAMILIES, written
from tests.sweeps import thinned

MODULES = (written_choices, written_layers, written_sequences)
"""Importing them adds their families."""


@pytest.mark.parametrize("name", thinned(FAMILIES, 4))
def test_first_diagnosis_is_right(name: str) -> None:
    for each in written(name):
        report, _ = checked(each.function, each.inputs)
        first = report.diagnoses[0]
        assert first.code in each.codes, (each.name, first.message)
