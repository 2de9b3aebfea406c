"""A Jacobian check as JSON and as text."""

from __future__ import annotations

import math
from typing import Any

import jsonschema
import numpy as np
import pytest
from msgspec.structs import replace

from gradviz.catalogue.diagnoses import DIAGNOSES
from gradviz.export.check.json_document import check_document
from gradviz.export.check.text import check_text, worst_elements
from gradviz.export.check.verdict import indexed_name, two_numbers
from gradviz.model.check_settings import CheckSettings
from gradviz.model.console import ConsoleCut, ConsoleText
from gradviz.model.diagnosis import Diagnosis, ErrorCurve, Repair, Trial
from gradviz.model.jacobian_report import (
    CheckProblem,
    JacobianReport,
)
from gradviz.model.source import Location
from gradviz.model.tensor import TensorRecord, TensorValue
from gradviz.model.trace import Trace
from gradviz.model.validation.trace_rules import validate
from tests.builders import ORIGIN, tensor
from tests.export.check_reports import ANALYTICAL, BLOCK, NUMERICAL, REPORT, TENSORS, WORST, Tensors
from tests.schemas import assert_fits

FIRST = replace(WORST, row=0, input_index=(0,), output_index=(0,))


def document(report: JacobianReport = REPORT, tensors: Tensors = TENSORS) -> dict[str, Any]:
    values = {record.id: value for record, value in tensors}
    made = check_document(trace_of(report, tensors), report, values.get)
    assert_fits(made, "check")
    return made


def trace_of(report: JacobianReport, tensors: Tensors) -> Trace:
    trace = Trace(origin=ORIGIN, tensors=tuple(each for each, _ in tensors), reports=(report,))
    assert validate(trace) == []
    return trace


def lines(report: JacobianReport = REPORT, tensors: Tensors = TENSORS, **more: Any) -> list[str]:
    values = {record.id: value for record, value in tensors}
    return list(check_text(replace(trace_of(report, tensors), **more), report, values.get))


def matrix_block(numerical: Any, analytical: Any, **more: Any) -> tuple[JacobianReport, Tensors]:
    """A report on one block whose input and output are vectors."""
    tensors = (matrix(1, numerical), matrix(2, analytical))
    rows, columns = np.asarray(numerical).shape
    block = replace(
        BLOCK, input_shape=(rows,), output_shape=(columns,), **{"worst": None, "wrong": 0} | more
    )
    return replace(REPORT, blocks=(block,)), tensors


def matrix(number: int, values: Any) -> tuple[TensorRecord, TensorValue]:
    record, value = tensor(number, values)
    return replace(record, statistics=None), value


def test_the_document_holds_both_matrices_and_the_worst_element() -> None:
    (block,) = document()["blocks"]
    assert block["numerical"]["values"] == NUMERICAL.tolist()
    assert block["analytical"]["values"] == ANALYTICAL.tolist()
    assert block["input"] == {"position": 1, "name": "weight", "shape": [2, 3]}
    assert block["output"] == {"position": 0, "name": "output", "shape": [2, 3]}
    assert (block["wrong"], block["count"], block["part"]) == (6, 36, "")
    assert block["worst"] == {
        "row": 3,
        "column": 0,
        "input_index": [1, 0],
        "output_index": [0, 0],
        "analytical": 2.0,
        "numerical": 1.000000000139778,
        "excess": 990.0990096255723,
        "text": "weight[1,0] / output[0,0]: analytical 2, numerical 1",
    }


def test_the_document_says_how_the_check_was_made() -> None:
    made = document()
    assert (made["schema"], made["verdict"], made["problems"]) == (3, "mismatch", [])
    assert (made["subject"], made["title"]) == ("scene:linear", REPORT.subject)
    assert made["settings"] == {"eps": 1e-6, "atol": 1e-5, "rtol": 1e-3, "nondet_tol": 0.0}
    assert made["versions"]["torch"] == ORIGIN.torch
    assert (made["evaluations"], made["duration_ns"]) == (36, 5)


