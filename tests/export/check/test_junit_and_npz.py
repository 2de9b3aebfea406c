"""A Jacobian check as JUnit XML and as a NumPy file."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from msgspec.structs import replace

from gradviz.catalogue.diagnoses import DIAGNOSES
from gradviz.export.check.junit import CheckSuite, junit_xml
from gradviz.export.check.npz import METADATA, write_npz
from gradviz.model.codec import as_object
from gradviz.model.diagnosis import Diagnosis, Repair, Trial
from gradviz.model.jacobian_report import CheckProblem, JacobianReport
from tests.export.check_reports import report_of

EYE = np.eye(2)
WRONG = Diagnosis(
    code="factor_constant",
    message="Twice what it should be.",
    output=0,
    input=1,
    evidence=("In both numbers.",),
)
REPORT, MATRICES = report_of(
    ("x", (2,), (2,), EYE, EYE), ("w", (2,), (2,), EYE, 2 * EYE), diagnoses=(WRONG,)
)

# What Jenkins' junit-10.xsd and pytest's xunit2 both allow: attributes and children by element.
ALLOWED = {
    "testsuites": ({"name", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": (
        {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"},
        {"testcase"},
    ),
    "testcase": ({"classname", "name", "time"}, {"failure", "error"}),
    "failure": ({"message", "type"}, set()),
    "error": ({"message", "type"}, set()),
}
REQUIRED = {"testsuite": {"name", "tests", "failures", "errors"}, "testcase": {"name", "classname"}}


def parsed(*suites: CheckSuite) -> ElementTree.Element:
    """The document, after checking its structure and counts."""
    root = ElementTree.fromstring(junit_xml(suites))
    assert root.tag == "testsuites"
    for each in root.iter():
        attributes, children = ALLOWED[each.tag]
        assert set(each.keys()) <= attributes
        assert set(each.keys()) >= REQUIRED.get(each.tag, set())
        assert {child.tag for child in each} <= children
    for suite in (root, *root.iter("testsuite")):
        for tag, name in (("testcase", "tests"), ("failure", "failures"), ("error", "errors")):
            assert int(suite.attrib[name]) == len(list(suite.iter(tag)))
    return root


def suite(report: JacobianReport | None, error: str = "") -> CheckSuite:
    return CheckSuite(
        subject="my.py:Square", report=report, error=error, created="2026-01-02T03:04:05"
    )


def outcomes(root: ElementTree.Element) -> dict[str, str]:
    return {
        case.attrib["name"]: case[0].tag if len(case) else "passed"
        for case in root.iter("testcase")
    }


def test_each_pair_is_a_test_that_fails_with_its_diagnosis() -> None:
    root = parsed(suite(REPORT))
    assert outcomes(root) == {
        'output 0, input 0 "x"': "passed",
        'output 0, input 1 "w"': "failure",
        "the function as a whole": "passed",
    }
    (failure,) = root.iter("failure")
    assert failure.attrib == {"message": "Twice what it should be.", "type": "factor_constant"}
    text = (failure.text or "").splitlines()
    assert text[0].startswith("mismatch, 2 of 4 wrong; worst w[0] / output[0]")
    assert text[1].startswith("diagnosis [factor_constant, certain]")
    assert text[2] == "  In both numbers."
    (child,) = root
    assert (child.attrib["time"], child[0].attrib["classname"]) == ("2.000", "my.Square")


def test_the_type_of_a_failure_is_any_code_that_counts_against_the_function() -> None:
    for code, info in DIAGNOSES.items():
        report, _ = report_of(
            ("x", (2,), (2,), EYE, 2 * EYE), diagnoses=(replace(WRONG, code=code, input=0),)
        )
        types = [each.attrib["type"] for each in parsed(suite(report)).iter("failure")]
        assert types == [code], info.title


def test_a_diagnosis_of_several_pairs_is_listed_at_each() -> None:
    both = replace(WRONG, code="swapped_gradients", input=None)
    report, _ = report_of(
        ("x", (2,), (2,), EYE, 2 * EYE), ("w", (2,), (2,), EYE, 3 * EYE), diagnoses=(both,)
    )
    types = [each.attrib["type"] for each in parsed(suite(report)).iter("failure")]
    assert types == ["swapped_gradients"] * 3


def test_what_only_gradviz_sees_fails_the_whole() -> None:
    blind = Diagnosis(code="stride_blind", message="Strides.", output=None, input=None)
    trial = Trial(kind="incoming", name="stride 0", outcome="fails", message="Off.")
    report, _ = report_of(("x", (2,), (2,), EYE, EYE), diagnoses=(blind,), trials=(trial,))
    root = parsed(suite(report))
    assert outcomes(root)["the function as a whole"] == "failure"
    (failure,) = root.iter("failure")
    assert failure.attrib["type"] == "stride_blind"
    assert "stride 0: Off." in (failure.text or "")


def test_harmless_diagnoses_and_hints_fail_nothing() -> None:
    kink = Diagnosis(code="none", message="Nothing.", output=None, input=None)
    hint = CheckProblem(code="low_precision", message="float32.", decides=False)
    report, _ = report_of(("x", (2,), (2,), EYE, EYE), diagnoses=(kink,), problems=(hint,))
    assert set(outcomes(parsed(suite(report))).values()) == {"passed"}


def test_a_rule_that_is_broken_fails_the_whole() -> None:
    rule = CheckProblem(code="not_multiplied", message="Not multiplied.")
    report, _ = report_of(
        ("x", (2,), (2,), EYE, EYE), problems=(rule,), verdict="mismatch", diagnoses=()
    )
    (failure,) = parsed(suite(report)).iter("failure")
    assert failure.attrib["message"] == "Not multiplied."


@pytest.mark.parametrize("report", [None, replace(REPORT, verdict="error", blocks=())])
def test_what_could_not_be_checked_is_an_error(report: JacobianReport | None) -> None:
    root = parsed(suite(report, "It raised <b>&\x1b[31m\x00\ud800."), suite(REPORT))
    (error,) = root.iter("error")
    assert error.attrib["message"] == "It raised <b>&\\x1b[31m\\x00\\ud800."
    assert (root.attrib["tests"], root.attrib["errors"]) == ("4", "1")


def test_an_error_without_a_sentence_is_the_problem_of_the_report() -> None:
    problem = CheckProblem(code="raised", message="The function raised KeyError.")
    report = replace(REPORT, verdict="error", problems=(problem,), blocks=())
    (error,) = parsed(suite(report)).iter("error")
    assert error.attrib == {"message": "The function raised KeyError.", "type": "raised"}


def test_matrices_are_read_back_without_pickle(tmp_path: Path) -> None:
    repair = Repair(message="Halved.", matrix=1, wrong=0)
    extra = MATRICES.add(EYE * 7)
    blocks = (REPORT.blocks[0], replace(REPORT.blocks[1], forward=extra, spread=extra))
    report = replace(REPORT, blocks=blocks, diagnoses=(replace(WRONG, repair=repair),))
    path = tmp_path / "check.npz"
    write_npz(path, report, MATRICES.values)
    with np.load(path, allow_pickle=False) as file:
        assert sorted(file) == [
            *("output.w.analytical", "output.w.forward", "output.w.numerical"),
            *("output.w.repaired", "output.w.spread"),
            *("output.x.analytical", "output.x.numerical", METADATA),
        ]
        assert np.array_equal(file["output.w.analytical"], 2 * EYE)
        assert np.array_equal(file["output.w.repaired"], EYE)
        kept = json.loads(bytes(file[METADATA]))
    assert kept == as_object(report)


def test_names_that_are_no_keys_become_some(tmp_path: Path) -> None:
    block = REPORT.blocks[0]
    odd = (
        replace(block, input_name="../x y", part="real"),
        replace(block, input_name="../x_y", part="real"),
        replace(block, input_name="rest[0]"),
    )
    path = tmp_path / "check.npz"
    write_npz(path, replace(REPORT, blocks=odd, diagnoses=()), MATRICES.values)
    with np.load(path, allow_pickle=False) as file:
        assert {key.rpartition(".")[0] for key in file} == {
            *("output._x_y.real", "output._x_y.real_2", "output.rest[0]", "report"),
        }
