"""A check, the doctor and a recording report the same violations of the same call."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

import gradviz
from gradviz.catalogue.rules import DOCTOR_RULES, doctor_rule
from gradviz.catalogue.rules.declaration import DoctorRule
from gradviz.linter.doctor_finding import findings_of_run, findings_of_source, merged
from gradviz.model.finding import Finding
from gradviz.model.source import user_line
from gradviz.protocol.messages import CheckRequest, DescribeRequest, RunRequest
from gradviz.store.reader import open_trace
from gradviz.worker import check, run
from gradviz.worker.describe import describe
from tests.linter.rule_prelude import PRELUDE
from tests.recorder.recorded_run import read, record_run
from tests.sweeps import thinned

Violation = tuple[str, str, int]


def as_function(example: str) -> str:
    """A program as definitions and ``program(x)``, which returns what backward started from."""
    tree = ast.parse(example)
    classes = [k for k, each in enumerate(tree.body) if isinstance(each, ast.ClassDef)]
    first = classes[-1] + 1 if classes else 0
    *before, last = [ast.unparse(each) for each in tree.body[first:]]
    lines = [*before, "return " + last.removesuffix(".backward()").removesuffix(".sum()")]
    start = tree.body[first].lineno - 1
    above = example.splitlines()[:start]
    return "\n".join([*above, "def program(x):", *(f"    {each}" for each in lines), ""])


def load(path: Path, source: str) -> ModuleType:
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("example_of_a_rule", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def recorded(folder: Path, program: Callable[..., Any], x: torch.Tensor) -> tuple[Finding, ...]:
    def run_it() -> None:
        returned = program(x)
        outputs = returned if isinstance(returned, tuple | list) else (returned,)
        torch.autograd.backward([each.sum() for each in outputs if each.requires_grad])

    try:
        return record_run(folder, run_it).trace.findings
    except (RuntimeError, TypeError, AttributeError, ValueError, IndexError):  # A refusal.
        return read(folder / "run.gradviz").trace.findings


def places(findings: Iterable[Finding]) -> set[Violation]:
    return {
        (rule.code, each.severity, 0 if line is None else line.line)
        for each in findings
        if (rule := doctor_rule(each.code)) is not None and each.code not in rule.notes
        for line in (user_line(each.location),)
    }


@pytest.mark.parametrize("rule", thinned(DOCTOR_RULES), ids=lambda rule: rule.code)
def test_each_bad_example_has_the_same_findings(rule: DoctorRule, tmp_path: Path) -> None:
    path = tmp_path / "example.py"
    program = load(path, PRELUDE + as_function(rule.bad)).program
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    expected = places(recorded(tmp_path, program, x))
    assert rule.code in {code for code, _, _ in expected}
    assert all(line > len(PRELUDE.splitlines()) for _, _, line in expected)

    doctor = gradviz.doctor(program, x)
    assert {(each.rule.code, each.severity, each.line) for each in doctor} == expected
    assert places(gradviz.check(program, x).findings) == expected


@pytest.mark.parametrize("code", ["tensor_on_ctx", "wrong_gradient_count", "grad_output_modified"])
def test_a_file_has_the_same_findings_in_a_check_and_in_the_doctor(
    code: str, tmp_path: Path
) -> None:
    rule = doctor_rule(code)
    assert rule is not None
    path = tmp_path / "example_of_a_file.py"
    source = PRELUDE + as_function(rule.bad) + 'EXAMPLES = {"program": (x,)}\n'
    path.write_text(source, encoding="utf-8")
    offer, *_ = describe(DescribeRequest(path=str(path))).offers
    checked, ran = str(tmp_path / "check.gradviz"), str(tmp_path / "run.gradviz")
    check.check(CheckRequest(offer=offer, trace=checked), lambda progress: None)
    run.run(RunRequest(offer=offer, trace=ran, level="ops"))
    with open_trace(Path(checked)) as reader:
        found = places(reader.trace().findings)
    with open_trace(Path(ran)) as reader:
        trace = reader.trace()
    doctor = merged([*findings_of_run(str(path), trace), *findings_of_source(str(path), source)])
    assert code in {each for each, _, _ in found}
    assert found == {(each.rule.code, each.severity, each.line) for each in doctor}
    assert found == places(trace.findings)