REPAIRED = Repair(message="Exchanging them back leaves nothing wrong.", matrix=1, wrong=0)
SAID = Diagnosis(
    code="transposed",
    message="A transpose.",
    output=0,
    input=1,
    part="",
    confidence="likely",
    evidence=("All 36 numbers.",),
    repair=REPAIRED,
)


def test_diagnoses_come_first_with_code_confidence_evidence_and_repair() -> None:
    report = replace(REPORT, diagnoses=(SAID,))
    made = document(report)
    assert (made["order"], made["passed"], made["diagnosis"]) == (1, False, "transposed")
    (diagnosis,) = made["diagnoses"]
    assert (diagnosis["confidence"], diagnosis["evidence"]) == ("likely", ["All 36 numbers."])
    assert diagnosis["repair"]["wrong"] == 0
    assert diagnosis["repair"]["matrix"]["values"] == NUMERICAL.tolist()
    assert lines(report)[2:5] == [
        'diagnosis [transposed, likely] output 0, input 1 "weight": A transpose.',
        "  evidence: All 36 numbers.",
        "  repair: Exchanging them back leaves nothing wrong.",
    ]


def test_every_code_fits_the_schema() -> None:
    for code in DIAGNOSES:
        one = Diagnosis(code=code, message="So.", output=None, input=None)
        assert document(replace(REPORT, diagnoses=(one,)))["diagnosis"] == code


def test_a_diagnosis_of_no_single_pair_says_what_it_is_about() -> None:
    def diagnosis(output: int | None, input_: int | None, code: str = "kink") -> str:
        one = Diagnosis(code=code, message="So.", output=output, input=input_)
        return lines(replace(REPORT, diagnoses=(one,)))[2]

    assert diagnosis(None, None, "unknown") == "diagnosis [unknown]: So."
    assert diagnosis(None, None, "sparse_mismatch") == "diagnosis [sparse_mismatch]: So."
    assert diagnosis(None, None, "wrong_jvp") == "diagnosis [wrong_jvp, certain]: So."
    assert diagnosis(None, 1) == "diagnosis [kink, certain] weight: So."
    assert diagnosis(0, None) == "diagnosis [kink, certain] output: So."
    assert diagnosis(3, None) == "diagnosis [kink, certain] output 3: So."
    assert diagnosis(None, 3) == "diagnosis [kink, certain] input 3: So."


def test_what_gradcheck_misses_is_reported_at_the_top() -> None:
    diagnosis = Diagnosis(code="stride_blind", message="Strides.", output=None, input=None)
    report = replace(
        REPORT, verdict="match", blocks=(replace(BLOCK, wrong=0),), diagnoses=(diagnosis,)
    )
    assert document(report)["passed"] is False
    assert "but gradcheck misses an error" in lines(report)[0]
    twice = lines(replace(report, order=2))
    assert "but gradgradcheck misses an error" in twice[0]


def test_further_matrices_and_lines_stand_with_their_pair() -> None:
    more = replace(
        BLOCK,
        forward=1,
        forward_wrong=3,
        reference=1,
        spread=2,
        lines=(Location(source=None, path="my.py", line=12, function="F.backward"),),
    )
    report = replace(REPORT, blocks=(more,), reference="plain", forward_mode=True)
    (block,) = document(report)["blocks"]
    assert block["forward"]["values"] == block["reference"]["values"] == NUMERICAL.tolist()
    assert block["spread"]["name"] == "spread"
    assert block["lines"] == [{"path": "my.py", "line": 12, "function": "F.backward"}]
    text = lines(report)
    assert text[1].endswith("with forward mode, compared with plain")
    assert "  gradient computed at my.py:12" in text
    assert "  forward mode: 3 of 36 wrong" in text
    assert "  reference: agrees with 36 of 36 numerical elements" in text
    assert "  spread (rows: weight, columns: output)" in text


