"""The lines of each folder: they go down with what is made one, and up only for what was asked."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import pytest

from tests.architecture.layers import PACKAGE, ROOT
from tests.architecture.modules import modules

BUDGET = json.loads(Path(__file__).with_name("budget.json").read_text())
# A change may save this much before its commit has to write the new number down.
SLACK = 100


def lines_below(folder: Path) -> int:
    return sum(len(path.read_bytes().splitlines()) for path in folder.rglob("*.py"))


@functools.cache
def measured() -> dict[str, int]:
    """Lines of each folder of the package, of its own modules, and of the tests."""
    found = {path.name: lines_below(path) for path in PACKAGE.iterdir() if any(path.glob("*.py"))}
    found["."] = sum(len(path.read_bytes().splitlines()) for path in PACKAGE.glob("*.py"))
    return {**found, "tests": lines_below(ROOT / "tests")}


def test_every_folder_has_a_budget() -> None:
    assert set(BUDGET["lines"]) == set(measured())


@pytest.mark.parametrize("folder", sorted(BUDGET["lines"]))
def test_lines_are_within_the_budget_and_savings_are_written_down(folder: str) -> None:
    budget, lines = BUDGET["lines"][folder], measured()[folder]
    assert lines <= budget, f"{lines - budget} lines more than budgeted: save as many elsewhere"
    assert budget - lines <= SLACK, f"write {lines} into budget.json, so that it stays saved"


def test_files_are_within_the_budget() -> None:
    assert len(modules()) <= BUDGET["files"]
