"""The kept Functions in `tests/data/doctor`: each has the findings its first line names.

A line such as ``class Doubled(Function):  # GV101 warning, GV206 info run`` lists all findings of
the doctor in that definition: rule and severity, and ``run`` if the source alone does not show it.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest

from gradviz.catalogue.rules import DOCTOR_RULES
from gradviz.linter.doctor_finding import (
    DoctorFinding,
    findings_of_run,
    findings_of_source,
    merged,
)
from gradviz.protocol.messages import DescribeRequest, RunRequest
from gradviz.store.reader import open_trace
from gradviz.worker.describe import describe
from gradviz.worker.run import run

FOLDER = Path(__file__).parents[1] / "data" / "doctor"
FILES = sorted(FOLDER.glob("*.py"))
MARK = re.compile(r"#\s*((?:correct|GV\d{3}).*)")
Expected = dict[str, frozenset[tuple[str, str, str]]]


@cache
def expected(path: Path) -> Expected:
    """Rule, severity and where it is seen, of each finding in each marked definition."""
    lines = path.read_text(encoding="utf-8").splitlines()
    found: Expected = {}
    for node in ast.parse("\n".join(lines)).body:
        mark = MARK.search(lines[node.lineno - 1])
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and mark:
            words = [each.split() for each in mark[1].split(",") if each != "correct"]
            found[node.name] = frozenset((each[0], each[1], "".join(each[2:])) for each in words)
    return found


def owners(path: Path, findings: Iterable[DoctorFinding]) -> list[tuple[str, DoctorFinding]]:
    """The definition at the top level that each finding is in; empty for none."""
    spans = {
        node.name: range(node.lineno, (node.end_lineno or 0) + 1)
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
    }
    return [
        (next((name for name, lines in spans.items() if each.line in lines), ""), each)
        for each in findings
    ]


def run_findings(path: Path, folder: Path) -> list[DoctorFinding]:
    found: list[DoctorFinding] = []
    offers = [each for each in describe(DescribeRequest(path=str(path))).offers if each.is_declared]
    # Each definition is run: as an example itself, or by an example that mentions it.
    names = {each.subject.name for each in offers}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    ran = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in names]
    names |= {node.id for each in ran for node in ast.walk(each) if isinstance(node, ast.Name)}
    assert names >= expected(path).keys()
    for number, offer in enumerate(offers):
        trace = folder / f"{number}.gradviz"
        run(RunRequest(offer=offer, trace=str(trace), level="ops"))
        with open_trace(trace) as reader:
            found += findings_of_run(str(path), reader.trace())
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_each_definition_has_the_findings_that_are_kept_with_it(path: Path, tmp_path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    found = merged([*run_findings(path, tmp_path), *findings_of_source(str(path), source)])
    seen: dict[str, set[tuple[str, str]]] = {name: set() for name in expected(path)}
    for owner, each in owners(path, found):
        seen.setdefault(owner, set()).add((each.rule.id, each.severity))
    assert seen == {
        name: {(rule, severity) for rule, severity, _ in marks}
        for name, marks in expected(path).items()
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_what_the_source_shows_is_found_without_a_run(path: Path) -> None:
    found = findings_of_source(str(path), path.read_text(encoding="utf-8"))
    seen: dict[str, set[str]] = {name: set() for name in expected(path)}
    for owner, each in owners(path, found):
        seen.setdefault(owner, set()).add(each.rule.id)
    assert seen == {
        name: {rule for rule, _, where in marks if where != "run"}
        for name, marks in expected(path).items()
    }


def test_enough_is_kept() -> None:
    kept = [marks for path in FILES for marks in expected(path).values()]
    counts = Counter(bool(marks) for marks in kept)
    assert counts[True] >= 49
    assert counts[False] >= 20
    broken = {rule for marks in kept for rule, _, _ in marks}
    # This one is about tensors outside of custom Functions.
    assert {rule.id for rule in DOCTOR_RULES} - broken <= {"GV103"}