def test_trials_and_curves_are_tables() -> None:
    curve = ErrorCurve(
        output=0,
        input=1,
        row=3,
        column=0,
        steps=(1e-6, 1e-3),
        errors=(1.0, math.nan),
        one_sided=(0.5, 0.5),
        floors=(1e-10, 1e-13),
    )
    trials = (
        Trial(kind="incoming", name="stride 0", outcome="passes", message="It passes."),
        Trial(kind="incoming", name="NaN", outcome="raises", message="No.", code="unknown"),
        Trial(kind="variation", name="size 1", outcome="fails", message="Wrong."),
    )
    report = replace(REPORT, trials=trials, curves=(curve,))
    made = document(report)
    assert [each["outcome"] for each in made["trials"]] == ["passes", "raises", "fails"]
    assert made["curves"][0]["errors"] == [1.0, "NaN"]
    text = lines(report)
    place = text.index("other incoming gradients: 1 of 2 pass")
    assert text[place + 1 : place + 5] == [
        "  raises  NaN: No. [unknown]",
        "  passes  stride 0",
        "other inputs: 0 of 1 pass",
        "  fails   size 1: Wrong.",
    ]
    assert text[place + 5] == (
        'error against eps at output 0, input 1 "weight", weight[1,0] / output[0,0]:'
    )
    assert text[place + 7].split() == ["1e-06", "1", "0.5", "1e-10"]
    assert text[place + 8].split() == ["0.001", "nan", "0.5", "1e-13"]


def test_the_document_contains_the_request() -> None:
    settings = CheckSettings(cast=True, forward_mode="on", variations=True)
    values = {record.id: value for record, value in TENSORS}
    made = check_document(trace_of(REPORT, TENSORS), REPORT, values.get, settings)
    assert_fits(made, "check")
    assert made["settings"]["cast"] is made["settings"]["variations"] is True
    assert made["settings"]["forward_mode"] == "on"


def test_what_helps_is_offered() -> None:
    hint = CheckProblem(code="low_precision", message="x is float32.", decides=False)
    assert lines(replace(REPORT, problems=(hint,)))[-1] == "Check in float64 with --cast."
    assert "--cast" not in lines(replace(REPORT, problems=(hint,), cast_from="float32"))[-1]
    right = replace(REPORT, blocks=(replace(BLOCK, wrong=0),), verdict="match")
    assert "without --fast" in lines(replace(right, fast=True))[-1]


@pytest.mark.parametrize("seed", range(5))
def test_the_worst_are_those_of_a_plain_sort(seed: int) -> None:
    random = np.random.default_rng(seed)
    numerical = random.integers(-2, 3, (7, 9)) + random.choice([0.0, 1e-7], (7, 9))
    analytical = numerical + random.integers(-2, 3, (7, 9)) * 1e-3
    numerical[2, 3], analytical[4, 5] = np.inf, np.nan
    report = replace(REPORT, blocks=())
    block = replace(BLOCK, input_shape=(7,), output_shape=(9,))

    def excess(row: int, column: int) -> float:
        a, n = analytical[row, column], numerical[row, column]
        with np.errstate(invalid="ignore"):
            found = abs(a - n) / (1e-5 + 1e-3 * abs(n))
        return math.inf if math.isnan(found) else found

    places = [(row, column) for row in range(7) for column in range(9) if excess(row, column) > 1]
    places.sort(key=lambda place: -excess(*place))
    found = worst_elements(block, report, analytical, numerical, 6)
    assert [(each.row, each.column) for each in found] == places[:6]


def test_second_order_is_called_so() -> None:
    named = replace(BLOCK, output_name="grad_x", wrong=0)
    report = replace(REPORT, order=2, blocks=(named,), verdict="match")
    assert document(report)["order"] == 2
    diagnosis = lines(report)
    assert diagnosis[0].endswith("Jacobians of its backward match")
    assert 'output 0 "grad_x", input 1 "weight": match, 36 elements' in diagnosis
    assert diagnosis[-1].startswith("The second-order check compares backward with itself")


def test_a_backward_for_once_is_called_so() -> None:
    once = CheckProblem(code="once_differentiable", message="It is marked.")
    report = replace(REPORT, order=2, blocks=(), problems=(once,), verdict="mismatch")
    diagnosis = lines(report)
    assert diagnosis[0].endswith("its backward cannot be differentiated")
    assert diagnosis[-1] == "problem: It is marked."


def test_statistics_are_there_even_where_the_trace_has_none() -> None:
    report, tensors = matrix_block([[1.0, 3.0]], [[1.0, 3.0]])
    assert document(report, tensors)["blocks"][0]["numerical"]["statistics"]["mean"] == 2.0


