"""Each broken Function gets the right diagnosis first, and gradcheck's verdict."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradviz.checks.diagnosis.investigations import missing_term
from gradviz.checks.names import function_class
from tests.checks.broken.corpus import Broken
from tests.checks.gradgradcheck_verdict import checked_twice, verdict_twice
from tests.checks.sample_functions import as_gradcheck, checked, verdict_of_torch

NO_FAMILIES = {"corpus", "test_corpus"}


def families() -> Iterator[tuple[str, tuple[Broken, ...]]]:
    for path in sorted(Path(__file__).parent.glob("[!_]*.py")):
        if path.stem not in NO_FAMILIES:
            yield path.stem, importlib.import_module(f"tests.checks.broken.{path.stem}").CASES


CASES = [(family, broken) for family, cases in families() for broken in cases]
FIRSTS = {broken.code: broken for _, broken in reversed(CASES)}
"""The first Function with each diagnosis."""
EVERY = [
    pytest.param(
        broken,
        id=f"{family}-{broken.name.replace(' ', '-')}",
        marks=() if FIRSTS[broken.code] is broken else pytest.mark.sweep,
    )
    for family, broken in CASES
]


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine the search for missing terms would time out."""
    monkeypatch.setattr(missing_term, "_SECONDS", 60.0)


@pytest.mark.parametrize("broken", EVERY)
def test_the_first_diagnosis_and_the_verdict_of_torch(broken: Broken) -> None:
    check = checked if broken.order == 1 else checked_twice
    torchs = verdict_of_torch if broken.order == 1 else verdict_twice
    report, _ = check(broken.function, broken.inputs(), settings=broken.settings)
    codes = [each.code for each in report.diagnoses]
    assert codes[:1] == [broken.code], codes
    if broken.code == "none":
        assert codes == ["none"]
    cls = function_class(broken.function)
    called = broken.function if cls is None else cls.apply
    assert as_gradcheck(report.verdict) == torchs(called, broken.inputs(), broken.settings)


def test_names_are_unique() -> None:
    for family, cases in families():
        names = [broken.name for broken in cases]
        assert len(set(names)) == len(names), family