def test_nan_and_infinities_are_strings() -> None:
    worst = replace(FIRST, numerical=math.nan, analytical=math.inf, excess=math.inf)
    report, tensors = matrix_block([[math.nan]], [[math.inf]], worst=worst, wrong=1)
    (block,) = document(report, tensors)["blocks"]
    assert block["numerical"]["values"] == [["NaN"]]
    assert block["analytical"]["values"] == [["Infinity"]]
    worst_ = block["worst"]
    assert (worst_["numerical"], worst_["excess"]) == ("NaN", "Infinity")
    assert worst_["text"].endswith("analytical inf, numerical nan")


def test_complex_numbers_are_pairs() -> None:
    record, value = tensor(1, [[0.0, 0.0]])
    data = np.array([[1 + 2j]]).tobytes()
    wide = replace(record, dtype="complex128", shape=(1, 1), kept_shape=(1, 1), statistics=None)
    tensors = tuple(
        (replace(wide, id=k), replace(value, dtype="complex128", shape=(1, 1), data=data))
        for k in (1, 2)
    )
    worst = replace(FIRST, analytical=1 + 2j, numerical=1 + 0j)
    block = replace(BLOCK, input_shape=(1,), output_shape=(1,), part="imag", wrong=1, worst=worst)
    report = replace(REPORT, blocks=(block,))
    made = document(report, tensors)["blocks"][0]
    assert made["numerical"]["values"] == [[[1.0, 2.0]]]
    assert (made["worst"]["analytical"], made["worst"]["numerical"]) == ([1.0, 2.0], [1.0, 0.0])
    assert "output 0 (imaginary part), input 1" in lines(report, tensors)[2]
    assert lines(report, tensors)[2].endswith("analytical 1+2j, numerical 1")


def test_a_large_matrix_is_sampled_and_says_so() -> None:
    large = np.arange(300.0 * 300).reshape(300, 300)
    report, tensors = matrix_block(large, large)
    shown = document(report, tensors)["blocks"][0]["numerical"]
    assert "values" not in shown
    assert shown["note"] == "a sample of the 90,000 elements"
    steps = shown["preview"]["steps"]
    assert shown["preview"]["values"] == large[:: steps[0], :: steps[1]].tolist()
    assert shown["shape"] == [300, 300]
    assert shown["statistics"]["maximum"] == 89999.0
    # The schema would take ten seconds for so many numbers.
    trace, values = trace_of(report, tensors), {record.id: value for record, value in tensors}
    whole = check_document(trace, report, values.get, whole_elements=90_000)
    assert whole["blocks"][0]["numerical"]["values"] == large.tolist()


def test_an_empty_block_has_no_worst_element() -> None:
    report, tensors = matrix_block(np.zeros((0, 3)), np.zeros((0, 3)))
    (block,) = document(report, tensors)["blocks"]
    assert (block["worst"], block["count"]) == (None, 0)
    assert lines(report, tensors)[-1].endswith("match, 0 elements")


def test_problems_and_hints_are_listed() -> None:
    problems = (
        CheckProblem(code="raised", message="The function raised KeyError."),
        CheckProblem(code="low_precision", message="x is float32.", decides=False),
    )
    report = replace(REPORT, problems=problems, blocks=(), verdict="error")
    assert [each["code"] for each in document(report)["problems"]] == ["raised", "low_precision"]
    text = lines(report)
    assert text[0].endswith("it could not be checked")
    assert "problem: The function raised KeyError." in text
    assert "hint: x is float32." in text


def test_the_schema_refuses_what_it_should() -> None:
    made = document()
    made["blocks"][0]["worst"]["excess"] = "much"
    with pytest.raises(jsonschema.ValidationError):
        assert_fits(made, "check")


def test_the_text_names_the_block_and_prints_small_matrices() -> None:
    text = lines()
    assert text[0] == (
        "LinearFunction, wrong on purpose: the analytical and the numerical Jacobians do not match"
    )
    assert text[1] == (
        "float64 on cpu, eps 1e-06, atol 1e-05, rtol 0.001, nondet_tol 0, 36 evaluations"
    )
    assert text[2] == (
        'output 0, input 1 "weight": mismatch, 6 of 36 wrong; '
        "worst weight[1,0] / output[0,0]: analytical 2, numerical 1"
    )
    assert text[3:8] == [
        "  weight[1,1] / output[0,1]: analytical 2, numerical 1",
        "  weight[1,2] / output[0,2]: analytical 2, numerical 1",
        "  weight[0,0] / output[1,0]: analytical 1, numerical 2",
        "  weight[0,1] / output[1,1]: analytical 1, numerical 2",
        "  and 1 more",
    ]
    assert text[8] == "  numerical (rows: weight, columns: output)"
    assert text[9:15] == [
        "    0 0 0 2 0 0",
        "    0 0 0 0 2 0",
        "    0 0 0 0 0 2",
        "    1 0 0 3 0 0",
        "    0 1 0 0 3 0",
        "    0 0 1 0 0 3",
    ]
    assert text[19] == "    2 0 0 3 0 0"
    assert len(text) == 22


def test_large_matrices_are_not_printed() -> None:
    report, tensors = matrix_block(np.zeros((13, 2)), np.zeros((13, 2)))
    assert lines(report, tensors)[2:] == ['output 0, input 1 "weight": match, 26 elements']


def test_matching_jacobians_with_a_broken_rule_are_not_called_a_mismatch() -> None:
    problem = CheckProblem(code="not_multiplied", message="No.")
    report, tensors = matrix_block([[1.0]], [[1.0]])
    text = lines(replace(report, problems=(problem,)), tensors)
    assert text[0].endswith("the Jacobians match, but backward breaks a rule")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("numerical_not_zero", "an output depends on an input, but no output requires grad"),
        ("fast_mode", "products of the Jacobians with random vectors do not match"),
        ("forward_mode", "the Jacobians match, but the forward-mode Jacobians do not"),
        (
            "batched_forward",
            "the Jacobians match, but vmap over forward mode gives a different result",
        ),
        (
            "batched_gradient",
            "the Jacobians match, but vmap over backward gives a different result",
        ),
    ],
)
def test_backward_is_not_blamed_for_what_something_else_does(code: str, words: str) -> None:
    hint = CheckProblem(code="low_precision", message="x is float32.", decides=False)
    report, tensors = matrix_block([[1.0]], [[1.0]])
    problems = (hint, CheckProblem(code=code, message="No."))
    text = lines(replace(report, problems=problems), tensors)
    assert text[0].endswith(f": {words}")


def test_the_first_prints_are_shown_and_the_others_counted() -> None:
    texts = (
        ConsoleText(id=1, step=None, stream="stdout", activity="check", text="one\ntw"),
        ConsoleText(id=2, step=None, stream="stdout", activity="run", text="other\n"),
        ConsoleText(id=3, step=None, stream="stdout", activity="check", text="o\n"),
    )
    cuts = (ConsoleCut(activity="check", characters=10, lines=3),)
    text = lines(console=texts, cuts=cuts)
    assert text[-4:] == [
        "Output of the first calls:",
        "  one",
        "  two",
        "3 more lines (10 characters) were printed but not kept.",
    ]
    made = check_document(
        replace(trace_of(REPORT, TENSORS), console=texts, cuts=cuts), REPORT, dict(values()).get
    )
    assert_fits(made, "check")
    assert made["printed"] == {
        "lines": 5,
        "characters": 18,
        "texts": [{"stream": "stdout", "text": each} for each in ("one\ntw", "o\n")],
    }


def values() -> list[tuple[int, TensorValue]]:
    return [(record.id, value) for record, value in TENSORS]


def test_two_numbers_get_enough_digits_to_differ() -> None:
    assert two_numbers(1.0, 1.00000001) == ("1", "1.00000001")
    assert two_numbers(2.0, 1.0000000001) == ("2", "1")
    assert two_numbers(1.0, 1.0) == ("1", "1")


def test_an_element_without_dimensions_is_its_name() -> None:
    assert (indexed_name("x", ()), indexed_name("w", (1, 0))) == ("x", "w[1,0]")
